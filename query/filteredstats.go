package query

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/sketch"
)

// FilteredStatsParams ask for the figures of what passes filters, over a range.
type FilteredStatsParams struct {
	Site       string
	From, To   time.Time      // as in StatsParams
	By, Unit   By             // as in StatsParams
	Zone       *time.Location // as in StatsParams
	Fill       bool           // adds a row for each bucket without data, up to the current one
	Consistent bool           // strongly consistent reads, at twice the cost
	FilterParams
}

// FilteredStatsAnswer holds a row for each bucket of the range that has anything that passes the filters, 1,000 at most, and totals.
type FilteredStatsAnswer struct {
	Site string `json:"siteId"`
	Known
	By             By               `json:"by"`
	Zone           string           `json:"timeZone"` // by its IANA name
	From           time.Time        `json:"from"`
	To             time.Time        `json:"to"` // exclusive
	Filter         FilterReport     `json:"filter"`
	Buckets        []FilteredBucket `json:"buckets"`
	InProgress     bool             `json:"inProgress"` // the range is not over
	Totals         *FilteredFigures `json:"totals"`     // of the whole range; null: only the cost was asked for
	ExpiredOmitted int              `json:"expiredCount"`
}

// FilteredStats answers as [Reader.Stats] does, of what passes filters. One filter of the form DIMENSION=VALUE is answered from
// breakdowns, all others from raw events: a [FilterError] says if they are missing, or more than MaxEvents.
func (r *Reader) FilteredStats(ctx context.Context, p FilteredStatsParams) (FilteredStatsAnswer, error) {
	a, err := answerFilteredStats(ctx, r.store, p)
	return about(a, err, "stats of site %q", p.Site)
}

func answerFilteredStats(ctx context.Context, t *store, p FilteredStatsParams) (a FilteredStatsAnswer, err error) {
	if err := checkID("site", p.Site); err != nil {
		return a, err
	}
	if err := p.check(); err != nil {
		return a, err
	}
	table, created, err := t.siteTable(ctx, p.Site, p.Consistent)
	if err != nil {
		return a, err
	}
	stats, err := newStatsQuestion(StatsParams{Site: p.Site, From: p.From, To: p.To, By: p.By, Unit: p.Unit, Zone: p.Zone,
		Consistent: p.Consistent}, table)
	if err != nil {
		return a, err
	}
	if n := stats.cal.count(stats.span); n > mostSitesRows {
		return a, &ParamError{"by", string(stats.cal.by), fmt.Sprintf("the range has %d rows, and a filtered answer %d at most: choose larger "+
			"ones", n, mostSitesRows)}
	}
	q := filteredStats{stats, newFilterQuestion(table, stats.span, p.FilterParams)}
	a = FilteredStatsAnswer{Site: p.Site, By: q.cal.by, Zone: q.cal.loc.String(), From: q.cal.instant(q.span.from),
		To: q.cal.instant(q.span.to), InProgress: q.span.to > t.now().UnixMilli(), Buckets: []FilteredBucket{}}
	if a.SiteKnown, err = t.known(ctx, p.Site, created); err != nil || !a.SiteKnown {
		a.Filter = q.filter.report(FromBreakdowns)
		a.Totals = new(newFilterSums().figures(q.filter.scope))
		return a, err
	}
	if d, ok := q.filter.stored(); ok {
		err = q.fromBreakdowns(ctx, &a, d)
	} else {
		err = q.fromEvents(ctx, &a)
	}
	if p.Fill && err == nil && a.Totals != nil {
		q.fillIn(&a)
	}
	return a, err
}

// A filteredStats is a question for the figures of what passes filters.
type filteredStats struct {
	statsQuestion
	filter filterQuestion
}

// show makes a row of a bucket and its figures.
func (q *filteredStats) show(b bucket, f FilteredFigures) FilteredBucket {
	now, part := q.t.now().UnixMilli(), b.in(q.span)
	return FilteredBucket{Start: q.cal.instant(b.from), End: q.cal.instant(b.to), InProgress: b.to > now,
		Partial: part.from > b.from || part.to < min(b.to, now+1), FilteredFigures: f}
}

// fromBreakdowns answers from the breakdowns of a dimension.
func (q *filteredStats) fromBreakdowns(ctx context.Context, a *FilteredStatsAnswer, d topDimension) error {
	a.Filter = q.filter.report(FromBreakdowns)
	if q.filter.p.EstimateOnly {
		return nil
	}
	total := newTopWalk([]topDimension{d}).sum(d)
	for at := q.span.from; at < q.span.to; {
		b := q.cal.bucket(at)
		walk := newTopWalk([]topDimension{d})
		walk.sums = append(walk.sums, total)
		if err := walk.addSite(ctx, q.t, b.in(q.span)); err != nil {
			return err
		}
		if f, ok := q.filter.figuresOf(walk.sum(d)); ok {
			a.Buckets = append(a.Buckets, q.show(b, f))
		}
		a.ExpiredOmitted += walk.expired
		at = b.to
	}
	totals, _ := q.filter.figuresOf(total)
	a.Totals = &totals
	return nil
}

// fromEvents answers from raw events.
func (q *filteredStats) fromEvents(ctx context.Context, a *FilteredStatsAnswer) (err error) {
	total, groups := newFilterSums(), make(map[int64]*filterSums)
	var last bucket
	var into []*filterSums
	a.Filter, err = q.filter.readEvents(ctx, func(at int64, _ string) []*filterSums {
		if into == nil || !last.has(at) {
			last = q.cal.bucket(at)
			if groups[last.n] == nil {
				groups[last.n] = newFilterSums()
			}
			into = []*filterSums{groups[last.n], total}
		}
		return into
	})
	if err != nil || q.filter.p.EstimateOnly {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(groups)) {
		a.Buckets = append(a.Buckets, q.show(q.cal.at(n), groups[n].figures(q.filter.scope)))
	}
	totals := total.figures(q.filter.scope)
	a.Totals = &totals
	return nil
}

// fillIn adds a row for each bucket that has none, up to the current one.
func (q *filteredStats) fillIn(a *FilteredStatsAnswer) {
	found := make(map[int64]FilteredBucket)
	for _, b := range a.Buckets {
		found[b.Start.UnixMilli()] = b
	}
	a.Buckets = a.Buckets[:0]
	nothing := newFilterSums().figures(q.filter.scope)
	if a.Filter.Source == FromBreakdowns {
		nothing = rowFigures(&sketch.Counts{Visitors: sketch.NewRow()}, sketch.Page, q.filter.scope)
	}
	now := q.t.now().UnixMilli()
	for at := q.span.from; at < q.span.to; {
		b := q.cal.bucket(at)
		row, ok := found[b.from]
		if !ok {
			row = q.show(b, nothing)
		}
		if ok || b.from <= now {
			a.Buckets = append(a.Buckets, row)
		}
		at = b.to
	}
}
