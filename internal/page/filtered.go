package page

import (
	"slices"

	"github.com/footfall/footfall/query"
)

// FilteredLists are the questions of a site's page about its values under filters, for [query.Reader.FilteredLists]: those of Lists.
func FilteredLists(where []query.Condition) (all []query.TopList) {
	for _, s := range sections() {
		s = s.under(query.ScopeOf(where))
		all = append(all, query.TopList{Dimension: s.dimension, Sort: s.sort, Limit: sectionRows})
	}
	return all
}

// under is the section of a page whose filters have a scope. Breakdowns of pages have their entries and exits; raw events have sessions by
// entry and exit page, or visitors of events by that of their session.
func (s section) under(scope query.Scope) section {
	of, _ := FilteredDimension(s.dimension, s.sort)
	if of == s.dimension {
		return s
	}
	if s.dimension, s.sort = of, "sessions"; scope == query.ScopeEvents {
		s.sort, s.column = "uniqueVisitors", "Visitors"
	}
	return s
}

// FilteredDimension is the dimension of a list under filters, and its figure: those of a list of pages by entries or exits are others.
func FilteredDimension(dimension, sort string) (of, by string) {
	if by := filter(dimension, sort); by != dimension {
		return by, "sessions"
	}
	return dimension, sort
}

func filteredSort(sort string) bool { return slices.Contains(query.FilteredTopFigures, sort) }

// FilteredSort is the figure by which a filtered list of a scope is sorted; "": by the default, because the figure that is asked for is
// not known.
func FilteredSort(sort string, scope query.Scope) string {
	if filteredSort(sort) && (scope == query.ScopeSessions || slices.Contains([]string{"uniqueVisitors", "pageViews", "events"}, sort)) {
		return sort
	}
	return ""
}

// lacking are the figures that are not known under filters.
func lacking(scope query.Scope) []string {
	all := []string{"conversions", "newVisitors", "returningVisitors"}
	if scope == query.ScopeEvents {
		all = append(all, "sessions", "bounceRate", "avgDurationMs", "pagesPerSession")
	}
	return all
}

// notUnderFilters says what a page under filters lacks.
const notUnderFilters = "Realtime figures, funnels and new visitors cannot be filtered: remove the filters to see them."

// FilteredStats is a filtered answer as the page has figures. Those that are not known under filters are 0: the page leaves them out.
func FilteredStats(a query.FilteredStatsAnswer) query.StatsAnswer {
	s := query.StatsAnswer{Site: a.Site, Known: a.Known, By: a.By, Zone: a.Zone, From: a.From, To: a.To, InProgress: a.InProgress,
		Incomplete: a.ExpiredOmitted > 0, Coverage: a.Coverage}
	for _, b := range a.Buckets {
		s.Buckets = append(s.Buckets, filteredBucket(b))
	}
	if a.Totals != nil {
		s.Totals = new(filteredFigures(*a.Totals))
	}
	if p := a.Previous; p != nil {
		s.Previous = &query.Previous{From: p.From, To: p.To, DataFrom: p.DataFrom, ToDate: p.ToDate, ByBucket: p.ByBucket}
		if p.Totals != nil && p.Change != nil {
			s.Previous.Totals, s.Previous.Change = new(filteredFigures(*p.Totals)), new(filteredChanges(*p.Change))
		}
	}
	return s
}

func filteredBucket(b query.FilteredBucket) query.Bucket {
	own := query.Bucket{Start: b.Start, End: b.End, Partial: b.Partial, InProgress: b.InProgress, Figures: filteredFigures(b.FilteredFigures)}
	if b.Previous != nil {
		own.Previous = new(filteredBucket(*b.Previous))
	}
	if b.Change != nil {
		own.Change = new(filteredChanges(*b.Change))
	}
	return own
}

// filteredChanges are the changes of the figures that filteredFigures has.
func filteredChanges(c query.FilteredChanges) query.Changes {
	known := query.Change[*int64]{Absolute: &c.UniqueVisitors.Absolute, Relative: c.UniqueVisitors.Relative}
	return query.Changes{PageViews: c.PageViews, Events: c.Events, UniqueVisitors: known,
		Sessions:   query.Change[int64]{Absolute: orZero(c.Sessions.Absolute), Relative: c.Sessions.Relative},
		BounceRate: c.BounceRate, AvgDurationMs: c.AvgDurationMs, PagesPerSession: c.PerSession}
}

func filteredFigures(f query.FilteredFigures) query.Figures {
	return query.Figures{PageViews: f.PageViews, Events: f.Events, UniqueVisitors: &f.UniqueVisitors, VisitorsError: f.VisitorsError,
		Sessions: orZero(f.Sessions), BounceRate: f.BounceRate, AvgDurationMs: f.AvgDurationMs, PagesPerSession: f.PerSession}
}

// FilteredTop is a filtered list as the page has lists. What has no value is a row with the value "", since its visitors are known, too.
func FilteredTop(a query.FilteredTopAnswer) query.TopAnswer {
	t := query.TopAnswer{Site: a.Site, Known: a.Known, Dimension: a.Dimension, Zone: a.Zone, From: a.From, To: a.To, Sort: a.Sort,
		Values: a.Values}
	for _, r := range a.Rows {
		c := filteredCounts(r.FilteredTopCounts)
		c.Share = r.Share
		t.Rows = append(t.Rows, query.TopRow{Value: r.Value, TopCounts: c})
	}
	if n := a.None; n != nil {
		addNone(&t, filteredCounts(*n), a.Totals)
	}
	return t
}

func filteredCounts(f query.FilteredTopCounts) query.TopCounts {
	c := query.TopCounts{Events: f.Events, PageViews: f.PageViews, UniqueVisitors: f.UniqueVisitors, VisitorsError: f.VisitorsError,
		Sessions: orZero(f.Sessions), BounceRate: f.BounceRate, AvgDurationMs: f.AvgDurationMs}
	c.Conversions, c.ConvertedSessions, c.ConversionRate = orZero(f.Conversions), orZero(f.ConvertedSessions), f.ConversionRate
	if f.ConversionValue != nil {
		c.ConversionValue = *f.ConversionValue
	}
	return c
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// FilteredTopsBefore are the figures of the earlier range of filtered lists, in the order of Lists; nil: they are not compared.
func FilteredTopsBefore(lists []query.FilteredList) (tops []query.TopAnswer) {
	compared := false
	for _, l := range lists {
		top := query.TopAnswer{Cursor: unknown} // It may have had any value.
		if l.Before != nil {
			top.Cursor, compared = "", true
			for value, f := range l.Before {
				top.Rows = append(top.Rows, query.TopRow{Value: value, TopCounts: filteredCounts(f)})
			}
		}
		tops = append(tops, top)
	}
	if !compared {
		return nil
	}
	return tops
}

// FilteredTops are filtered lists in the order of Lists, and why some are not there, as says has it with [Text] or [Say]; "": they are.
func FilteredTops(lists []query.FilteredList, says func(error) string) (tops []query.TopAnswer, why []string) {
	for n := range sections() {
		switch {
		case n >= len(lists):
			tops, why = append(tops, query.TopAnswer{}), append(why, say("Not read: it needs raw events."))
		case lists[n].Refused != nil:
			tops, why = append(tops, query.TopAnswer{}), append(why, says(lists[n].Refused))
		default:
			tops, why = append(tops, FilteredTop(lists[n].FilteredTopAnswer)), append(why, "")
		}
	}
	return tops, why
}
