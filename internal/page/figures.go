package page

import (
	"math"
	"slices"

	"github.com/footfall/footfall/query"
)

// A figure is one that a tile and the graph can show.
type figure struct {
	name, title string // name as in the JSON of [query.Figures]
	// value returns the figure; ok is false if it is not known.
	value func(f *query.Figures) (x float64, ok bool)
	spell func(x float64) string
	// err returns the relative standard error of an estimate; nil: the figure is always exact.
	err func(f *query.Figures) float64
	// change returns how the figure differs from an earlier one.
	change func(c *query.Changes) change
	less   bool // less is better
	always bool // the tile is shown also if the figure is 0 or not known
}

// A change is a difference; known says whether there is one, and points that it is one of percentages.
type change struct {
	by     float64
	known  bool
	points bool
}

// Figures are the names of figures that the graph can show.
func Figures() (names []string) {
	for _, f := range figures {
		names = append(names, f.name)
	}
	return names
}

var figures = []figure{
	{name: "uniqueVisitors", title: "Visitors", always: true,
		value: func(f *query.Figures) (float64, bool) { return natural(f.UniqueVisitors) }, spell: whole,
		err:    func(f *query.Figures) float64 { return f.VisitorsError },
		change: func(c *query.Changes) change { return relative(c.UniqueVisitors.Relative) }},
	{name: "pageViews", title: "Page views", always: true, value: func(f *query.Figures) (float64, bool) { return float64(f.PageViews), true },
		spell: whole, change: func(c *query.Changes) change { return relative(c.PageViews.Relative) }},
	{name: "sessions", title: "Sessions", always: true, value: func(f *query.Figures) (float64, bool) { return float64(f.Sessions), true },
		spell: whole, change: func(c *query.Changes) change { return relative(c.Sessions.Relative) }},
	{name: "bounceRate", title: "Bounce rate", always: true, less: true,
		value: func(f *query.Figures) (float64, bool) { return part(f.BounceRate) }, spell: percent,
		change: func(c *query.Changes) change {
			by, known := part(c.BounceRate.Absolute)
			return change{by, known, true}
		}},
	{name: "avgDurationMs", title: "Avg. duration", always: true,
		value:  func(f *query.Figures) (float64, bool) { return integer(f.AvgDurationMs) },
		spell:  func(x float64) string { return span(int64(x)) },
		change: func(c *query.Changes) change { return relative(c.AvgDurationMs.Relative) }},
	{name: "pagesPerSession", title: "Pages per session", always: true,
		value:  func(f *query.Figures) (float64, bool) { return part(f.PagesPerSession) },
		spell:  func(x float64) string { return decimals(x, 2) },
		change: func(c *query.Changes) change { return relative(c.PagesPerSession.Relative) }},
	{name: "conversions", title: "Conversions", value: func(f *query.Figures) (float64, bool) { return float64(f.Conversions), true },
		spell: whole, change: func(c *query.Changes) change { return relative(c.Conversions.Relative) }},
	{name: "newVisitors", title: "New visitors", value: func(f *query.Figures) (float64, bool) { return integer(f.NewVisitors) },
		spell: whole, change: func(c *query.Changes) change { return relative(c.NewVisitors.Relative) }},
	{name: "returningVisitors", title: "Returning", value: func(f *query.Figures) (float64, bool) { return natural(f.ReturningVisitors) },
		spell: whole, err: func(f *query.Figures) float64 { return f.ReturningError },
		change: func(c *query.Changes) change { return relative(c.ReturningVisitors.Relative) }},
	{name: "events", title: "Events", value: func(f *query.Figures) (float64, bool) { return float64(f.Events), true }, spell: whole,
		change: func(c *query.Changes) change { return relative(c.Events.Relative) }},
}

// figureOf returns the figure of a name; the first one if there is none of that name.
func figureOf(name string) figure {
	for _, f := range figures {
		if f.name == name {
			return f
		}
	}
	return figures[0]
}

// show spells the figure of a bucket or range.
func (f figure) show(of *query.Figures) string {
	x, ok := f.value(of)
	if !ok {
		return unknown
	}
	if f.err != nil && f.err(of) > 0 {
		return "~" + f.spell(x)
	}
	return f.spell(x)
}

func whole(x float64) string { return count(int64(x)) }

func natural(n *uint64) (float64, bool) {
	if n == nil {
		return 0, false
	}
	return float64(*n), true
}

func integer(n *int64) (float64, bool) {
	if n == nil {
		return 0, false
	}
	return float64(*n), true
}

func part(r *float64) (float64, bool) {
	if r == nil {
		return 0, false
	}
	return *r, true
}

func relative(r *float64) change {
	by, known := part(r)
	return change{by: by, known: known}
}

// A Tile is a figure of the range with its change.
type Tile struct {
	Title, Value, Error string // Error: of an estimate; "": it is exact
	Change, Trend       string // Trend is better, worse or same; "" with Change: there is no earlier range, or no figure in it
	Before              string // the earlier figure
	Address             string // of the page with the figure in its graph
	Shown               bool   // the graph shows it
	Defined             string // the name of the figure, which its definition has
}

// tiles are the figures of a range that are worth a tile.
func tiles(a query.StatsAnswer, at Address) (all []Tile) {
	if a.Totals == nil {
		return nil
	}
	for _, f := range figures {
		if slices.Contains(at.lacks, f.name) {
			continue
		}
		x, known := f.value(a.Totals)
		if shown := at.figure().name == f.name; !f.always && !shown && (!known || x == 0) {
			continue
		}
		t := Tile{Title: say(f.title), Value: f.show(a.Totals), Address: at.With("figure", f.name), Shown: at.figure().name == f.name,
			Defined: f.name}
		if f.err != nil && f.err(a.Totals) > 0 {
			t.Error = "± " + percent(f.err(a.Totals))
		}
		if p := a.Previous; p != nil && p.Totals != nil && p.Change != nil {
			if _, known := f.value(p.Totals); known && !(p.DataFrom != nil && !p.To.After(*p.DataFrom)) {
				t.Before = f.show(p.Totals)
			}
			c := f.change(p.Change)
			if t.Change, t.Trend = f.spellChange(c); t.Trend != "" && f.withinError(c, a.Totals, p.Totals) {
				t.Trend = "same"
			}
		}
		all = append(all, t)
	}
	return all
}

// withinError reports whether a change is no larger than the standard error of the difference of two estimates.
func (f figure) withinError(c change, now, before *query.Figures) bool {
	return f.err != nil && !c.points && math.Abs(c.by) <= math.Hypot(f.err(now), f.err(before))
}

// spellShort spells a relative change in whole percent, where there is little room.
func spellShort(by float64) (spelled, trend string) {
	spelled = signed(by, decimals(100*by, 0)+" %")
	switch {
	case by >= 0.005:
		return spelled, "better"
	case by <= -0.005:
		return spelled, "worse"
	}
	return "0 %", "same"
}

// spellChange spells a change and says whether it is one for the better.
func (f figure) spellChange(c change) (spelled, trend string) {
	if !c.known {
		return "", ""
	}
	spelled = signed(c.by, percent(c.by))
	if c.points {
		spelled = signed(c.by, say("%s points", decimals(100*c.by, 1)))
	}
	switch {
	case c.by == 0:
		return say("no change"), "same"
	case c.by > 0 != f.less:
		return spelled, "better"
	}
	return spelled, "worse"
}
