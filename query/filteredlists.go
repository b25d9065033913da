package query

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// FilteredListsParams ask for the figures and several lists of top values of what passes filters, over a range.
type FilteredListsParams struct {
	FilteredStatsParams           // a comparison is left out if it alone cannot be had
	Lists               []TopList // sorted by FilteredTopFigures
	Goals               bool      // the conversions of the site's goals as well
}

// FilteredListsAnswer holds figures and lists of the same events.
type FilteredListsAnswer struct {
	Stats FilteredStatsAnswer
	Lists []FilteredList // in the order of the question; none if only the cost was asked for
	// Goals are the conversions in the range, and GoalsBefore those in the earlier one. nil: they were not asked for, or not read.
	Goals, GoalsBefore *FilteredGoalTotals
	// NotCompared is why the range is not compared; nil: it is, or that was not asked for.
	NotCompared *FilterError
	// DataFrom is the site's first day with data, if the range is not compared and all of the earlier one lies before; nil: it does not.
	DataFrom *time.Time
}

// FilteredList is a list, or why there is none.
type FilteredList struct {
	FilteredTopAnswer
	Refused error // nil: the list is there
	// Before are the figures of the values of the rows in the earlier range, and by "" of what has no value. One that it lacks has none there.
	// nil: it is not compared.
	Before map[string]FilteredTopCounts
}

// FilteredLists answers [Reader.FilteredStats] and several [Reader.FilteredTop] by one reading of raw events. A list that raw events do not
// say, or with too many values, is refused alone.
func (r *Reader) FilteredLists(ctx context.Context, p FilteredListsParams) (FilteredListsAnswer, error) {
	a, err := answerFilteredLists(ctx, r.store, p)
	return about(a, err, "figures of site %q", p.Site)
}

func answerFilteredLists(ctx context.Context, t *sitetable.Store, p FilteredListsParams) (a FilteredListsAnswer, err error) {
	p.Exact = true
	limits := make([]int, len(p.Lists))
	a.Lists = make([]FilteredList, len(p.Lists))
	for i, l := range p.Lists {
		top := FilteredTopParams{Dimension: l.Dimension, Sort: l.Sort, Limit: l.Limit, FilterParams: p.FilterParams}
		if limits[i], err = top.rows(); err != nil {
			return a, err
		}
		a.Lists[i].Sort = top.Sort
	}
	q, stats, err := newFilteredStats(ctx, t, p.FilteredStatsParams)
	if err != nil || !stats.SiteKnown {
		return FilteredListsAnswer{Stats: stats}, err
	}
	a.Stats = stats
	if p.Goals || q.filter.scope == ScopeSessions { // Rows have conversions.
		if q.filter.goals, err = newGoalScan(ctx, q.t, q.span); err != nil {
			return FilteredListsAnswer{}, err
		}
	}
	if err := q.fromLists(ctx, &a, p.Lists, limits); err != nil || p.EstimateOnly {
		return FilteredListsAnswer{Stats: a.Stats}, err
	}
	if !p.Goals {
		a.Goals, a.GoalsBefore = nil, nil
	}
	return a, nil
}

// fromLists answers from raw events, of the range and the earlier one.
func (q *filteredStats) fromLists(ctx context.Context, a *FilteredListsAnswer, asked []TopList, limits []int) (err error) {
	now, before := q.part(q.span), q.part(q.before)
	sums, lists := q.newSums(now), newListSums(&q.filter, a.Lists, asked)
	ranges := []filterRange{{q: q.filter, into: func(at int64, row []string) []*filterSums {
		return q.filter.goals.and(append(lists.of(row), sums.at(at)...), at)
	}, done: func() {
		q.sumUp(a, asked, limits, lists, sums)
		a.Goals = q.filter.goals.totals(sums.total, q.filter.scope)
	}}}
	ranges[0].q.missed = func(row []string) {
		sums.total.missed++
		lists.miss(row)
	}
	if before.span.From < before.span.To {
		earlier, values := q.newSums(before), make(earlierSums, len(a.Lists))
		of := newFilterQuestion(q.t, before.span, q.filter.p)
		of.rows, of.refused = q.filter.rows, func(int, error) {} // The range has refused it.
		of.whole = func(list int, value string) *filterSums { return values.list(a.Lists, list)[value] }
		of.missed = func(row []string) {
			earlier.total.missed++
			for i, value := range row {
				if sums := values.list(a.Lists, i)[value]; sums != nil {
					sums.missed++
				}
			}
		}
		if q.filter.goals != nil {
			if of.goals, err = newGoalScan(ctx, q.t, before.span); err != nil {
				return err
			}
		}
		ranges = append(ranges, filterRange{q: of, into: func(at int64, row []string) []*filterSums {
			return of.goals.and(append(values.of(a.Lists, of.rows, row), earlier.at(at)...), at)
		}, leftOut: func(why error) {
			a.NotCompared, _ = errors.AsType[*FilterError](why)
		}, done: func() {
			earlier.end()
			values.sumUp(a.Lists, q.filter.scope, of.goals)
			a.GoalsBefore = of.goals.totals(earlier.total, q.filter.scope)
		}})
	}
	if a.Stats.Filter, err = readRanges(ctx, ranges...); err != nil || q.filter.p.EstimateOnly {
		return err
	}
	if a.NotCompared != nil && q.begin.First > 0 && q.before.To <= q.begin.First {
		a.DataFrom = new(q.cal.Instant(q.begin.First))
	}
	if a.NotCompared != nil {
		a.Stats.Previous, q.paired = nil, false
		before = q.part(calendar.Span{})
	}
	q.complete(&a.Stats, now, before)
	for i := range a.Lists {
		a.Lists[i].Filter = a.Stats.Filter
	}
	return nil
}

