package query

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sketch"
)

// FilteredStatsParams ask for the figures of what passes filters, over a range.
type FilteredStatsParams struct {
	Site       string
	From, To   time.Time      // as in StatsParams
	By, Unit   By             // as in StatsParams
	Zone       *time.Location // as in StatsParams
	Compare    bool           // as in StatsParams, of what passes the same filters; and so are Against and Align
	Against    string
	Align      Align
	Fill       bool // adds a row for each bucket without data, up to the current one
	Consistent bool // strongly consistent reads, at twice the cost
	FilterParams
}

// FilteredStatsAnswer holds a row for each bucket of the range that has anything that passes the filters, 1,000 at most, and totals.
type FilteredStatsAnswer struct {
	Site string `json:"siteId"`
	Known
	By         By               `json:"by"`
	Zone       string           `json:"timeZone"` // by its IANA name
	From       time.Time        `json:"from"`
	To         time.Time        `json:"to"` // exclusive
	Filter     FilterReport     `json:"filter"`
	Buckets    []FilteredBucket `json:"buckets"`
	InProgress bool             `json:"inProgress"` // the range is not over
	Totals     *FilteredFigures `json:"totals"`     // of the whole range; null: only the cost was asked for
	// Previous is the range before, if Compare was set; nil: it was not. Filter has the cost of both.
	Previous       *FilteredPrevious `json:"previous,omitempty"`
	ExpiredOmitted int               `json:"expiredCount"`
	Coverage
}

// FilteredStats answers as [Reader.Stats] does, of what passes filters. One filter of the form DIMENSION=VALUE is answered from
// breakdowns, all others from raw events: a [FilterError] says if they are missing, or more than MaxEvents.
func (r *Reader) FilteredStats(ctx context.Context, p FilteredStatsParams) (FilteredStatsAnswer, error) {
	a, err := answerFilteredStats(ctx, r.store, p)
	return about(a, err, "stats of site %q", p.Site)
}

func answerFilteredStats(ctx context.Context, t *sitetable.Store, p FilteredStatsParams) (a FilteredStatsAnswer, err error) {
	q, a, err := newFilteredStats(ctx, t, p)
	if err != nil || !a.SiteKnown {
		return a, err
	}
	now, before := q.part(q.span), q.part(q.before)
	if d, ok := q.filter.stored(); ok {
		a.Filter = q.filter.report(FromBreakdowns)
		err = q.fromBreakdowns(ctx, d, now, before)
	} else {
		a.Filter, err = q.fromEvents(ctx, now, before)
	}
	if err != nil || p.EstimateOnly {
		return a, err
	}
	q.complete(&a, now, before)
	return a, nil
}

// newFilteredStats checks a question, and begins its answer. It is complete if the site is not known.
func newFilteredStats(ctx context.Context, t *sitetable.Store, p FilteredStatsParams) (q filteredStats, a FilteredStatsAnswer, err error) {
	if err := checkID("site", p.Site); err != nil {
		return q, a, err
	}
	if err := p.check(); err != nil {
		return q, a, err
	}
	table, created, err := t.Open(ctx, p.Site, p.Consistent)
	if err != nil {
		return q, a, err
	}
	stats, err := newStatsQuestion(StatsParams{Site: p.Site, From: p.From, To: p.To, By: p.By, Unit: p.Unit, Zone: p.Zone,
		Compare: p.Compare, Against: p.Against, Align: p.Align, Fill: p.Fill, Consistent: p.Consistent}, table)
	if err == nil {
		stats.covers, err = table.Covering(ctx) // Before the figures: they hold at least as much.
	}
	if err == nil {
		err = stats.prepare(ctx)
	}
	if err != nil {
		return q, a, err
	}
	for _, s := range []calendar.Span{stats.span, stats.before} {
		if s.From >= s.To {
			continue
		}
		if n := stats.cal.Count(s); n > mostSitesRows {
			return q, a, &ParamError{Param: "by", Value: string(stats.cal.By),
				Remedy: fmt.Sprintf("the range has %d rows, and a filtered answer %d at most: choose "+
					"larger ones", n, mostSitesRows)}
		}
	}
	q = filteredStats{stats, newFilterQuestion(table, stats.span, p.FilterParams)}
	a = FilteredStatsAnswer{Site: p.Site, By: q.cal.By, Zone: q.cal.Loc.String(), From: q.cal.Instant(q.span.From),
		To: q.cal.Instant(q.span.To), InProgress: q.span.To > t.Now().UnixMilli(), Buckets: []FilteredBucket{}, Previous: q.previous(),
		Coverage: q.covers.Of(q.span.To, q.cal.Instant)}
	if a.SiteKnown, err = t.Known(ctx, p.Site, created); err != nil || !a.SiteKnown {
		a.Filter, q.fill = q.filter.report(FromBreakdowns), false
		q.complete(&a, q.part(q.span), q.part(q.before))
	}
	return q, a, err
}

// A filteredStats is a question for the figures of what passes filters.
type filteredStats struct {
	statsQuestion
	filter filterQuestion
}

// A filteredPart is what was read of the range, or of the one that it is compared with.
type filteredPart struct {
	span    calendar.Span             // empty: there is none
	rows    map[int64]FilteredFigures // by the number of the bucket
	totals  FilteredFigures
	nothing FilteredFigures // of a bucket without any
	expired int
}

func (q *filteredStats) part(s calendar.Span) *filteredPart {
	nothing := newFilterSums().figures(q.filter.scope)
	return &filteredPart{span: s, rows: make(map[int64]FilteredFigures), totals: nothing, nothing: nothing}
}

