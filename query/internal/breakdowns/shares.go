package breakdowns

import (
	"cmp"
	"slices"

	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/sketch"
)

// figure returns a figure other than valueSum and conversionValue.
func figure(name string, k *sketch.Counts) int64 {
	switch name {
	case "pageViews":
		return k.PageViews
	case "uniqueVisitors":
		return int64(numbers.Clamp(k.Visitors.Estimate(), k.Events))
	case "sessions":
		return k.Sessions
	case "bounces":
		return k.Bounces
	case "durationMs":
		return k.DurationMs
	case "entries":
		return k.Entries
	case "exits":
		return k.Exits
	case "conversions":
		return k.Conversions.All()
	}
	return k.Events
}

func compareBy(name string, a, b *sketch.Counts) int {
	switch name {
	case "valueSum":
		return a.Sum.Compare(b.Sum)
	case "conversionValue":
		return a.Conversions.Worth.Compare(b.Conversions.Worth)
	}
	return cmp.Compare(figure(name, a), figure(name, b))
}

// Shares are the parts of a figure.
type Shares struct {
	figure string
	D      sketch.Dimension
	whole  int64 // 0: not known
	rates  bool  // conversion rates are known
}

// Shares returns what parts of a figure are parts of.
func (t *Sum) Shares(name string) Shares {
	s := Shares{figure: name, D: t.By.D, rates: t.Rates}
	switch all := countsOf(t.whole); name {
	case "valueSum", "conversionValue", byExitRate, byTimeOnPage, byScrollDepth, byConversionRate, byBounceRate, byAvgDuration:
	case "entries", "exits": // Of pages alone.
		all = countsOf(t.Merge)
		fallthrough
	default:
		s.whole = figure(name, &all)
	}
	return s
}

// OfVisitors reports whether they are of visitors, which counts of what has no value do not have.
func (s Shares) OfVisitors() bool { return s.figure == "uniqueVisitors" }

// Of returns the part that counts have of the figure; nil: it has none.
func (s Shares) Of(k *sketch.Counts) *float64 {
	if s.whole == 0 {
		return nil
	}
	return numbers.Ratio(min(figure(s.figure, k), s.whole), s.whole) // An estimate of a part may exceed that of the whole.
}

// rate returns one of Rates; nil: it is not known.
func (s Shares) rate(k *sketch.Counts) *float64 {
	switch s.figure {
	case byExitRate, byTimeOnPage, byScrollDepth:
		return s.ofPage(k)
	case byBounceRate:
		return numbers.Ratio(k.Bounces, k.Sessions)
	case byAvgDuration:
		if k.Sessions == 0 {
			return nil
		}
		return new(float64(k.DurationMs) / float64(k.Sessions))
	}
	return s.ConversionRate(k)
}

// Count returns how many sessions or page views one of Rates is of.
func (s Shares) Count(k *sketch.Counts) int64 {
	switch s.figure {
	case byExitRate:
		return k.PageViews
	case byTimeOnPage:
		return k.Timed
	case byScrollDepth:
		return k.Scrolled
	}
	return k.Sessions
}

// ofPage returns one of the rates that pages have.
func (s Shares) ofPage(k *sketch.Counts) *float64 {
	switch {
	case s.D != sketch.Page:
		return nil
	case s.figure == byExitRate:
		return ExitRate(k)
	case s.figure == byScrollDepth:
		return ScrollDepth(k)
	}
	ms := TimeOnPage(k)
	if ms == nil {
		return nil
	}
	return new(float64(*ms))
}

// ExitRate is how many of the views of a page were the last of their session; nil: it has no views.
func ExitRate(k *sketch.Counts) *float64 { return numbers.Ratio(k.Exits, k.PageViews) }

// TimeOnPage is the average time on a page in ms; nil: it is known of no view.
func TimeOnPage(k *sketch.Counts) *int64 { return numbers.Average(k.TimeMs, k.Timed) }

// ScrollDepth is the average scroll depth of a page, 0 to 1; nil: it is known of no view.
func ScrollDepth(k *sketch.Counts) *float64 { return numbers.Ratio(k.Depth, 100*k.Scrolled) }

// ConversionRate is how many of the sessions of a value have converted; nil: it is not known.
func (s Shares) ConversionRate(k *sketch.Counts) *float64 {
	if !s.rates || !s.D.Converts() {
		return nil
	}
	return numbers.Ratio(k.Conversions.Sessions, k.Sessions)
}

// Compare orders rows by the figure; rows without the figure come first.
func (s Shares) Compare(a, b *sketch.Counts) int {
	if !slices.Contains(Rates, s.figure) {
		return compareBy(s.figure, a, b)
	}
	x, y := s.rate(a), s.rate(b)
	switch {
	case x == nil && y == nil:
		return 0
	case x == nil:
		return -1
	case y == nil:
		return 1
	}
	return cmp.Compare(*x, *y)
}
