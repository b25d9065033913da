package query

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/passing"
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
	return ask(ctx, r, p, answerFilteredStats, "stats of site %q", p.Site)
}

func answerFilteredStats(ctx context.Context, t *sitetable.Store, p FilteredStatsParams) (a FilteredStatsAnswer, err error) {
	q, a, err := newFilteredStats(ctx, t, p)
	if err != nil || !a.SiteKnown {
		return a, err
	}
	now, before := q.part(q.Span), q.part(q.Before)
	if d, ok := derived.StoredDimension(&q.filter); ok {
		a.Filter = q.filter.Report(FromBreakdowns)
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
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return q, a, err
	}
	if err := p.Check(); err != nil {
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
		err = stats.Prepare(ctx)
	}
	if err != nil {
		return q, a, err
	}
	for _, s := range []calendar.Span{stats.Span, stats.Before} {
		if s.From >= s.To {
			continue
		}
		if n := stats.Cal.Count(s); n > mostSitesRows {
			return q, a, &ParamError{Param: "by", Value: string(stats.Cal.By),
				Remedy: fmt.Sprintf("the range has %d rows, and a filtered answer %d at most: choose "+
					"larger ones", n, mostSitesRows)}
		}
	}
	q = filteredStats{stats, passing.NewQuestion(table, stats.Span, p.FilterParams)}
	a = FilteredStatsAnswer{Site: p.Site, By: q.Cal.By, Zone: q.Cal.Loc.String(), From: q.Cal.Instant(q.Span.From),
		To: q.Cal.Instant(q.Span.To), InProgress: q.Span.To > t.Now().UnixMilli(), Buckets: []FilteredBucket{}, Previous: q.previous(),
		Coverage: q.covers.Of(q.Span.To, q.Cal.Instant)}
	if a.SiteKnown, err = t.Known(ctx, p.Site, created); err != nil || !a.SiteKnown {
		a.Filter, q.Fill = q.filter.Report(FromBreakdowns), false
		q.complete(&a, q.part(q.Span), q.part(q.Before))
	}
	return q, a, err
}

// A filteredStats is a question for the figures of what passes filters.
type filteredStats struct {
	statsQuestion
	filter passing.Question
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
	nothing := derived.OfPassing(passing.NewSums(), q.filter.Scope)
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
	now, part := q.Table.Now().UnixMilli(), b.In(of.span)
	return FilteredBucket{Start: q.Cal.Instant(b.From), End: q.Cal.Instant(b.To), InProgress: part.To > now,
		Partial: part.From > b.From || part.To < min(b.To, now+1), FilteredFigures: of.figures(b.N)}
}

// fromBreakdowns answers from the breakdowns of a dimension.
func (q *filteredStats) fromBreakdowns(ctx context.Context, d breakdowns.Dimension, parts ...*filteredPart) error {
	if q.filter.Params.EstimateOnly {
		return nil
	}
	for _, p := range parts {
		p.nothing = derived.OfValue(&sketch.Counts{Visitors: sketch.NewRow()}, d.D, q.filter.Scope)
		total := breakdowns.NewWalk([]breakdowns.Dimension{d}).Sum(d)
		for at := p.span.From; at < p.span.To; {
			b := q.Cal.Bucket(at)
			walk := breakdowns.NewWalk([]breakdowns.Dimension{d})
			walk.Sums = append(walk.Sums, total)
			if err := walk.AddSite(ctx, q.Table, b.In(p.span)); err != nil {
				return err
			}
			if f, ok := derived.OfStored(&q.filter, walk.Sum(d)); ok {
				p.rows[b.N] = f
			}
			p.expired += walk.Expired
			at = b.To
		}
		p.totals, _ = derived.OfStored(&q.filter, total)
	}
	return nil
}

// fromEvents answers from raw events.
func (q *filteredStats) fromEvents(ctx context.Context, parts ...*filteredPart) (FilterReport, error) {
	var ranges []passing.Range
	var all []*statsSums
	for _, p := range parts {
		if p.span.From >= p.span.To {
			continue
		}
		sums := q.newSums(p)
		all = append(all, sums)
		ranges = append(ranges, passing.Range{Question: passing.NewQuestion(q.Table, p.span, q.filter.Params),
			Into: func(at int64, _ []string) []*passing.Sums { return sums.At(at) }})
	}
	report, err := passing.ReadRanges(ctx, ranges...)
	if err != nil || q.filter.Params.EstimateOnly {
		return report, err
	}
	for _, sums := range all {
		sums.end()
	}
	return report, nil
}

// statsSums are the sums of the buckets of a part, and of all of them.
type statsSums struct {
	*passing.Buckets
	scope Scope
	part  *filteredPart
}

func (q *filteredStats) newSums(p *filteredPart) *statsSums {
	return &statsSums{passing.NewBuckets(q.Cal), q.filter.Scope, p}
}

// end makes figures of the part of what was read.
func (s *statsSums) end() {
	for n, sums := range s.Sums {
		s.part.rows[n] = derived.OfPassing(sums, s.scope)
	}
	s.part.totals = derived.OfPassing(s.Total, s.scope)
}

// complete makes the answer of what was read.
func (q *filteredStats) complete(a *FilteredStatsAnswer, now, before *filteredPart) {
	a.Totals, a.ExpiredOmitted = &now.totals, now.expired+before.expired
	if a.Previous != nil {
		a.Previous.sumUp(now.totals, before.totals, q.Early())
	}
	for _, n := range q.Numbers(maps.Keys(now.rows), maps.Keys(before.rows)) {
		b := q.show(q.Cal.At(n), now)
		if p := q.BeforeOf(n); p != nil {
			was := q.show(*p, before)
			b.Previous = &was
			if q.Cal.By != Hour || !b.InProgress { // Part of an hour and a whole one do not compare.
				change := b.Since(was.FilteredFigures)
				if q.Uncovered(max(p.From, q.Before.From)) {
					derived.WithoutRelative(&change)
				}
				b.Change = &change
			}
		}
		a.Buckets = append(a.Buckets, b)
	}
}
