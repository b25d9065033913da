package cohorts

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/query/retention"
	"github.com/footfall/footfall/sinks"
)

// Answer answers a question.
func Answer(ctx context.Context, t *sitetable.Store, p retention.Params) (a retention.Answer, err error) {
	if p.Site == "" || !utf8.ValidString(p.Site) {
		return a, &ranges.ParamError{Param: "site", Value: p.Site, Remedy: "name one, in valid UTF-8"}
	}
	if p.By != "" && p.By != ranges.Week {
		return a, &ranges.ParamError{Param: "by", Value: string(p.By), Remedy: "choose week: returns are counted by the week"}
	}
	table, created, err := t.Open(ctx, p.Site, p.Consistent)
	if err != nil {
		return a, err
	}
	q, err := newQuestion(p, table)
	if err != nil {
		return a, err
	}
	covers, err := table.Covering(ctx)
	if err != nil {
		return a, err
	}
	if err := q.read(ctx); err != nil {
		return a, err
	}
	a = retention.Answer{Site: p.Site, By: ranges.Week, Zone: q.cal.Loc.String(),
		From: q.cal.Instant(q.span.From), To: q.cal.Instant(q.span.To), Counted: table.Clock.Rules.CountsNewVisitors(),
		Cohorts: q.cohorts(), Coverage: covers.Of(q.span.To, q.cal.Instant)}
	if a.Counted && table.Clock.Rules.NewVisitorsSince > q.span.From {
		a.Since = new(q.cal.Instant(table.Clock.Rules.NewVisitorsSince))
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, created || q.found)
	return a, err
}

// question has the weeks that are asked for.
type question struct {
	table sitetable.Table
	cal   calendar.Calendar
	now   int64
	span  calendar.Span // of the weeks, to the end of the range at most
	first int64         // number of the first week, counted from the one with 1970-01-01
	weeks []week
	found bool // a day was read
}

// week is what the days of a week count.
type week struct {
	calendar.Span
	fresh   int64 // new visitors
	returns [retention.MaxLater + 1]int64
	expired bool // of some of its days
}

func newQuestion(p retention.Params, t sitetable.Table) (*question, error) {
	q := &question{table: t, now: t.Now().UnixMilli()}
	if p.To.IsZero() {
		p.To = t.Now()
	}
	q.cal = t.Clock.InOwn(ranges.Week, p.To.UnixMilli()-1)
	if p.From.IsZero() {
		p.From = calendar.Instant(q.cal.At(q.cal.Bucket(p.To.UnixMilli()-1).N - retention.DefaultWeeks).From)
	}
	s, err := t.Bounded(p.From, p.To)
	if err == nil {
		err = q.cal.Holds(s)
	}
	if err != nil {
		return nil, err
	}
	first, last := q.cal.Bucket(s.From), q.cal.Bucket(min(s.To-1, max(q.now, s.From)))
	if first.From < s.From {
		first = q.cal.At(first.N + 1)
	}
	if last.To > s.To && s.To < q.now {
		last = q.cal.At(last.N - 1)
	}
	if n := last.N - first.N + 1; n > retention.MaxWeeks {
		return nil, &ranges.ParamError{Param: "from", Remedy: fmt.Sprintf("the range has %d weeks: choose at most %d", n, retention.MaxWeeks)}
	}
	q.first, q.span = first.N, calendar.Span{From: s.From, To: s.To}
	for n := first.N; n <= last.N; n++ {
		q.weeks = append(q.weeks, week{Span: q.cal.At(n).Span})
	}
	return q, nil
}

// read adds up the days of each week. A week has days by their dates, in whatever zone of the site they were.
func (q *question) read(ctx context.Context) error {
	if len(q.weeks) == 0 {
		return nil
	}
	const days = 7
	monday := func(n int64) int64 { return (n*days - 3) * calendar.DayMs } // 1970-01-01 was a Thursday.
	key := func(day int64) string { return q.table.Keys.DayStats(q.table.Site, day).SK }
	end := monday(q.first + int64(len(q.weeks)))
	kept := int64(-1)
	for it, err := range q.table.Items(ctx, sinks.Query{PK: q.table.Keys.Site(q.table.Site), From: key(monday(q.first)),
		To: key(end - calendar.DayMs), Consistent: q.table.Consistent}) {
		if err != nil {
			return err
		}
		day, err := sinks.ParseDay(it.Key().SK[len(sinks.DayStatsPrefix):])
		if err != nil {
			return fmt.Errorf("sort key %q of %s: %w", it.Key().SK, it.Key().PK, err)
		}
		q.found = true
		w := &q.weeks[(day-monday(q.first))/(days*calendar.DayMs)]
		if q.table.Expired(it) {
			w.expired = true
			continue
		}
		if ttl := it[sinks.AttrTTL]; ttl.Kind() == sinks.Number {
			kept = sitetable.Shorter(kept, ttl.Int()*1000-day)
		}
		w.fresh += it[sinks.AttrNewVisitors].Int()
		for n := range w.returns {
			w.returns[n] += it[sinks.AttrReturns(n)].Int()
		}
	}
	for i := range q.weeks { // What the table has deleted by now leaves no trace.
		w := &q.weeks[i]
		w.expired = w.expired || kept >= 0 && monday(q.first+int64(i))+kept <= q.now
	}
	return nil
}

// cohorts are the weeks with what later weeks have of them, from the first one on that is known to have new visitors.
func (q *question) cohorts() []retention.Cohort {
	all := make([]retention.Cohort, 0, len(q.weeks))
	for i, w := range q.weeks {
		counted := derived.CountsNew(q.table.Clock.Rules, w.From) && !w.expired
		if len(all) == 0 && !(counted && w.fresh > 0) {
			continue
		}
		c := retention.Cohort{Start: q.cal.Instant(w.From), End: q.cal.Instant(w.To), InProgress: w.To > q.now, Later: []retention.CohortWeek{}}
		if counted {
			c.NewVisitors = new(w.fresh)
		}
		for n := 1; n <= retention.MaxLater && i+n < len(q.weeks); n++ {
			in := &q.weeks[i+n]
			l := retention.CohortWeek{Week: n, Start: q.cal.Instant(in.From), InProgress: in.To > q.now}
			if counted && w.returns[0] == w.fresh && !in.expired { // If not, some were new before days counted who comes back.
				l.Visitors = new(in.returns[n])
				if w.fresh > 0 {
					l.Share = new(float64(in.returns[n]) / float64(w.fresh))
				}
			}
			c.Later = append(c.Later, l)
		}
		all = append(all, c)
	}
	return all
}
