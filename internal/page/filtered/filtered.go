package filtered

import (
	"slices"

	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/query"
)

// Lists are the questions of a site's page about its values under filters, for [query.Reader.FilteredLists]: those of Lists.
func Lists(where []query.Condition) (all []query.TopList) {
	for _, s := range lists.Sections() {
		s = UnderScope(s, query.ScopeOf(where))
		all = append(all, query.TopList{Dimension: s.Dimension, Sort: s.Sort, Limit: lists.SectionRows})
	}
	return all
}

// UnderScope is the section of a page whose filters have a scope. Breakdowns of pages have their entries and exits; raw events have
// sessions by entry and exit page, or visitors of events by that of their session.
func UnderScope(s lists.Section, scope query.Scope) lists.Section {
	of, _ := Dimension(s.Dimension, s.Sort)
	if of == s.Dimension {
		return s
	}
	if s.Dimension, s.Sort = of, "sessions"; scope == query.ScopeEvents {
		s.Sort, s.Column = "uniqueVisitors", "Visitors"
	}
	return s
}

// Dimension is the dimension of a list under filters, and its figure: those of a list of pages by entries or exits are others.
func Dimension(dimension, sort string) (of, by string) {
	if by := lists.Filter(dimension, sort); by != dimension {
		return by, "sessions"
	}
	return dimension, sort
}

// Sortable reports whether a list under filters can be sorted by a figure.
func Sortable(sort string) bool { return slices.Contains(query.FilteredTopFigures, sort) }

// Sort is the figure by which a filtered list of a scope is sorted; "": by the default, because the figure that is asked for is
// not known.
func Sort(sort string, scope query.Scope) string {
	ofEvents := []string{"uniqueVisitors", "pageViews", "events", "valueSum"}
	if Sortable(sort) && (scope == query.ScopeSessions || slices.Contains(ofEvents, sort)) {
		return sort
	}
	return ""
}

// Top is a filtered list as the page has lists. What has no value is a row with the value "", since its visitors are known, too.
func Top(a query.FilteredTopAnswer) query.TopAnswer {
	t := query.TopAnswer{Site: a.Site, Known: a.Known, Dimension: a.Dimension, Zone: a.Zone, From: a.From, To: a.To, Sort: a.Sort,
		MinCount: a.MinCount,
		Values:   a.Values}
	for _, r := range a.Rows {
		c := counts(r.FilteredTopCounts)
		c.Share = r.Share
		t.Rows = append(t.Rows, query.TopRow{Value: r.Value, TopCounts: c})
	}
	if n := a.None; n != nil {
		addNone(&t, counts(*n), a.Totals)
	}
	return t
}

func counts(f query.FilteredTopCounts) query.TopCounts {
	c := query.TopCounts{Events: f.Events, PageViews: f.PageViews, UniqueVisitors: f.UniqueVisitors, VisitorsError: f.VisitorsError,
		Sessions: orZero(f.Sessions), BounceRate: f.BounceRate, AvgDurationMs: f.AvgDurationMs}
	c.Conversions, c.ConvertedSessions, c.ConversionRate = orZero(f.Conversions), orZero(f.ConvertedSessions), f.ConversionRate
	c.ConversionValue, c.Values, c.ValueSum = orEmpty(f.ConversionValue), orZero(f.Values), orEmpty(f.ValueSum)
	return c
}

// TopsBefore are the figures of the earlier range of filtered lists, in the order of Lists; nil: they are not compared.
func TopsBefore(answers []query.FilteredList) (tops []query.TopAnswer) {
	compared := false
	for _, l := range answers {
		top := query.TopAnswer{Cursor: locale.Unknown} // It may have had any value.
		if l.Before != nil {
			top.Cursor, compared = "", true
			for value, f := range l.Before {
				top.Rows = append(top.Rows, query.TopRow{Value: value, TopCounts: counts(f)})
			}
		}
		tops = append(tops, top)
	}
	if !compared {
		return nil
	}
	return tops
}

// Tops are filtered lists in the order of Lists, and why some are not there, as says has it with [Text] or [Say]; "": they are.
func Tops(answers []query.FilteredList, says func(error) string) (tops []query.TopAnswer, why []string) {
	for n := range lists.Sections() {
		switch {
		case n >= len(answers):
			tops, why = append(tops, query.TopAnswer{}), append(why, locale.Say("Not read: it needs raw events."))
		case answers[n].Refused != nil:
			tops, why = append(tops, query.TopAnswer{}), append(why, says(answers[n].Refused))
		default:
			tops, why = append(tops, Top(answers[n].FilteredTopAnswer)), append(why, "")
		}
	}
	return tops, why
}

// addNone adds what has no value to the rows of a filtered list, as a row with the value "". Events stay apart, as in placeNone. By a
// figure that is no sum, such as a rate, it is the last row.
func addNone(a *query.TopAnswer, c query.TopCounts, totals *query.FilteredTopCounts) {
	x, summed := lists.Listed(c, a.Sort), slices.Contains(lists.Summed, a.Sort)
	if !summed {
		x = float64(c.Events + c.Sessions)
	}
	if a.Dimension == "event" {
		a.None = &query.TopNone{Events: c.Events, PageViews: c.PageViews}
	}
	if a.Dimension == "event" || x == 0 {
		return
	}
	if totals != nil && summed {
		if all := lists.Listed(counts(*totals), a.Sort); all > 0 {
			c.Share = new(x / all)
		}
	}
	at := slices.IndexFunc(a.Rows, func(r query.TopRow) bool { return lists.Listed(r.TopCounts, a.Sort) < x })
	if at < 0 || !summed {
		at = len(a.Rows)
	}
	a.Rows = slices.Insert(a.Rows, at, query.TopRow{TopCounts: c})
}