// figures returns those of a bucket.
func (p *filteredPart) figures(n int64) FilteredFigures {
	if f, ok := p.rows[n]; ok {
		return f
	}
	return p.nothing
}

// show makes a row of a bucket and its figures, which are of a range.
func (q *filteredStats) show(b calendar.Bucket, of *filteredPart) FilteredBucket {
	now, part := q.t.Now().UnixMilli(), b.In(of.span)
	return FilteredBucket{Start: q.cal.Instant(b.From), End: q.cal.Instant(b.To), InProgress: part.To > now,
		Partial: part.From > b.From || part.To < min(b.To, now+1), FilteredFigures: of.figures(b.N)}
}

// fromBreakdowns answers from the breakdowns of a dimension.
func (q *filteredStats) fromBreakdowns(ctx context.Context, d topDimension, parts ...*filteredPart) error {
	if q.filter.p.EstimateOnly {
		return nil
	}
	for _, p := range parts {
		p.nothing = rowFigures(&sketch.Counts{Visitors: sketch.NewRow()}, d.d, q.filter.scope)
		total := newTopWalk([]topDimension{d}).sum(d)
		for at := p.span.From; at < p.span.To; {
			b := q.cal.Bucket(at)
			walk := newTopWalk([]topDimension{d})
			walk.sums = append(walk.sums, total)
			if err := walk.addSite(ctx, q.t, b.In(p.span)); err != nil {
				return err
			}
			if f, ok := q.filter.figuresOf(walk.sum(d)); ok {
				p.rows[b.N] = f
			}
			p.expired += walk.expired
			at = b.To
		}
		p.totals, _ = q.filter.figuresOf(total)
	}
	return nil
}

// fromEvents answers from raw events.
func (q *filteredStats) fromEvents(ctx context.Context, parts ...*filteredPart) (FilterReport, error) {
	var ranges []filterRange
	var all []*statsSums
	for _, p := range parts {
		if p.span.From >= p.span.To {
			continue
		}
		sums := q.newSums(p)
		all = append(all, sums)
		ranges = append(ranges, filterRange{q: newFilterQuestion(q.t, p.span, q.filter.p), into: func(at int64, _ []string) []*filterSums {
			return sums.at(at)
		}})
	}
	report, err := readRanges(ctx, ranges...)
	if err != nil || q.filter.p.EstimateOnly {
		return report, err
	}
	for _, sums := range all {
		sums.end()
	}
	return report, nil
}

// statsSums are the sums of the buckets of a part, and of all of them.
type statsSums struct {
	q       *filteredStats
	part    *filteredPart
	total   *filterSums
	buckets map[int64]*filterSums // by number
	last    calendar.Bucket
	into    []*filterSums // of last
}

func (q *filteredStats) newSums(p *filteredPart) *statsSums {
	return &statsSums{q: q, part: p, total: newFilterSums(), buckets: make(map[int64]*filterSums)}
}

// at returns where an event of that time counts.
func (s *statsSums) at(at int64) []*filterSums {
	if s.into == nil || !s.last.Has(at) {
		s.last = s.q.cal.Bucket(at)
		if s.buckets[s.last.N] == nil {
			s.buckets[s.last.N] = newFilterSums()
		}
		s.into = []*filterSums{s.buckets[s.last.N], s.total}
	}
	return s.into
}

// end makes figures of the part of what was read.
func (s *statsSums) end() {
	for n, sums := range s.buckets {
		s.part.rows[n] = sums.figures(s.q.filter.scope)
	}
	s.part.totals = s.total.figures(s.q.filter.scope)
}

// complete makes the answer of what was read.
func (q *filteredStats) complete(a *FilteredStatsAnswer, now, before *filteredPart) {
	a.Totals, a.ExpiredOmitted = &now.totals, now.expired+before.expired
	if a.Previous != nil {
		a.Previous.sumUp(now.totals, before.totals, q.early())
	}
	for _, n := range q.numbers(now, before) {
		b := q.show(q.cal.At(n), now)
		if p := q.beforeOf(n); p != nil {
			was := q.show(*p, before)
			b.Previous = &was
			if q.cal.By != Hour || !b.InProgress { // Part of an hour and a whole one do not compare.
				change := b.Since(was.FilteredFigures)
				if q.uncovered(max(p.From, q.before.From)) {
					withoutRelative(&change)
				}
				b.Change = &change
			}
		}
		a.Buckets = append(a.Buckets, b)
	}
}

// numbers returns the buckets that have a row: those that have anything in either range, or all up to the current one.
func (q *filteredStats) numbers(now, before *filteredPart) []int64 {
	has := make(map[int64]bool)
	for n := range now.rows {
		has[n] = true
	}
	first, last := q.cal.Bucket(q.span.From).N, q.cal.Bucket(q.span.To-1).N
	for n := range before.rows {
		if partner, ok := q.pairing.After(n); q.paired && ok && first <= partner && partner <= last && !q.cal.At(partner).Empty() {
			has[partner] = true
		}
	}
	for n := first; q.fill && n <= last && q.cal.At(n).From <= q.t.Now().UnixMilli(); n++ {
		if !q.cal.At(n).Empty() {
			has[n] = true
		}
	}
	return slices.Sorted(maps.Keys(has))
}

// beforeOf returns the bucket that the n-th is compared with; nil: there is none.
func (q *filteredStats) beforeOf(n int64) *calendar.Bucket {
	if !q.paired {
		return nil
	}
	before, ok := q.pairing.Before(n)
	if b := q.cal.At(before); ok && b.From < q.before.To && !b.Empty() {
		return &b
	}
	return nil
}
