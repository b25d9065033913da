package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
)

// Stored says where a site has data, in an answer that has none: from the first stored day or month to the last. Data in between may be
// missing.
type Stored struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"` // exclusive
	// Expired says that data of the range of the answer, if there was any, must have expired.
	Expired bool `json:"rangeExpired"`
}

// Within is a stored hour or day in which an event lies.
type Within struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"` // exclusive
}

// An edge is the first or the last item of a kind that a site has.
type edge struct {
	calendar.Span
	kept int64 // ms that the item outlives its end; -1: for ever
}

// stored finds where the site has data, for an answer that is made of items of a kind and has none. The range is in the zone of the
// answer. Items of the range were kept as long as the oldest that is left, so that decides whether they have expired; if none of the kind
// is left, all have. Where days have expired, answers are made of hours. nil: the site has no data.
func (t siteTable) stored(ctx context.Context, kind bucketKind, asked calendar.Span, loc *time.Location) (*Stored, error) {
	t.desc = false
	var edges [4]edge // first day, last day, first month, last month: months outlive days
	var found [4]bool
	for i, of := range []bucketKind{dayStats, dayStats, monthStats, monthStats} {
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
		first, any, err := t.edge(ctx, hourStats, false)
		if err != nil || !any {
			return nil, err
		}
		last, _, err := t.edge(ctx, hourStats, true)
		if err != nil {
			return nil, err
		}
		all = calendar.Span{From: t.clock.Day(first.From).From, To: t.clock.Day(last.From).To}
	}
	oldest, left, err := t.edge(ctx, kind, false)
	if err == nil && !left && kind.prefix == dayStats.prefix {
		oldest, left, err = t.edge(ctx, hourStats, false)
	}
	if err != nil {
		return nil, err
	}
	expired := !left && asked.From < all.To
	if left {
		expired = oldest.kept >= 0 && asked.From+(oldest.To-oldest.From)+oldest.kept <= t.now().UnixMilli()
	}
	return &Stored{calendar.Instant(all.From).In(loc), calendar.Instant(all.To).In(loc), expired}, nil
}

// dataOf finds where a site has data, for a list of its sessions or events that is empty; nil: the site has none.
func (t *store) dataOf(ctx context.Context, site string, consistent bool) (*Stored, error) {
	table, _, err := t.siteTable(ctx, site, consistent)
	if err != nil {
		return nil, err
	}
	s, err := table.stored(ctx, dayStats, calendar.Span{}, time.UTC)
	if s != nil {
		s.Expired = false // That is known of counts alone.
	}
	return s, err
}

// edge reads the first item of a kind that has not expired, or the last.
func (t siteTable) edge(ctx context.Context, kind bucketKind, last bool) (e edge, found bool, err error) {
	q := sinks.Query{PK: t.keys.Site(t.site), Prefix: kind.prefix, Desc: last, Limit: 16, Consistent: t.consistent}
	for it, err := range sinks.Checked(sinks.Items(ctx, t.table, q), intact) {
		if err != nil {
			return edge{}, false, err
		}
		if t.expired(it) {
			continue
		}
		start, err := kind.start(listed{Item: it, at: position{Key: it.Key().SK}})
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
func (t siteTable) spanOf(kind bucketKind, start int64) calendar.Span {
	switch kind.prefix {
	case hourStats.prefix:
		return calendar.Span{From: start, To: start + calendar.HourMs}
	case monthStats.prefix:
		return calendar.Calendar{By: Month, Loc: time.UTC}.Bucket(start).Span
	}
	return t.clock.Day(start)
}

// lastEvents returns the hour in which the site's last event lies, or the day once its hours have expired; nil: it has none.
func (t siteTable) lastEvents(ctx context.Context) (*Within, error) {
	for _, kind := range []bucketKind{hourStats, dayStats} {
		e, found, err := t.edge(ctx, kind, true)
		if err != nil {
			return nil, err
		}
		if found {
			return &Within{calendar.Instant(e.From), calendar.Instant(e.To)}, nil
		}
	}
	return nil, nil
}
