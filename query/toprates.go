package query

import (
	"cmp"
	"slices"

	"github.com/footfall/footfall/sketch"
)

// Rates and averages that rows can be sorted by.
const (
	byExitRate       = "exitRate"
	byTimeOnPage     = "avgTimeOnPageMs"
	byScrollDepth    = "avgScrollDepth"
	byConversionRate = "conversionRate"
	byBounceRate     = "bounceRate"
	byAvgDuration    = "avgDurationMs"
)

var topRates = []string{byExitRate, byTimeOnPage, byScrollDepth, byConversionRate, byBounceRate, byAvgDuration}

// has reports whether rows of the dimension can have the figure.
func (d topDimension) has(figure string) bool {
	switch figure {
	case byExitRate, byTimeOnPage, byScrollDepth, "entries", "exits":
		return d.d == sketch.Page
	case byConversionRate, "conversions", "conversionValue":
		return d.d.Converts()
	case "valueSum":
		return d.d == sketch.EventName
	}
	return true
}

// rate returns one of topRates; nil: it is not known.
func (s shares) rate(k *sketch.Counts) *float64 {
	page := topAttention(s.d, k)
	switch s.figure {
	case byExitRate:
		return page.ExitRate
	case byTimeOnPage:
		if page.AvgTimeOnPageMs == nil {
			return nil
		}
		return new(float64(*page.AvgTimeOnPageMs))
	case byScrollDepth:
		return page.AvgScrollDepth
	case byBounceRate:
		return ratio(k.Bounces, k.Sessions)
	case byAvgDuration:
		if k.Sessions == 0 {
			return nil
		}
		return new(float64(k.DurationMs) / float64(k.Sessions))
	}
	return s.conversions(k).ConversionRate
}

// compare orders rows by the figure; rows without the figure come first.
func (s shares) compare(a, b *sketch.Counts) int {
	if !slices.Contains(topRates, s.figure) {
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
