package lists

import (
	"slices"
	"strconv"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// List is a table of values.
type List struct {
	Title, Column string
	Defined       string // the name of the figure, which its definition has
	Compared      bool   // rows have changes
	Rows          []ListRow
	Rest          []ListRow // (none), (others): without bars
	More          string    // address of the whole list
	CSV           string
	Error         string // of the estimates among its figures; "": there are none
}

// ListRow is a value with a figure.
type ListRow struct {
	Value, Figure, Share string
	Code                 string  // of the value, if Value is its name; "": Value is the value itself
	Unit, Note           string  // what Figure counts and why, if the other rows count something else; "": the same
	Change, Trend        string  // since the earlier range; "": not known
	Bar                  float64 // percent of the greatest figure
	Sum                  string  // of the values of a named event; "": it has none
	Bound                string  // how much the figure may lack; "": it is exact
	Filter               string  // address of the page with the value as a filter; "": there is none
}

// New is a list of an answer, with changes since an earlier one; nil: there is none. It has no rows if the answer has none.
func New(a query.TopAnswer, s Section, before *query.TopAnswer, at links.Address) List {
	l := List{Title: locale.Say(s.Title), Column: locale.Say(s.Column), Defined: s.Sort, Compared: before != nil,
		More: at.Top(s.Dimension, s.Sort), CSV: at.API("top/"+s.Dimension, "sort", s.Sort)}
	greatest := 0.0
	for _, r := range a.Rows {
		greatest = max(greatest, Listed(r.TopCounts, s.Sort))
	}
	earlier := ByValue(before)
	for _, r := range a.Rows {
		x := Listed(r.TopCounts, s.Sort)
		if x == 0 {
			continue // Pages that no session entered or left by.
		}
		row := ListRow{Value: RowText(s.Dimension, r.Value), Code: CodeOf(s.Dimension, r.Value), Figure: locale.Count(int64(x)),
			Share: ShareOf(r.Share), Bar: 100 * x / greatest,
			Bound: Bound(r, s.Sort), Filter: at.Adding(Filter(s.Dimension, s.Sort), r.Value)}
		row.Change, row.Trend = ChangeOf(x, r.Value, s.Sort, before, earlier)
		if s.Sort == "uniqueVisitors" {
			if row.Figure = locale.Estimate(r.UniqueVisitors, r.VisitorsError); r.VisitorsError > 0 {
				l.Error = "± " + locale.Percent(r.VisitorsError)
			}
		}
		if s.Dimension == "event" && r.Values > 0 {
			row.Sum = locale.Decimal(r.ValueSum)
		}
		l.Rows = append(l.Rows, row)
	}
	if len(l.Rows) > 0 {
		l.Rest = rest(a, s.Sort)
	}
	return l
}

// ByValue are the rows of an answer by their values.
func ByValue(a *query.TopAnswer) map[string]*query.TopRow {
	if a == nil {
		return nil
	}
	rows := make(map[string]*query.TopRow, len(a.Rows))
	for i := range a.Rows {
		rows[a.Rows[i].Value] = &a.Rows[i]
	}
	return rows
}

// ChangeOf spells how a value's figure has changed. A value that the earlier range lacks is new if all its values are known.
func ChangeOf(x float64, value, sort string, before *query.TopAnswer, earlier map[string]*query.TopRow) (spelled, trend string) {
	if before == nil {
		return "", ""
	}
	row := earlier[value]
	if row == nil && value == "" {
		return "", "" // What has no value may not have been looked at.
	}
	if row == nil {
		if before.Cursor != "" || before.AbsentAtMost > 0 || before.NotBrokenDown > 0 {
			return "", ""
		}
		return locale.Say("new"), "better"
	}
	if was := Listed(row.TopCounts, sort); was > 0 {
		return locale.Change((x - was) / was)
	}
	return "", ""
}

// Summed are the figures that are counts, so that rows have shares of them.
var Summed = []string{"uniqueVisitors", "pageViews", "entries", "exits", "events", "sessions", "conversions"}

// Changing are the figures whose changes are shown: rates and averages are not among them.
var Changing = append(slices.Clone(Summed), "conversionValue", "valueSum")

// Amount is a sum of values, "" of none, as a number to compare.
func Amount(decimal string) float64 {
	x, _ := strconv.ParseFloat(decimal, 64)
	return x
}

// Listed is one of the figures of Changing.
func Listed(c query.TopCounts, sort string) float64 {
	switch sort {
	case "pageViews":
		return float64(c.PageViews)
	case "entries":
		return float64(c.Entries)
	case "exits":
		return float64(c.Exits)
	case "events":
		return float64(c.Events)
	case "sessions":
		return float64(c.Sessions)
	case "conversions":
		return float64(c.Conversions)
	case "conversionValue":
		return Amount(c.ConversionValue)
	case "valueSum":
		return Amount(c.ValueSum)
	}
	return float64(c.UniqueVisitors)
}

// ShareOf spells a share; "": there is none.
func ShareOf(r *float64) string {
	if r == nil {
		return ""
	}
	return locale.Percent(*r)
}

// Bound says how much a row may lack.
func Bound(r query.TopRow, sort string) string {
	if r.Uncertain == 0 || sort == "entries" || sort == "exits" {
		return ""
	}
	return locale.Say("may lack up to %s {event|events}, from when the value had no row", locale.Count(int64(r.Uncertain)))
}

// rest are the rows of values that are not shown, and of events without a value.
func rest(a query.TopAnswer, sort string) (all []ListRow) {
	if x := Listed(a.Other, sort); x > 0 {
		row := ListRow{Value: locale.Say(OthersRow), Figure: locale.Count(int64(x)), Share: ShareOf(a.Other.Share)}
		if sort == "uniqueVisitors" {
			row.Figure = locale.Estimate(a.Other.UniqueVisitors, a.Other.VisitorsError)
		}
		all = append(all, row)
	}
	if n := a.None; n != nil && n.Events > 0 && (sort != "pageViews" || n.PageViews > 0) {
		row := ListRow{Value: locale.Say(NoneRow), Figure: locale.Unknown, Share: ShareOf(n.Share)} // Visitors without a value are not counted.
		switch sort {
		case "pageViews":
			row.Figure = locale.Count(n.PageViews)
		case "events":
			row.Figure = locale.Count(n.Events)
		case "sessions":
			row.Figure = locale.Count(n.Sessions)
		case "entries", "exits":
			return all
		default:
			row.Figure = locale.Say("%s {event|events}", locale.Count(n.Events))
		}
		all = append(all, row)
	}
	return all
}
