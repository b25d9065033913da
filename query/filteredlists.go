package query

import (
	"context"
	"errors"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/passing"
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
	return ask(ctx, r, p, answerFilteredLists, "figures of site %q", p.Site)
}

func answerFilteredLists(ctx context.Context, t *sitetable.Store, p FilteredListsParams) (a FilteredListsAnswer, err error) {
	p.Exact = true
	limits := make([]int, len(p.Lists))
	a.Lists = make([]FilteredList, len(p.Lists))
	for i, l := range p.Lists {
		top := FilteredTopParams{Dimension: l.Dimension, Sort: l.Sort, Limit: l.Limit, MinCount: l.MinCount, FilterParams: p.FilterParams}
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
	if p.Goals || q.filter.Scope == ScopeSessions { // Rows have conversions.
		if q.filter.Goals, err = passing.NewGoalScan(ctx, q.Table, q.Span); err != nil {
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
	now, before := q.part(q.Span), q.part(q.Before)
	sums := q.newSums(now)
	lists := passing.NewLists(&q.filter, dimensionsAsked(asked), func(list int, why error) { a.Lists[list].Refused = why })
	ranges := []passing.Range{{Question: q.filter, Into: func(at int64, row []string) []*passing.Sums {
		return q.filter.Goals.And(append(lists.Of(row), sums.At(at)...), at)
	}, Done: func() {
		q.sumUp(a, asked, limits, lists, sums)
		a.Goals = goalTotals(q.filter.Goals, sums.Total, q.filter.Scope)
	}}}
	ranges[0].Question.Missed = func(row []string) {
		sums.Total.Missed++
		lists.Miss(row)
	}
	if before.span.From < before.span.To {
		earlier, values := q.newSums(before), passing.NewEarlier(len(a.Lists), func(list int) []string { return valuesOf(a.Lists[list].Rows) })
		of := passing.NewQuestion(q.Table, before.span, q.filter.Params)
		of.Rows, of.Refused = q.filter.Rows, func(int, error) {} // The range has refused it.
		of.Whole = func(list int, value string) *passing.Sums { return values.List(list)[value] }
		of.Missed = func(row []string) {
			earlier.Total.Missed++
			values.Miss(row)
		}
		if q.filter.Goals != nil {
			if of.Goals, err = passing.NewGoalScan(ctx, q.Table, before.span); err != nil {
				return err
			}
		}
		ranges = append(ranges, passing.Range{Question: of, Into: func(at int64, row []string) []*passing.Sums {
			return of.Goals.And(append(values.Of(of.Rows, row), earlier.At(at)...), at)
		}, LeftOut: func(why error) {
			a.NotCompared, _ = errors.AsType[*FilterError](why)
		}, Done: func() {
			earlier.end()
			sumUpEarlier(a.Lists, values, q.filter.Scope, of.Goals)
			a.GoalsBefore = goalTotals(of.Goals, earlier.Total, q.filter.Scope)
		}})
	}
	if a.Stats.Filter, err = passing.ReadRanges(ctx, ranges...); err != nil || q.filter.Params.EstimateOnly {
		return err
	}
	if a.NotCompared != nil && q.Begin.First > 0 && q.Before.To <= q.Begin.First {
		a.DataFrom = new(q.Cal.Instant(q.Begin.First))
	}
	if a.NotCompared != nil {
		a.Stats.Previous, q.Paired = nil, false
		before = q.part(calendar.Span{})
	}
	q.complete(&a.Stats, now, before)
	for i := range a.Lists {
		a.Lists[i].Filter = a.Stats.Filter
	}
	return nil
}

// sumUp makes figures and lists of what was read of the range.
func (q *filteredStats) sumUp(a *FilteredListsAnswer, asked []TopList, limits []int, lists *passing.Lists, sums *statsSums) {
	sums.end()
	for i, l := range asked {
		list := &a.Lists[i]
		list.FilteredTopAnswer = FilteredTopAnswer{Site: a.Stats.Site, Known: a.Stats.Known, Dimension: l.Dimension, Zone: a.Stats.Zone,
			From: a.Stats.From, To: a.Stats.To, Filter: q.filter.Report(FromEvents), Sort: list.Sort, MinCount: l.MinCount, Goals: []string{},
			Rows: []FilteredTopRow{}}
		if list.Refused == nil {
			lists.Missed[i].AddTo(lists.Values[i])
			list.sumUp(lists.Values[i], sums.Total, limits[i], q.filter.Goals)
			lists.Values[i], lists.Missed[i] = nil, nil
		}
	}
}

// sumUpEarlier adds the figures of the earlier range to lists.
func sumUpEarlier(lists []FilteredList, earlier *passing.Earlier, scope Scope, goals *passing.GoalScan) {
	for i, values := range earlier.Values {
		list := &lists[i]
		list.Before = make(map[string]FilteredTopCounts, len(values))
		of := scope
		if (Condition{Dimension: list.Dimension}).OfEvents() {
			of = ScopeEvents
		}
		for value, sums := range values {
			if !sums.Nothing() {
				list.Before[value] = countsOfSums(sums, of, goals)
			}
		}
	}
}

// dimensionsAsked are the dimensions of lists.
func dimensionsAsked(lists []TopList) (names []string) {
	for _, l := range lists {
		names = append(names, l.Dimension)
	}
	return names
}

// valuesOf are the values of rows.
func valuesOf(rows []FilteredTopRow) (values []string) {
	for _, r := range rows {
		values = append(values, r.Value)
	}
	return values
}
