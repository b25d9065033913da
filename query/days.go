package query

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
)

// dates returns the parts of a span, one for each date in UTC that has hours, in order. Which dates there are is read from the keys
// of the hours' stats: what else there is of an hour is never without them for longer than a flush is being written.
func (t siteTable) dates(ctx context.Context, rest span) iter.Seq2[span, error] {
	return func(yield func(span, error) bool) {
		for rest.from < rest.to {
			hour, ok, err := t.firstHour(ctx, rest)
			if err != nil {
				yield(span{}, err)
			}
			if !ok || err != nil {
				return
			}
			date := dateOf(hour)
			part := rest.in(span{date, date + dayMs})
			if rest.from = date + dayMs; !yield(part, nil) {
				return
			}
		}
	}
}

// firstHour returns the first hour of a span that has stats, also if they have expired; ok is false when there is none.
func (t siteTable) firstHour(ctx context.Context, s span) (hour int64, ok bool, err error) {
	keys := s.hourBounds(sinks.HourStatsPrefix)
	q := sinks.Query{PK: t.keys.Site(t.site), From: keys.from, To: keys.to, Consistent: t.consistent, Limit: 1}
	page, err := t.query(ctx, q)
	if err != nil || len(page.Items) == 0 {
		return 0, false, err
	}
	sk := page.Items[0].Key().SK
	if hour, err = sinks.ParseHour(sk[len(sinks.HourStatsPrefix):]); err != nil {
		return 0, false, fmt.Errorf("sort key %q of %s: %w", sk, q.PK, err)
	}
	return hour, true, nil
}

// journal reads the journal of the date of an hour. What is deleted of it is in the items by then: it is to be read before them.
func (t siteTable) journal(ctx context.Context, hour int64) (*journal.Journal, error) {
	j := new(journal.Journal)
	q := sinks.Query{PK: t.keys.BreakdownOfDay(t.site, hour), Prefix: sinks.LatePrefix, Consistent: t.consistent}
	for it, err := range t.items(ctx, q) {
		if err != nil {
			return nil, err
		}
		if t.expired(it) {
			continue
		}
		e, err := journal.Read(it)
		if err != nil {
			return nil, err
		}
		j.Add(e)
	}
	return j, nil
}

// dateOf returns the first instant of the date in UTC that an hour begins on.
func dateOf(hour int64) int64 { return time.UnixMilli(hour).UTC().Truncate(24 * time.Hour).UnixMilli() }
