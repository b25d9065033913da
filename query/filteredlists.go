package query

import (
	"context"
)

// FilteredListsParams ask for the figures and several lists of top values of what passes filters, over a range.
type FilteredListsParams struct {
	FilteredStatsParams
	Lists []TopList // sorted by FilteredTopFigures
}

// FilteredListsAnswer holds figures and lists of the same events.
type FilteredListsAnswer struct {
	Stats FilteredStatsAnswer
	Lists []FilteredList // in the order of the question; none if only the cost was asked for
}

// FilteredList is a list, or why there is none.
type FilteredList struct {
	FilteredTopAnswer
	Refused error // nil: the list is there
}

// FilteredLists answers [Reader.FilteredStats] and several [Reader.FilteredTop] by one reading of raw events. A list that raw events do not
// say, or with too many values, is refused alone. Nothing is compared.
func (r *Reader) FilteredLists(ctx context.Context, p FilteredListsParams) (FilteredListsAnswer, error) {
	a, err := answerFilteredLists(ctx, r.store, p)
	return about(a, err, "figures of site %q", p.Site)
}

func answerFilteredLists(ctx context.Context, t *store, p FilteredListsParams) (a FilteredListsAnswer, err error) {
	p.Exact, p.Compare, p.Against, p.Align = true, false, "", ""
	limits := make([]int, len(p.Lists))
	a.Lists = make([]FilteredList, len(p.Lists))
	for i, l := range p.Lists {
		top := FilteredTopParams{Dimension: l.Dimension, Sort: l.Sort, Limit: l.Limit, FilterParams: p.FilterParams}
		if limits[i], err = top.rows(); err != nil {
			return a, err
		}
		a.Lists[i].Sort = top.Sort
	}
	q, stats, err := t.filteredStats(ctx, p.FilteredStatsParams)
	if err != nil || !stats.SiteKnown {
		return FilteredListsAnswer{Stats: stats}, err
	}
	now := q.part(q.span)
	sums, lists := q.newSums(now), newListSums(&q.filter, a.Lists, p.Lists)
	stats.Filter, err = q.filter.readEvents(ctx, func(at int64, row []string) []*filterSums {
		return append(lists.of(row), sums.at(at)...)
	})
	if err != nil || p.EstimateOnly {
		return FilteredListsAnswer{Stats: stats}, err
	}
	sums.end()
	q.complete(&stats, now, q.part(q.before))
	a.Stats = stats
	for i, l := range p.Lists {
		list := &a.Lists[i]
		list.FilteredTopAnswer = FilteredTopAnswer{Site: p.Site, Known: stats.Known, Dimension: l.Dimension, Zone: stats.Zone, From: stats.From,
			To: stats.To, Filter: stats.Filter, Sort: list.Sort, Rows: []FilteredTopRow{}}
		if list.Refused == nil {
			list.sumUp(lists.values[i], sums.total, limits[i])
		}
	}
	return a, nil
}

// listSums are the sums of the values of several lists. Together they have at most maxFilterValues: beyond, the longest is given up.
type listSums struct {
	lists  []FilteredList
	values []topSums // nil: the list was given up
}

// newListSums makes sums of lists, and has a question about them read their values.
func newListSums(q *filterQuestion, lists []FilteredList, asked []TopList) *listSums {
	s := &listSums{lists: lists}
	for _, l := range asked {
		q.rows = append(q.rows, filterDimensionOf(l.Dimension))
		s.values = append(s.values, topSums{})
	}
	q.refused = s.giveUp
	q.bound = func() error {
		total, longest := 0, 0
		for i, values := range s.values {
			if total += len(values); len(values) > len(s.values[longest]) {
				longest = i
			}
		}
		if total > maxFilterValues {
			s.giveUp(longest, tooManyValues(asked[longest].Dimension))
		}
		return nil
	}
	return s
}

func (s *listSums) giveUp(list int, why error) { s.lists[list].Refused, s.values[list] = why, nil }

// of returns where an event counts that has these values.
func (s *listSums) of(row []string) []*filterSums {
	into := make([]*filterSums, 0, len(row)+2)
	for i, value := range row {
		if s.values[i] != nil {
			into = append(into, s.values[i].of(value))
		}
	}
	return into
}
