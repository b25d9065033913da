package page

import (
	"slices"

	"github.com/footfall/footfall/query"
)

// FilteredLists are the questions of a site's page about its values under filters, for [query.Reader.FilteredLists]: those of Lists whose
// figure is known then.
func FilteredLists() (all []query.TopList) {
	for _, s := range sections() {
		if filteredSort(s.sort) {
			all = append(all, query.TopList{Dimension: s.dimension, Sort: s.sort, Limit: sectionRows})
		}
	}
	return all
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
const notUnderFilters = "Under filters the page shows no comparison, goals, funnels, new visitors or realtime figures."

// FilteredStats is a filtered answer as the page has figures. Those that are not known under filters are 0: the page leaves them out.
func FilteredStats(a query.FilteredStatsAnswer) query.StatsAnswer {
	s := query.StatsAnswer{Site: a.Site, Known: a.Known, By: a.By, Zone: a.Zone, From: a.From, To: a.To, InProgress: a.InProgress,
		Incomplete: a.ExpiredOmitted > 0}
	for _, b := range a.Buckets {
		s.Buckets = append(s.Buckets, query.Bucket{Start: b.Start, End: b.End, Partial: b.Partial, InProgress: b.InProgress,
			Figures: filteredFigures(b.FilteredFigures)})
	}
	if a.Totals != nil {
		s.Totals = new(filteredFigures(*a.Totals))
	}
	return s
}

func filteredFigures(f query.FilteredFigures) query.Figures {
	return query.Figures{PageViews: f.PageViews, Events: f.Events, UniqueVisitors: &f.UniqueVisitors, VisitorsError: f.VisitorsError,
		Sessions: orZero(f.Sessions), BounceRate: f.BounceRate, AvgDurationMs: f.AvgDurationMs, PagesPerSession: f.PerSession}
}

// FilteredTop is a filtered list as the page has lists.
func FilteredTop(a query.FilteredTopAnswer) query.TopAnswer {
	t := query.TopAnswer{Site: a.Site, Known: a.Known, Dimension: a.Dimension, Zone: a.Zone, From: a.From, To: a.To, Sort: a.Sort,
		Values: a.Values}
	for _, r := range a.Rows {
		c := filteredCounts(r.FilteredFigures)
		c.Share = r.Share
		t.Rows = append(t.Rows, query.TopRow{Value: r.Value, TopCounts: c})
	}
	if n := a.None; n != nil {
		c := filteredCounts(*n)
		t.None = &query.TopNone{Events: c.Events, PageViews: c.PageViews, Sessions: c.Sessions, BounceRate: c.BounceRate,
			AvgDurationMs: c.AvgDurationMs}
	}
	return t
}

func filteredCounts(f query.FilteredFigures) query.TopCounts {
	return query.TopCounts{Events: f.Events, PageViews: f.PageViews, UniqueVisitors: f.UniqueVisitors, VisitorsError: f.VisitorsError,
		Sessions: orZero(f.Sessions), BounceRate: f.BounceRate, AvgDurationMs: f.AvgDurationMs}
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// FilteredTops are filtered lists in the order of Lists, and why some are not there, as says has it; "": they are.
func FilteredTops(lists []query.FilteredList, says func(error) string) (tops []query.TopAnswer, why []string) {
	n := 0
	for _, s := range sections() {
		switch {
		case !filteredSort(s.sort):
			tops, why = append(tops, query.TopAnswer{}), append(why, s.title+" cannot be had under filters.")
			continue
		case n >= len(lists):
			tops, why = append(tops, query.TopAnswer{}), append(why, "Not read: it needs raw events.")
		case lists[n].Refused != nil:
			tops, why = append(tops, query.TopAnswer{}), append(why, text(says(lists[n].Refused)))
		default:
			tops, why = append(tops, FilteredTop(lists[n].FilteredTopAnswer)), append(why, "")
		}
		n++
	}
	return tops, why
}