// sumUp makes figures and lists of what was read of the range.
func (q *filteredStats) sumUp(a *FilteredListsAnswer, asked []TopList, limits []int, lists *listSums, sums *statsSums) {
	sums.end()
	for i, l := range asked {
		list := &a.Lists[i]
		list.FilteredTopAnswer = FilteredTopAnswer{Site: a.Stats.Site, Known: a.Stats.Known, Dimension: l.Dimension, Zone: a.Stats.Zone,
			From: a.Stats.From, To: a.Stats.To, Filter: q.filter.report(FromEvents), Sort: list.Sort, Goals: []string{},
			Rows: []FilteredTopRow{}}
		if list.Refused == nil {
			lists.missed[i].addTo(lists.values[i])
			list.sumUp(lists.values[i], sums.total, limits[i], q.filter.goals)
			lists.values[i], lists.missed[i] = nil, nil
		}
	}
}

// earlierSums are the sums, in the earlier range, of the values that lists have as rows, and of what has no value.
type earlierSums []topSums

// of returns where an event of the earlier range counts that has these values.
func (s earlierSums) of(lists []FilteredList, dimensions []filterDimension, row []string) []*filterSums {
	into := make([]*filterSums, 0, len(row)+2)
	for i, value := range row {
		if dimensions[i].ofWhole() {
			continue
		}
		if sums := s.list(lists, i)[value]; sums != nil {
			into = append(into, sums)
		}
	}
	return into
}

// list returns the sums of the values of a list.
func (s earlierSums) list(lists []FilteredList, i int) topSums {
	if s[i] == nil {
		s[i] = make(topSums, len(lists[i].Rows)+1)
		for _, r := range lists[i].Rows {
			s[i].of(r.Value)
		}
		s[i].of("")
	}
	return s[i]
}

// sumUp adds the figures of the earlier range to lists.
func (s earlierSums) sumUp(lists []FilteredList, scope Scope, goals *goalScan) {
	for i, values := range s {
		list := &lists[i]
		list.Before = make(map[string]FilteredTopCounts, len(values))
		of := scope
		if (Condition{Dimension: list.Dimension}).ofEvents() {
			of = ScopeEvents
		}
		for value, sums := range values {
			if !sums.nothing() {
				list.Before[value] = sums.counts(of, goals)
			}
		}
	}
}

// listSums are the sums of the values of several lists. Together they have at most maxFilterValues, and at most maxMissedValues of sessions
// that missed the goal: beyond, the longest is given up.
type listSums struct {
	rows   []filterDimension
	lists  []FilteredList
	values []topSums        // nil: the list was given up
	missed []missedSessions // of lists whose values have a rate; nil: of others, and of those that were given up
}

// newListSums makes sums of lists, and has a question about them read their values.
func newListSums(q *filterQuestion, lists []FilteredList, asked []TopList) *listSums {
	s := &listSums{lists: lists}
	for _, l := range asked {
		s.rows = append(s.rows, filterDimensionOf(l.Dimension))
		s.values = append(s.values, topSums{})
		var missed missedSessions
		if !filterDimensionOf(l.Dimension).ofEvents() {
			missed = make(missedSessions)
		}
		s.missed = append(s.missed, missed)
	}
	q.rows, q.refused = s.rows, s.giveUp
	q.whole = func(list int, value string) *filterSums {
		if s.values[list] == nil {
			return nil
		}
		return s.values[list].of(value)
	}
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
		total, longest = 0, 0
		for i, missed := range s.missed {
			if total += len(missed); len(missed) > len(s.missed[longest]) {
				longest = i
			}
		}
		if total > maxMissedValues {
			s.giveUp(longest, tooManyMissed(asked[longest].Dimension))
		}
		return nil
	}
	return s
}

func (s *listSums) giveUp(list int, why error) {
	s.lists[list].Refused, s.values[list], s.missed[list] = why, nil, nil
}

// miss counts a session that missed the goal and has these values.
func (s *listSums) miss(row []string) {
	for i, value := range row {
		if s.missed[i] != nil {
			s.missed[i][value]++
		}
	}
}

// of returns where an event counts that has these values.
func (s *listSums) of(row []string) []*filterSums {
	into := make([]*filterSums, 0, len(row)+2)
	for i, value := range row {
		if s.values[i] != nil && !s.rows[i].ofWhole() {
			into = append(into, s.values[i].of(value))
		}
	}
	return into
}
