package lists

import (
	"slices"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// NoneNote says why a list of visitors has sessions in a row.
const NoneNote = "Visitors without a value are not counted. These are their sessions, with the share of all sessions."

// A noneFigure is what a list shows of events without a value.
type noneFigure struct {
	X     float64
	Share *float64
	Unit  string // what x counts, if the list counts something else; "": the same
}

// NoneOf returns what a list that is sorted by a figure shows of events without a value. ok is false if there is nothing.
func NoneOf(a query.TopAnswer, sort string) (f noneFigure, ok bool) {
	n := a.None
	if n == nil {
		return f, false
	}
	switch sort {
	case "pageViews":
		f = noneFigure{X: float64(n.PageViews), Share: n.Share}
	case "events":
		f = noneFigure{X: float64(n.Events), Share: n.Share}
	case "sessions":
		f = noneFigure{X: float64(n.Sessions), Share: n.Share}
	case "conversions":
		f = noneFigure{X: float64(n.Conversions), Share: n.Share}
	case "conversionValue":
		f = noneFigure{X: Amount(n.ConversionValue)}
	case "uniqueVisitors":
		all := n.Sessions + a.Other.Sessions
		for _, r := range a.Rows {
			all += r.Sessions
		}
		if f = (noneFigure{X: float64(n.Sessions), Unit: locale.Say("{session|sessions}", n.Sessions)}); all > 0 {
			f.Share = new(float64(n.Sessions) / float64(all))
		}
	}
	return f, f.X > 0
}

// NoneChange spells how what has no value has changed.
func NoneChange(f noneFigure, before *query.TopAnswer, sort string) (spelled, trend string) {
	if before == nil {
		return "", ""
	}
	if was, ok := NoneOf(*before, sort); ok {
		return locale.Change((f.X - was.X) / was.X)
	}
	return "", ""
}

// PlaceNone has events without a value be a row among the others. Sessions have the place that their share has among the shares of
// visitors. Of events it stays at the end: page views, which have no names, would dwarf the rest.
// It is the only row of sources if all visits are direct.
func (l *List) PlaceNone(a query.TopAnswer, s Section, before *query.TopAnswer, at links.Address) {
	f, ok := NoneOf(a, s.Sort)
	if !ok || s.Dimension == "event" || len(l.Rows) == 0 && s.Dimension != "referrer" || f.Unit != "" && f.Share == nil {
		return
	}
	l.Rest = slices.DeleteFunc(l.Rest, func(r ListRow) bool { return r.Value == locale.Say(NoneRow) })
	row := ListRow{Value: NoneText(s.Dimension), Figure: locale.Count(int64(f.X)), Unit: f.Unit, Share: ShareOf(f.Share),
		Filter: at.Adding(Filter(s.Dimension, s.Sort), "")}
	if f.Unit != "" {
		row.Note = locale.Say(NoneNote)
	}
	row.Change, row.Trend = NoneChange(f, before, s.Sort)
	row.Bar = l.barOf(f, a, s.Sort)
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
	if len(a.Rows) == 0 {
		return 100
	}
	first := a.Rows[0]
	if f.Unit == "" {
		return 100 * f.X / Listed(first.TopCounts, sort)
	}
	if first.Share == nil || *first.Share == 0 {
		return 0
	}
	return 100 * *f.Share / *first.Share
}
