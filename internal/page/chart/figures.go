package chart

import (
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// A Figure is one that a tile and the graph can show.
type Figure struct {
	Name, Title string // Name as in the JSON of [query.Figures]
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
	for _, f := range All {
		names = append(names, f.Name)
	}
	return names
}

// All are the figures of tiles, in their order.
var All = []Figure{
	{Name: "uniqueVisitors", Title: "Visitors", always: true},
	{Name: "pageViews", Title: "Page views", always: true},
	{Name: "sessions", Title: "Sessions", always: true},
	{Name: "bounceRate", Title: "Bounce rate", always: true, less: true},
	{Name: "avgDurationMs", Title: "Avg. duration", always: true},
	{Name: "pagesPerSession", Title: "Pages per session", always: true},
	{Name: "valueSum", Title: "Value"},
	{Name: "conversions", Title: "Conversions"},
	{Name: "newVisitors", Title: "New visitors"},
	{Name: "returningVisitors", Title: "Returning"},
	{Name: "events", Title: "Events"},
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

// Value returns the figure; ok is false if it is not known.
func (f Figure) Value(of *query.Figures) (x float64, ok bool) {
	return figures.Number(reflect.ValueOf(of).Elem().Field(fields[f.Name].Index))
}

func (f Figure) spell(x float64) string {
	switch fields[f.Name].Unit {
	case figures.Percentage:
		return locale.Percent(x)
	case figures.Span:
		return locale.Span(int64(x))
	case figures.Ratio:
		return locale.Decimals(x, 2)
	case figures.DecimalText:
		return locale.Decimal(strconv.FormatFloat(math.Round(1e6*x)/1e6, 'f', -1, 64))
	}
	return locale.Count(int64(x))
}

// estimated reports whether the figure may be an estimate.
func (f Figure) estimated() bool { return fields[f.Name].Unit == figures.Estimate }

// err returns the relative standard error of an estimate; 0: the figure is exact.
func (f Figure) err(of *query.Figures) float64 {
	if !f.estimated() {
		return 0
	}
	x, _ := figures.Number(reflect.ValueOf(of).Elem().Field(fields[f.Name+"Error"].Index))
	return x
}

// Change returns how the figure differs from an earlier one.
func (f Figure) Change(of *query.Changes) change {
	c := reflect.ValueOf(of).Elem().Field(changed[f.Name])
	if fields[f.Name].Unit == figures.Percentage {
		by, known := figures.Number(c.FieldByName("Absolute"))
		return change{by, known, true}
	}
	by, known := figures.Number(c.FieldByName("Relative"))
	return change{by: by, known: known}
}

// FigureOf returns the figure of a name; the first one if there is none of that name.
func FigureOf(name string) Figure {
	for _, f := range All {
		if f.Name == name {
			return f
		}
	}
	return All[0]
}

// shownAt is the figure that the graph of an address shows.
func shownAt(at links.Address) Figure {
	if slices.Contains(at.Lacks, at.Values["figure"]) {
		return All[0]
	}
	return FigureOf(at.Values["figure"])
}

// Show spells the figure of a bucket or range.
func (f Figure) Show(of *query.Figures) string {
	x, ok := f.Value(of)
	if !ok {
		return locale.Unknown
	}
	switch {
	case f.err(of) > 0:
		return "~" + f.spell(x)
	case fields[f.Name].Unit == figures.DecimalText: // A number of 64 bits has fewer digits.
		return locale.Decimal(reflect.ValueOf(of).Elem().Field(fields[f.Name].Index).String())
	}
	return f.spell(x)
}

// given reports whether figures have the figure: it is not 0, or a sum of values.
func (f Figure) given(of *query.Figures) bool {
	x, known := f.Value(of)
	if with := fields[f.Name].With; known && x == 0 && with != "" {
		x, _ = Figure{Name: with}.Value(of)
	}
	return known && x != 0
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

// Tiles are the figures of a range that are worth a tile.
func Tiles(a query.StatsAnswer, at links.Address) (all []Tile) {
	if a.Totals == nil {
		return nil
	}
	for _, f := range All {
		if slices.Contains(at.Lacks, f.Name) {
			continue
		}
		_, known := f.Value(a.Totals)
		given := f.given(a.Totals) || known && a.Previous != nil && a.Previous.Totals != nil && f.given(a.Previous.Totals)
		if shown := shownAt(at).Name == f.Name; !f.always && !shown && !given {
			continue
		}
		t := Tile{Title: locale.Say(f.Title), Value: f.Show(a.Totals), Address: at.With("figure", f.Name), Shown: shownAt(at).Name == f.Name,
			Defined: f.Name}
		if f.err(a.Totals) > 0 {
			t.Error = "± " + locale.Percent(f.err(a.Totals))
		}
		if p := a.Previous; p != nil && p.Totals != nil && p.Change != nil {
			if _, known := f.Value(p.Totals); known && !(p.DataFrom != nil && !p.To.After(*p.DataFrom)) {
				t.Before = f.Show(p.Totals)
			}
			c := f.Change(p.Change)
			if t.Change, t.Trend = f.SpellChange(c); t.Trend != "" && f.withinError(c, a.Totals, p.Totals) {
				t.Trend = "same"
			}
		}
		all = append(all, t)
	}
	return all
}

// withinError reports whether a change is no larger than the standard error of the difference of two estimates.
func (f Figure) withinError(c change, now, before *query.Figures) bool {
	return f.estimated() && !c.points && math.Abs(c.by) <= math.Hypot(f.err(now), f.err(before))
}

// SpellChange spells a change and says whether it is one for the better.
func (f Figure) SpellChange(c change) (spelled, trend string) {
	if !c.known {
		return "", ""
	}
	spelled = locale.Signed(c.by, locale.Percent(c.by))
	if c.points {
		spelled = locale.Signed(c.by, locale.Say("%s {point|points}", locale.Decimals(100*c.by, 1)))
	}
	switch {
	case c.by == 0:
		return locale.Say("no change"), "same"
	case c.by > 0 != f.less:
		return spelled, "better"
	}
	return spelled, "worse"
}
