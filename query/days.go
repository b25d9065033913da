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
func (r *Reader) dates(ctx context.Context, site string, rest span, consistent bool) iter.Seq2[span, error] {
	return func(yield func(span, error) bool) {
		for rest.from < rest.to {
			hour, ok, err := r.firstHour(ctx, site, rest, consistent)
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
func (r *Reader) firstHour(ctx context.Context, site string, s span, consistent bool) (hour int64, ok bool, err error) {
	from, to := s.hourBounds(sinks.HourStatsPrefix)
	q := sinks.Query{PK: r.keys.Site(site), From: from, To: to, Consistent: consistent, Limit: 1}
	page, err := r.query(ctx, q)
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
func (r *Reader) journal(ctx context.Context, site string, hour int64, consistent bool) (*journal.Journal, error) {
	j := new(journal.Journal)
	q := sinks.Query{PK: r.keys.BreakdownOfDay(site, hour), Prefix: sinks.LatePrefix, Consistent: consistent}
	for it, err := range r.items(ctx, q) {
		if err != nil {
			return nil, err
		}
		if r.expired(it) {
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

// ofDate begins a walk over the hours of a span under the key of their date.
func (r *Reader) ofDate(pk, prefix string, s span, desc, consistent bool) *merge {
	q := sinks.Query{Desc: desc, Consistent: consistent}
	q.From, q.To = s.hourBounds(prefix)
	return r.walk(q, maxPage, position{}, pk)
}
