package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
)

// An itemWalk hands out items in the order of a walk: a merge, or a dayWalk.
type itemWalk interface {
	next(ctx context.Context) (sinks.Item, position, error)
}

// A dayWalk walks what is kept of the hours of a site under a partition key for each date in UTC. Which dates there are is
// read from the keys of the hours' stats: what else there is of an hour is never without them for longer than a step is
// being written.
type dayWalk struct {
	r          *Reader
	site       string
	pk         func(site string, at int64) string
	prefix     string // of the sort keys
	rest       span   // not walked yet
	desc       bool
	consistent bool
	day        *merge           // being walked; nil: none
	late       *journal.Journal // of its date
}

// byDay begins a walk over a span of hours.
func (r *Reader) byDay(site string, pk func(string, int64) string, prefix string, s span, desc, consistent bool) *dayWalk {
	return &dayWalk{r: r, site: site, pk: pk, prefix: prefix, rest: s, desc: desc, consistent: consistent}
}

func (w *dayWalk) next(ctx context.Context) (sinks.Item, position, error) {
	for {
		if w.day != nil {
			if it, pos, err := w.day.next(ctx); it != nil || err != nil {
				return it, pos, err
			}
			w.day = nil
		}
		if w.rest.from >= w.rest.to {
			return nil, position{}, nil
		}
		hour, ok, err := w.nearest(ctx)
		if !ok || err != nil {
			w.rest = span{}
			return nil, position{}, err
		}
		if err := w.open(ctx, hour); err != nil {
			return nil, position{}, err
		}
	}
}

// nearest returns the next hour of the rest that has stats, also if they have expired; ok is false when there is none.
func (w *dayWalk) nearest(ctx context.Context) (hour int64, ok bool, err error) {
	from, to := w.rest.hourBounds(sinks.HourStatsPrefix)
	q := sinks.Query{PK: w.r.keys.Site(w.site), From: from, To: to, Desc: w.desc, Consistent: w.consistent, Limit: 1}
	page, err := w.r.query(ctx, q)
	if err != nil || len(page.Items) == 0 {
		return 0, false, err
	}
	sk := page.Items[0].Key().SK
	if hour, err = sinks.ParseHour(sk[len(sinks.HourStatsPrefix):]); err != nil {
		return 0, false, fmt.Errorf("sort key %q of %s: %w", sk, q.PK, err)
	}
	return hour, true, nil
}

// open begins the walk of the date of an hour, and takes it from the rest.
func (w *dayWalk) open(ctx context.Context, hour int64) (err error) {
	date := dateOf(hour)
	s := w.rest.in(span{date, date + dayMs})
	if w.desc {
		w.rest.to = date
	} else {
		w.rest.from = date + dayMs
	}
	if w.late, err = w.r.journal(ctx, w.site, hour, w.consistent); err != nil {
		return err
	}
	w.day = w.r.ofDate(w.pk(w.site, hour), w.prefix, s, w.desc, w.consistent)
	return nil
}

// journal reads the journal of the date of an hour. What is deleted of it is in the items by then: it is to be read before them.
func (r *Reader) journal(ctx context.Context, site string, hour int64, consistent bool) (*journal.Journal, error) {
	j, s := new(journal.Journal), scan{q: sinks.Query{PK: r.keys.BreakdownOfDay(site, hour), Prefix: sinks.LatePrefix, Consistent: consistent}}
	for {
		if err := s.fill(ctx, r); err != nil || len(s.items) == 0 {
			return j, err
		}
		for _, it := range s.items {
			if r.expired(it) {
				continue
			}
			e, err := journal.Read(it)
			if err != nil {
				return nil, err
			}
			j.Add(e)
		}
		s.items = nil
	}
}

// dateOf returns the first instant of the date in UTC that an hour begins on.
func dateOf(hour int64) int64 { return time.UnixMilli(hour).UTC().Truncate(24 * time.Hour).UnixMilli() }

// ofDate begins a walk over the hours of a span under the key of their date.
func (r *Reader) ofDate(pk, prefix string, s span, desc, consistent bool) *merge {
	q := sinks.Query{Desc: desc, Consistent: consistent}
	q.From, q.To = s.hourBounds(prefix)
	return r.walk(q, maxPage, position{}, false, pk)
}
