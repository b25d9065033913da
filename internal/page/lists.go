package page

import (
	"fmt"
	"strconv"

	"github.com/footfall/footfall/query"
)

// A section is a list of values of a site's page.
type section struct{ title, dimension, sort, column string }

// sections are the lists in their order. They are read together.
var sections = []section{
	{"Pages", "page", "pageViews", "Views"},
	{"Sources", "referrer", "uniqueVisitors", "Visitors"},
	{"Entry pages", "page", "entries", "Entries"},
	{"Countries", "country", "uniqueVisitors", "Visitors"},
	{"Exit pages", "page", "exits", "Exits"},
	{"Cities", "city", "uniqueVisitors", "Visitors"},
	{"Channels", "channel", "uniqueVisitors", "Visitors"},
	{"Campaigns", "utm_campaign", "uniqueVisitors", "Visitors"},
	{"Devices", "device", "uniqueVisitors", "Visitors"},
	{"Operating systems", "os", "uniqueVisitors", "Visitors"},
	{"Browsers", "browser", "uniqueVisitors", "Visitors"},
	{"Events", "event", "events", "Events"},
}

// sectionRows is how many values a section shows.
const sectionRows = 8

// Lists are the questions of a site's page about its values, for [query.Reader.Tops].
func Lists() (all []query.TopList) {
	for _, s := range sections {
		all = append(all, query.TopList{Dimension: s.dimension, Sort: s.sort, Limit: sectionRows})
	}
	return all
}

// List is a table of values.
type List struct {
	Title, Column string
	Rows          []ListRow
	Rest          []ListRow // (none), (others): without bars
	More          string    // address of the whole list
	CSV           string
	Error         string // of the estimates among its figures; "": there are none
}

// ListRow is a value with a figure.
type ListRow struct {
	Value, Figure, Share string
	Bar                  float64 // percent of the greatest figure
	Bound                string  // how much the figure may lack; "": it is exact
}

// lists are the tables of a site's page, of the answers to Lists, and the titles of those that are empty.
func lists(answers []query.TopAnswer, at Address) (all []List, empty []string) { return listsOf(sections, answers, at) }

// listsOf are the tables of sections, of the answers to their questions.
func listsOf(sections []section, answers []query.TopAnswer, at Address) (all []List, empty []string) {
	for i, a := range answers {
		s := sections[i]
		l := List{Title: s.title, Column: s.column, More: at.Top(s.dimension, s.sort), CSV: at.API("top/"+s.dimension, "sort", s.sort)}
		greatest := 0.0
		for _, r := range a.Rows {
			greatest = max(greatest, listed(r.TopCounts, s.sort))
		}
		for _, r := range a.Rows {
			x := listed(r.TopCounts, s.sort)
			if x == 0 {
				continue // Pages that no session entered or left by.
			}
			row := ListRow{Value: valueText(r.Value), Figure: count(int64(x)), Share: shareOf(r.Share), Bar: 100 * x / greatest,
				Bound: bound(r, s.sort)}
			if s.sort == "uniqueVisitors" {
				if row.Figure = estimate(r.UniqueVisitors, r.VisitorsError); r.VisitorsError > 0 {
					l.Error = "± " + percent(r.VisitorsError)
				}
			}
			l.Rows = append(l.Rows, row)
		}
		if len(l.Rows) == 0 {
			empty = append(empty, s.title)
			continue
		}
		l.Rest = rest(a, s.sort)
		all = append(all, l)
	}
	return all, empty
}

// valueText is a value as a list shows it. One that is spelled as a row of several values is quoted.
func valueText(value string) string {
	if value == othersRow || value == noneRow {
		return strconv.Quote(value)
	}
	return text(value)
}

// What lists have in the place of a value: values that are not shown, and events without a value.
const othersRow, noneRow = "(others)", "(none)"

// listed is the figure that a section sorts by.
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
	return fmt.Sprintf("may lack up to %s events, from when the value had no row", count(int64(r.Uncertain)))
}

// rest are the rows of values that are not shown, and of events without a value.
func rest(a query.TopAnswer, sort string) (all []ListRow) {
	if x := listed(a.Other, sort); x > 0 {
		row := ListRow{Value: othersRow, Figure: count(int64(x)), Share: shareOf(a.Other.Share)}
		if sort == "uniqueVisitors" {
			row.Figure = estimate(a.Other.UniqueVisitors, a.Other.VisitorsError)
		}
		all = append(all, row)
	}
	if n := a.None; n != nil && n.Events > 0 && (sort != "pageViews" || n.PageViews > 0) {
		row := ListRow{Value: noneRow, Figure: unknown, Share: shareOf(n.Share)} // Visitors without a value are not counted.
		switch sort {
		case "pageViews":
			row.Figure = count(n.PageViews)
		case "events":
			row.Figure = count(n.Events)
		case "entries", "exits":
			return all
		default:
			row.Figure = count(n.Events) + " events"
		}
		all = append(all, row)
	}
	return all
}
