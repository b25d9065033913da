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
		c := filteredCounts(r.FilteredFigures)
		c.Share = r.Share
		t.Rows = append(t.Rows, query.TopRow{Value: r.Value, TopCounts: c})
	}
	if n := a.None; n != nil {
		addNone(&t, filteredCounts(*n), a.Totals)
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

// FilteredTopsBefore are the figures of the earlier range of filtered lists, in the order of Lists; nil: they are not compared.
func FilteredTopsBefore(lists []query.FilteredList) (tops []query.TopAnswer) {
	n, compared := 0, false
	for _, s := range sections() {
		top := query.TopAnswer{Cursor: unknown} // It may have had any value.
		if filteredSort(s.sort) && n < len(lists) {
			if before := lists[n].Before; before != nil {
				top.Cursor, compared = "", true
				for value, f := range before {
					top.Rows = append(top.Rows, query.TopRow{Value: value, TopCounts: filteredCounts(f)})
				}
			}
			n++
		}
		tops = append(tops, top)
	}
	if !compared {
		return nil
	}
	return tops
}

// notFiltered says why a list of sessions is not there under filters.
func notFiltered(title string, scope query.Scope) string {
	if scope == query.ScopeEvents {
		return say("%s count whole sessions, and a filter here selects single events, such as the views of a page: remove it to see them.",
			say(title))
	}
	return say("%s cannot be had under filters: remove them to see all sessions.", say(title))
}

// FilteredTops are filtered lists of a scope in the order of Lists, and why some are not there, as says has it with [Text] or [Say];
// "": they are.
func FilteredTops(lists []query.FilteredList, scope query.Scope, says func(error) string) (tops []query.TopAnswer, why []string) {
	n := 0
	for _, s := range sections() {
		switch {
		case !filteredSort(s.sort):
			tops, why = append(tops, query.TopAnswer{}), append(why, notFiltered(s.title, scope))
			continue
		case n >= len(lists):
			tops, why = append(tops, query.TopAnswer{}), append(why, say("Not read: it needs raw events."))
		case lists[n].Refused != nil:
			tops, why = append(tops, query.TopAnswer{}), append(why, says(lists[n].Refused))
		default:
			tops, why = append(tops, FilteredTop(lists[n].FilteredTopAnswer)), append(why, "")
		}
		n++
	}
	return tops, why
}
