package chart

import (
	"strings"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// GraphLabel is a text below the graph. Minor ones are left out where the page is narrow.
type GraphLabel struct {
	X, Y         float64
	Anchor, Text string
	Minor        bool
}

// GraphBucket is a bucket with its figure.
type GraphBucket struct {
	X, Width      float64 // in percent
	Start         string
	Value, Before string
	Change        string
	Marks         string // "so far", "data expired": what must be said of the figure
	Address       string // of the page about the bucket alone
	From, To      string // ends, as addresses have them
	Middle        float64
	Anchor        string // of what is said at Middle
	Last          bool
}

// bucketOf is a bucket of an answer as the graph has it.
func bucketOf(a query.StatsAnswer, i int, f Figure, at links.Address) GraphBucket {
	b := a.Buckets[i]
	width := 100 / float64(len(a.Buckets))
	g := GraphBucket{X: float64(i) * width, Width: width, Start: name(b.Start, a.By), Value: f.Show(&b.Figures), Marks: marks(b),
		Address: within(b, a.By, at), From: instant(b.Start, a.By), To: instant(b.End, a.By), Last: i == len(a.Buckets)-1}
	if BeforeData(a, b) {
		g.Value = locale.Unknown
	}
	g.Middle = g.X + width/2
	switch {
	case g.Middle < 25:
		g.Anchor = "start"
	case g.Middle > 75:
		g.Anchor = "end"
	default:
		g.Anchor = "middle"
	}
	if b.Previous != nil {
		if g.Before = f.Show(&b.Previous.Figures); BeforeData(a, *b.Previous) {
			g.Before = locale.Unknown
		}
	}
	if b.Change != nil {
		g.Change, _ = f.SpellChange(f.Change(b.Change))
	}
	return g
}

// BeforeData reports whether a bucket lies before the site's first data, where a figure of 0 would say too much.
func BeforeData(a query.StatsAnswer, b query.Bucket) bool {
	return a.Previous != nil && a.Previous.DataFrom != nil && !b.End.After(*a.Previous.DataFrom)
}

// Says is the bucket in one line.
func (g GraphBucket) Says() string {
	said := g.Start + ": " + g.Value
	if g.Before != "" {
		said += ", " + locale.Say("before: %s", g.Before)
	}
	if g.Change != "" {
		said += " (" + g.Change + ")"
	}
	if g.Marks != "" {
		said += ", " + g.Marks
	}
	return said
}

// instant spells an end of a bucket as addresses have it.
func instant(t time.Time, by query.By) string {
	if by == query.Hour {
		return t.Format(time.RFC3339)
	}
	return t.Format(time.DateOnly)
}

// marks are what must be said of a bucket's figures.
func marks(b query.Bucket) string {
	var all []string
	for _, m := range []struct {
		holds bool
		text  string
	}{{b.InProgress, locale.Say("so far")}, {b.Partial, locale.Say("clipped by the range")}, {b.Incomplete, locale.Say("data expired")}} {
		if m.holds {
			all = append(all, m.text)
		}
	}
	return strings.Join(all, ", ")
}

// name names a bucket by its beginning.
func name(start time.Time, by query.By) string {
	switch by {
	case query.Hour:
		return locale.Spell(start, "Mon 2 Jan 2006, 15:04")
	case query.Week:
		return locale.Say("week of %s", locale.Spell(start, "Mon 2 Jan 2006"))
	case query.Month:
		return locale.Spell(start, "January 2006")
	case query.Year:
		return start.Format("2006")
	}
	return locale.Spell(start, "Mon 2 Jan 2006")
}

// within is the address of the page about a bucket alone.
func within(b query.Bucket, by query.By, at links.Address) string {
	start := b.Start
	rest := []string{"from", "", "to", "", "by", ""}
	switch by {
	case query.Day:
		return at.With(append(rest, "period", start.Format(time.DateOnly))...)
	case query.Month:
		return at.With(append(rest, "period", start.Format("2006-01"))...)
	case query.Year:
		return at.With(append(rest, "period", start.Format("2006"))...)
	case query.Week:
		return at.With("by", "day", "period", "", "from", start.Format(time.DateOnly), "to", start.AddDate(0, 0, 7).Format(time.DateOnly))
	}
	return links.Between(b.Start, b.End, at)
}

// maxLabels is how many labels fit below a graph.
const maxLabels = 8

// labels name some buckets below the graph, at equal distances.
func labels(a query.StatsAnswer) (all []GraphLabel) {
	n := len(a.Buckets)
	every := max(1, (n+maxLabels-1)/maxLabels)
	for i := 0; i < n; i += every {
		l := GraphLabel{X: 100 * (float64(i) + 0.5) / float64(n), Y: graphTop + graphHeight + 18, Anchor: "middle",
			Text: short(a.Buckets[i].Start, a), Minor: len(all)%2 == 1}
		switch {
		case l.X < 4:
			l.Anchor = "start"
		case l.X > 96:
			l.Anchor = "end"
		}
		all = append(all, l)
	}
	return all
}

// short names a bucket where there is little room.
func short(start time.Time, a query.StatsAnswer) string {
	switch a.By {
	case query.Hour:
		if a.To.Sub(a.From) > 36*time.Hour {
			return locale.Spell(start, "2 Jan 15:04")
		}
		return start.Format("15:04")
	case query.Month:
		return locale.Spell(start, "Jan 2006")
	case query.Year:
		return start.Format("2006")
	}
	return locale.Spell(start, "2 Jan")
}
