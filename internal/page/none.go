package page

import (
	"slices"

	"github.com/footfall/footfall/query"
)

// noneText is what a list calls events without a value. Without a referrer, visits are direct, or their source is not known.
func noneText(dimension string) string {
	if dimension == "referrer" {
		return say(directRow)
	}
	return say(noneRow)
}

// rowText is a value as a list of a dimension shows it; "" are events without a value.
func rowText(dimension, value string) string {
	if value == "" {
		return noneText(dimension)
	}
	if dimension == "country" && countryCode(value) {
		return countryText(value)
	}
	return valueText(value)
}

// codeOf is the code that a list has beside the name of a value; "": it has none.
func codeOf(dimension, value string) string {
	if dimension == "country" && countryCode(value) {
		return value
	}
	return ""
}

// noneNote says why a list of visitors has sessions in a row.
const noneNote = "Visitors without a value are not counted. These are their sessions, with the share of all sessions."

// A noneFigure is what a list shows of events without a value.
type noneFigure struct {
	x     float64
	share *float64
	unit  string // what x counts, if the list counts something else; "": the same
}

// noneOf returns what a list that is sorted by a figure shows of events without a value. ok is false if there is nothing.
func noneOf(a query.TopAnswer, sort string) (f noneFigure, ok bool) {
	n := a.None
	if n == nil {
		return f, false
	}
	switch sort {
	case "pageViews":
		f = noneFigure{x: float64(n.PageViews), share: n.Share}
	case "events":
		f = noneFigure{x: float64(n.Events), share: n.Share}
	case "sessions":
		f = noneFigure{x: float64(n.Sessions), share: n.Share}
	case "conversions":
		f = noneFigure{x: float64(n.Conversions), share: n.Share}
	case "uniqueVisitors":
		all := n.Sessions + a.Other.Sessions
		for _, r := range a.Rows {
			all += r.Sessions
		}
		if f = (noneFigure{x: float64(n.Sessions), unit: say("sessions")}); all > 0 {
			f.share = new(float64(n.Sessions) / float64(all))
		}
	}
	return f, f.x > 0
}

// noneChange spells how what has no value has changed.
func noneChange(f noneFigure, before *query.TopAnswer, sort string) (spelled, trend string) {
	if before == nil {
		return "", ""
	}
	if was, ok := noneOf(*before, sort); ok {
		return spellShort((f.x - was.x) / was.x)
	}
	return "", ""
}

// placeNone has events without a value be a row among the others. Sessions have the place that their share has among the shares of
// visitors. Of events it stays at the end: page views, which have no names, would dwarf the rest.
func (l *List) placeNone(a query.TopAnswer, s section, before *query.TopAnswer, at Address) {
	f, ok := noneOf(a, s.sort)
	if !ok || s.dimension == "event" || len(l.Rows) == 0 || f.unit != "" && f.share == nil {
		return
	}
	l.Rest = slices.DeleteFunc(l.Rest, func(r ListRow) bool { return r.Value == say(noneRow) })
	row := ListRow{Value: noneText(s.dimension), Figure: count(int64(f.x)), Unit: f.unit, Share: shareOf(f.share),
		Filter: at.adding(filter(s.dimension, s.sort), "")}
	if f.unit != "" {
		row.Note = say(noneNote)
	}
	row.Change, row.Trend = noneChange(f, before, s.sort)
	row.Bar = l.barOf(f, a, s.sort)
	if row.Bar > 100 {
		for i := range l.Rows {
			l.Rows[i].Bar *= 100 / row.Bar
		}
		row.Bar = 100
	}
	place := slices.IndexFunc(l.Rows, func(r ListRow) bool { return r.Bar < row.Bar })
	if place < 0 {
		place = len(l.Rows)
	}
	l.Rows = slices.Insert(l.Rows, place, row)
}

// barOf is the bar of what has no value, in percent of the greatest row's.
func (l *List) barOf(f noneFigure, a query.TopAnswer, sort string) float64 {
	first := a.Rows[0]
	if f.unit == "" {
		return 100 * f.x / listed(first.TopCounts, sort)
	}
	if first.Share == nil || *first.Share == 0 {
		return 0
	}
	return 100 * *f.share / *first.Share
}

// addNone adds what has no value to the rows of a filtered list, as a row with the value "". Events stay apart, as in placeNone.
func addNone(a *query.TopAnswer, c query.TopCounts, totals *query.FilteredTopCounts) {
	x := listed(c, a.Sort)
	if a.Dimension == "event" {
		a.None = &query.TopNone{Events: c.Events, PageViews: c.PageViews}
	}
	if a.Dimension == "event" || x == 0 {
		return
	}
	if totals != nil {
		if all := listed(filteredCounts(*totals), a.Sort); all > 0 {
			c.Share = new(x / all)
		}
	}
	at := slices.IndexFunc(a.Rows, func(r query.TopRow) bool { return listed(r.TopCounts, a.Sort) < x })
	if at < 0 {
		at = len(a.Rows)
	}
	a.Rows = slices.Insert(a.Rows, at, query.TopRow{TopCounts: c})
}
