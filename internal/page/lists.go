package page

import (
	"strconv"

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
	Bound                string  // how much the figure may lack; "": it is exact
	Filter               string  // address of the page with the value as a filter; "": there is none
}

// listOf is a list of an answer, with changes since an earlier one; nil: there is none. It has no rows if the answer has none.
func listOf(a query.TopAnswer, s section, before *query.TopAnswer, at Address) List {
	l := List{Title: say(s.title), Column: say(s.column), Defined: s.sort, Compared: before != nil, More: at.Top(s.dimension, s.sort),
		CSV: at.API("top/"+s.dimension, "sort", s.sort)}
	greatest := 0.0
	for _, r := range a.Rows {
		greatest = max(greatest, listed(r.TopCounts, s.sort))
	}
	earlier := byValue(before)
	for _, r := range a.Rows {
		x := listed(r.TopCounts, s.sort)
		if x == 0 {
			continue // Pages that no session entered or left by.
		}
		row := ListRow{Value: rowText(s.dimension, r.Value), Code: codeOf(s.dimension, r.Value), Figure: count(int64(x)),
			Share: shareOf(r.Share), Bar: 100 * x / greatest,
			Bound: bound(r, s.sort), Filter: at.adding(filter(s.dimension, s.sort), r.Value)}
		row.Change, row.Trend = changeOf(x, r.Value, s.sort, before, earlier)
		if s.sort == "uniqueVisitors" {
			if row.Figure = estimate(r.UniqueVisitors, r.VisitorsError); r.VisitorsError > 0 {
				l.Error = "± " + percent(r.VisitorsError)
			}
		}
		l.Rows = append(l.Rows, row)
	}
	if len(l.Rows) > 0 {
		l.Rest = rest(a, s.sort)
	}
	return l
}

// byValue are the rows of an answer by their values.
func byValue(a *query.TopAnswer) map[string]*query.TopRow {
	if a == nil {
		return nil
	}
	rows := make(map[string]*query.TopRow, len(a.Rows))
	for i := range a.Rows {
		rows[a.Rows[i].Value] = &a.Rows[i]
	}
	return rows
}

// changeOf spells how a value's figure has changed. A value that the earlier range lacks is new if all its values are known.
func changeOf(x float64, value, sort string, before *query.TopAnswer, earlier map[string]*query.TopRow) (spelled, trend string) {
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
		return say("new"), "better"
	}
	if was := listed(row.TopCounts, sort); was > 0 {
		return spellShort((x - was) / was)
	}
	return "", ""
}

// valueText is a value as a list shows it. One that is spelled as a row of several values is quoted.
func valueText(value string) string {
	if value == othersRow || value == noneRow || value == directRow {
		return strconv.Quote(value)
	}
	return text(value)
}

// What lists have in the place of a value: values that are not shown, and events without a value.
const othersRow, noneRow, directRow = "(others)", "(none)", "Direct / none"

// summed are the figures whose changes are shown: rates and averages are not among them.
var summed = []string{"uniqueVisitors", "pageViews", "entries", "exits", "events", "sessions", "conversions"}

// listed is one of the figures of summed.
func listed(c query.TopCounts, sort string) float64 {
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
	}
	return float64(c.UniqueVisitors)
}

func shareOf(r *float64) string {
	if r == nil {
		return ""
	}
	return percent(*r)
}

// bound says how much a row may lack.
func bound(r query.TopRow, sort string) string {
	if r.Uncertain == 0 || sort == "entries" || sort == "exits" {
		return ""
	}
	return say("may lack up to %s events, from when the value had no row", count(int64(r.Uncertain)))
}

// rest are the rows of values that are not shown, and of events without a value.
func rest(a query.TopAnswer, sort string) (all []ListRow) {
	if x := listed(a.Other, sort); x > 0 {
		row := ListRow{Value: say(othersRow), Figure: count(int64(x)), Share: shareOf(a.Other.Share)}
		if sort == "uniqueVisitors" {
			row.Figure = estimate(a.Other.UniqueVisitors, a.Other.VisitorsError)
		}
		all = append(all, row)
	}
	if n := a.None; n != nil && n.Events > 0 && (sort != "pageViews" || n.PageViews > 0) {
		row := ListRow{Value: say(noneRow), Figure: unknown, Share: shareOf(n.Share)} // Visitors without a value are not counted.
		switch sort {
		case "pageViews":
			row.Figure = count(n.PageViews)
		case "events":
			row.Figure = count(n.Events)
		case "sessions":
			row.Figure = count(n.Sessions)
		case "entries", "exits":
			return all
		default:
			row.Figure = say("%s events", count(n.Events))
		}
		all = append(all, row)
	}
	return all
}
