package page

import (
	"math"
	"reflect"
	"slices"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query"
)

// A figure is one that a tile and the graph can show.
type figure struct {
	name, title string // name as in the JSON of [query.Figures]
	less        bool   // less is better
	always      bool   // the tile is shown also if the figure is 0 or not known
}

// A change is a difference; known says whether there is one, and points that it is one of percentages.
type change struct {
	by     float64
	known  bool
	points bool
}

// Figures are the names of figures that the graph can show.
func Figures() (names []string) {
	for _, f := range tiled {
		names = append(names, f.name)
	}
	return names
}

// tiled are the figures of tiles, in their order.
var tiled = []figure{
	{name: "uniqueVisitors", title: "Visitors", always: true},
	{name: "pageViews", title: "Page views", always: true},
	{name: "sessions", title: "Sessions", always: true},
	{name: "bounceRate", title: "Bounce rate", always: true, less: true},
	{name: "avgDurationMs", title: "Avg. duration", always: true},
	{name: "pagesPerSession", title: "Pages per session", always: true},
	{name: "conversions", title: "Conversions"},
	{name: "newVisitors", title: "New visitors"},
	{name: "returningVisitors", title: "Returning"},
	{name: "events", title: "Events"},
}

// fields are the figures of [query.Figures] by name.
var fields = func() map[string]figures.Field {
	all := make(map[string]figures.Field)
	for _, f := range figures.FieldsOf[query.Figures]() {
		all[f.Name] = f
	}
	return all
}()

// changed are the fields of [query.Changes] by the names of the figures.
var changed = func() map[string]int {
	all := make(map[string]int)
	for _, f := range figures.FieldsOf[query.Changes]() {
		all[f.Name] = f.Index
	}
	return all
}()

// value returns the figure; ok is false if it is not known.
func (f figure) value(of *query.Figures) (x float64, ok bool) {
	return figures.Number(reflect.ValueOf(of).Elem().Field(fields[f.name].Index))
}

func (f figure) spell(x float64) string {
	switch fields[f.name].Unit {
	case figures.Percentage:
		return percent(x)
	case figures.Span:
		return span(int64(x))
	case figures.Ratio:
		return decimals(x, 2)
	}
	return count(int64(x))
}

// estimated reports whether the figure may be an estimate.
func (f figure) estimated() bool { return fields[f.name].Unit == figures.Estimate }

// err returns the relative standard error of an estimate; 0: the figure is exact.
func (f figure) err(of *query.Figures) float64 {
	if !f.estimated() {
		return 0
	}
	x, _ := figures.Number(reflect.ValueOf(of).Elem().Field(fields[f.name+"Error"].Index))
	return x
}

// change returns how the figure differs from an earlier one.
func (f figure) change(of *query.Changes) change {
	c := reflect.ValueOf(of).Elem().Field(changed[f.name])
	if fields[f.name].Unit == figures.Percentage {
		by, known := figures.Number(c.FieldByName("Absolute"))
		return change{by, known, true}
	}
	by, known := figures.Number(c.FieldByName("Relative"))
	return change{by: by, known: known}
}

// figureOf returns the figure of a name; the first one if there is none of that name.
func figureOf(name string) figure {
	for _, f := range tiled {
		if f.name == name {
			return f
		}
	}
	return tiled[0]
}

// show spells the figure of a bucket or range.
func (f figure) show(of *query.Figures) string {
	x, ok := f.value(of)
	if !ok {
		return unknown
	}
	if f.err(of) > 0 {
		return "~" + f.spell(x)
	}
	return f.spell(x)
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
	for _, f := range tiled {
		if slices.Contains(at.lacks, f.name) {
			continue
		}
		x, known := f.value(a.Totals)
		if shown := at.figure().name == f.name; !f.always && !shown && (!known || x == 0) {
			continue
		}
		t := Tile{Title: say(f.title), Value: f.show(a.Totals), Address: at.With("figure", f.name), Shown: at.figure().name == f.name,
			Defined: f.name}
		if f.err(a.Totals) > 0 {
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
	return f.estimated() && !c.points && math.Abs(c.by) <= math.Hypot(f.err(now), f.err(before))
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
