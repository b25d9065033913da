package sitetable

import (
	"context"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// An edge is the first or the last item of a kind that a site has.
type edge struct {
	calendar.Span
	kept int64 // ms that the item outlives its end; -1: for ever
}

// DataIn finds where the site has data, for an answer that is made of items of a kind and has none. The range is in the zone of the
// answer. Items of the range were kept as long as the oldest that is left, so that decides whether they have expired; if none of the kind
// is left, all have. Where days have expired, answers are made of hours. nil: the site has no data.
func (t Table) DataIn(ctx context.Context, kind bucketKind, asked calendar.Span, loc *time.Location) (*ranges.Stored, error) {
	t.Desc = false
	var edges [4]edge // first day, last day, first month, last month: months outlive days
	var found [4]bool
	for i, of := range []bucketKind{DayStats, DayStats, monthStats, monthStats} {
		var err error
		if edges[i], found[i], err = t.edge(ctx, of, i%2 == 1); err != nil {
			return nil, err
		}
	}
	var all calendar.Span
	switch {
	case found[0] && found[2] && edges[2].To <= edges[0].From:
		all = calendar.Span{From: edges[2].From, To: edges[1].To}
	case found[0]:
		all = calendar.Span{From: edges[0].From, To: edges[1].To}
	case found[2]:
		all = calendar.Span{From: edges[2].From, To: edges[3].To}
	default:
		first, any, err := t.edge(ctx, HourStats, false)
		if err != nil || !any {
			return nil, err
		}
		last, _, err := t.edge(ctx, HourStats, true)
		if err != nil {
			return nil, err
		}
		all = calendar.Span{From: t.Clock.Day(first.From).From, To: t.Clock.Day(last.From).To}
	}
	oldest, left, err := t.edge(ctx, kind, false)
	if err == nil && !left && kind.Prefix == DayStats.Prefix {
		oldest, left, err = t.edge(ctx, HourStats, false)
	}
	if err != nil {
		return nil, err
	}
	expired := !left && asked.From < all.To
	if left {
		expired = oldest.kept >= 0 && asked.From+(oldest.To-oldest.From)+oldest.kept <= t.Now().UnixMilli()
	}
	return &ranges.Stored{From: calendar.Instant(all.From).In(loc), To: calendar.Instant(all.To).In(loc), Expired: expired}, nil
}

// DataOf finds where a site has data, for a list of its sessions or events that is empty; nil: the site has none.
func (t *Store) DataOf(ctx context.Context, site string, consistent bool) (*ranges.Stored, error) {
	table, _, err := t.Open(ctx, site, consistent)
	if err != nil {
		return nil, err
	}
	s, err := table.DataIn(ctx, DayStats, calendar.Span{}, time.UTC)
	if s != nil {
		s.Expired = false // That is known of counts alone.
	}
	return s, err
}

// edge reads the first item of a kind that has not expired, or the last.
func (t Table) edge(ctx context.Context, kind bucketKind, last bool) (e edge, found bool, err error) {
	q := sinks.Query{PK: t.Keys.Site(t.Site), Prefix: kind.Prefix, Desc: last, Limit: 16, Consistent: t.Consistent}
	for it, err := range sinks.Checked(sinks.Items(ctx, t.Table, q), intact) {
		if err != nil {
			return edge{}, false, err
		}
		if t.Expired(it) {
			continue
		}
		start, err := kind.start(Listed{Item: it, At: Position{Key: it.Key().SK}})
		if err != nil {
			return edge{}, false, err
		}
		e.Span = t.spanOf(kind, start)
		e.kept = keptFor(it, e.To)
		return e, true, nil
	}
	return edge{}, false, nil
}

// spanOf returns the hour, day or month of a kind that begins at an instant.
func (t Table) spanOf(kind bucketKind, start int64) calendar.Span {
	switch kind.Prefix {
	case HourStats.Prefix:
		return calendar.Span{From: start, To: start + calendar.HourMs}
	case monthStats.Prefix:
		return calendar.Calendar{By: ranges.Month, Loc: time.UTC}.Bucket(start).Span
	}
	return t.Clock.Day(start)
}

// LastEvents returns the hour in which the site's last event lies, or the day once its hours have expired; nil: it has none.
func (t Table) LastEvents(ctx context.Context) (*ranges.Within, error) {
	for _, kind := range []bucketKind{HourStats, DayStats} {
		e, found, err := t.edge(ctx, kind, true)
		if err != nil {
			return nil, err
		}
		if found {
			return &ranges.Within{From: calendar.Instant(e.From), To: calendar.Instant(e.To)}, nil
		}
	}
	return nil, nil
}
