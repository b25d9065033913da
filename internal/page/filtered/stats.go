package filtered

import (
	"time"

	"github.com/footfall/footfall/query"
)

// Stats is a filtered answer as the page has figures. Those that are not known under filters are 0: the page leaves them out.
func Stats(a query.FilteredStatsAnswer) query.StatsAnswer {
	s := query.StatsAnswer{Site: a.Site, Known: a.Known, By: a.By, Zone: a.Zone, From: a.From, To: a.To, InProgress: a.InProgress,
		Incomplete: a.ExpiredOmitted > 0, Coverage: a.Coverage}
	for _, b := range a.Buckets {
		s.Buckets = append(s.Buckets, bucket(b))
	}
	if a.Totals != nil {
		s.Totals = new(figures(*a.Totals))
	}
	if p := a.Previous; p != nil {
		s.Previous = &query.Previous{From: p.From, To: p.To, DataFrom: p.DataFrom, ToDate: p.ToDate, ByBucket: p.ByBucket}
		if p.Totals != nil && p.Change != nil {
			s.Previous.Totals, s.Previous.Change = new(figures(*p.Totals)), new(changes(*p.Change))
		}
	}
	return s
}

func bucket(b query.FilteredBucket) query.Bucket {
	own := query.Bucket{Start: b.Start, End: b.End, Partial: b.Partial, InProgress: b.InProgress, Figures: figures(b.FilteredFigures)}
	if b.Previous != nil {
		own.Previous = new(bucket(*b.Previous))
	}
	if b.Change != nil {
		own.Change = new(changes(*b.Change))
	}
	return own
}

func figures(f query.FilteredFigures) query.Figures {
	return query.Figures{PageViews: f.PageViews, Events: f.Events, UniqueVisitors: &f.UniqueVisitors, VisitorsError: f.VisitorsError,
		Sessions: orZero(f.Sessions), BounceRate: f.BounceRate, AvgDurationMs: f.AvgDurationMs, PagesPerSession: f.PerSession,
		Values: orZero(f.Values), ValueSum: orEmpty(f.ValueSum)}
}

// changes are the changes of the figures that filteredFigures has.
func changes(c query.FilteredChanges) query.Changes {
	known := query.Change[*int64]{Absolute: &c.UniqueVisitors.Absolute, Relative: c.UniqueVisitors.Relative}
	value := query.Change[string]{Absolute: orEmpty(c.ValueSum.Absolute), Relative: c.ValueSum.Relative}
	return query.Changes{Values: query.Change[int64]{Absolute: orZero(c.Values.Absolute), Relative: c.Values.Relative}, ValueSum: value,
		PageViews: c.PageViews, Events: c.Events, UniqueVisitors: known,
		Sessions:   query.Change[int64]{Absolute: orZero(c.Sessions.Absolute), Relative: c.Sessions.Relative},
		BounceRate: c.BounceRate, AvgDurationMs: c.AvgDurationMs, PagesPerSession: c.PerSession}
}

// Lacking are the figures of an answer that are not known under filters. Breakdowns have the values of named events alone.
func Lacking(scope query.Scope, a query.StatsAnswer) []string {
	all := []string{"conversions", "newVisitors", "returningVisitors"}
	if a.Totals != nil && a.Totals.ValueSum == "" {
		all = append(all, "valueSum")
	}
	if scope == query.ScopeEvents {
		all = append(all, "sessions", "bounceRate", "avgDurationMs", "pagesPerSession")
	}
	return all
}

// Goals are filtered conversions of a range as the page has goals. Those that are not known are 0.
func Goals(t query.FilteredGoalTotals, from time.Time) query.GoalStatsAnswer {
	own := query.GoalTotals{Conversions: t.Conversions}
	for _, g := range t.Goals {
		f := query.GoalFigures{ID: g.ID, Number: g.Number, Name: g.Name, Conversions: orZero(g.Conversions), ValueSum: "0",
			ConversionRate: g.ConversionRate, Since: g.Since}
		if g.ValueSum != nil {
			f.ValueSum = *g.ValueSum
		}
		own.Goals = append(own.Goals, f)
	}
	return query.GoalStatsAnswer{From: from, Totals: &own}
}

func orZero(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}

// orEmpty returns a decimal; "": it is not known.
func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
