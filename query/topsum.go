package query

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// topSum gathers what the walks of several sites find.
type topSum struct {
	by    topDimension
	of    int        // sites that were asked
	began *time.Time // the first of the site's goals; nil: there is none, or from the beginning
	rates bool       // of conversions are known

	mu                    sync.Mutex // covers all below
	merge                 *sketch.BreakdownMerge
	whole                 *sketch.BreakdownMerge // of a dimension in which every event has a value: merge's, or another
	stats                 sums                   // of the same hours
	sites, hours, expired int
}

// Every event has a channel.
const whole = sketch.Channel

func newTopSum(by topDimension) *topSum {
	t := &topSum{by: by, merge: sketch.NewBreakdownMerge(by.d)}
	if t.whole = t.merge; by.d != whole {
		t.whole = sketch.NewBreakdownMerge(whole)
	}
	return t
}

// addSites merges the breakdowns of every site of an owner; "": of the table.
func (t *topSum) addSites(ctx context.Context, table *store, s span, p TopParams) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for site, err := range table.sitesOf(ctx, p.Owner, p.Consistent) {
		if err != nil {
			stop()
			return errors.Join(err, group.Wait())
		}
		of := siteTable{store: table, site: site.SiteID, clock: siteClock{site.rules}, consistent: p.Consistent}
		t.of++
		group.Go(func() error { return t.addSite(gctx, of, s) })
	}
	return group.Wait()
}

// addSite merges the breakdowns of a site; of whole days and months that are sealed it reads that.
func (t *topSum) addSite(ctx context.Context, table siteTable, s span) error {
	hours, expired, stats := 0, 0, sums{}
	from := t.from(table.clock.rules)
	for part, err := range table.stretches(s, sealedBreakdowns(table.keys)).all(ctx) {
		if err != nil {
			return err
		}
		if part.sealed != nil {
			hours += int(part.sealed[sinks.AttrHours].Int())
			stats.plus(part.sums())
			if err := t.addHour(part.sealed, 0, nil, from); err != nil {
				return err
			}
			continue
		}
		h, e, n, err := t.addHours(ctx, table, part.span, from)
		if err != nil {
			return err
		}
		hours, expired = hours+h, expired+e
		stats.plus(n)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.hours += hours
	t.expired += expired
	t.stats.plus(stats)
	if hours > 0 {
		t.sites++
	}
	return nil
}

// addHours merges the breakdowns of a span. It returns how many hours had one, how many items have expired, and the sums of the stats.
func (t *topSum) addHours(ctx context.Context, table siteTable, s span, from *sketch.Dimension) (hours, expired int, stats sums,
	err error) {
	last := int64(-1)
	for date, err := range table.dates(ctx, s) {
		if err != nil {
			return 0, 0, sums{}, err
		}
		stats.plus(date.sums)
		late, err := table.journal(ctx, date.from)
		if err != nil {
			return 0, 0, sums{}, err
		}
		walk := table.hourItems(hourBreakdowns, table.keys.BreakdownOfDay(table.site, date.from), date.span)
		walk.within = s
		for it, err := range walk.all(ctx) {
			if err == nil {
				err = t.addHour(it.Item, it.start, late, from)
			}
			if err != nil {
				return 0, 0, sums{}, err
			}
			if it.start != last {
				hours, last = hours+1, it.start
			}
		}
		expired += walk.expired
	}
	return hours, expired, stats, nil
}

// addHour merges a dimension of a breakdown, nil: none, and what the journal of its date has of it; nil: it is sealed.
func (t *topSum) addHour(it sinks.Item, hour int64, late *journal.Journal, from *sketch.Dimension) error {
	part := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), part); err != nil {
		return sinks.Damaged(it.Key(), sinks.AttrPart, err)
	}
	if late != nil {
		if err := late.ApplyTo(part, it, hour); err != nil {
			return fmt.Errorf("%s / %s: %w", it.Key().PK, it.Key().SK, err)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if from != nil {
		t.merge.AddOf(part, *from)
	}
	if t.whole != t.merge {
		t.whole.Add(part)
	}
	return nil
}

// none returns the figures of what has no value: those of all events without those of all values. Both are from the same items, so
// neither a flush that is being written nor an hour without a breakdown makes a difference. nil: there are more of the values than of all.
func (t *topSum) none(s shares) *TopNone {
	all, have := countsOf(t.whole), countsOf(t.merge)
	n := TopNone{Events: all.Events - have.Events, PageViews: all.PageViews - have.PageViews,
		TopConversions: s.conversions(new(sketch.Counts))}
	if n.Events < 0 || n.PageViews < 0 {
		return nil
	}
	if t.by.property != "" {
		if s.figure != "uniqueVisitors" {
			n.Share = s.of(&sketch.Counts{Events: n.Events, PageViews: n.PageViews})
		}
		return &n
	}
	// Where a gap has left open whether a flush is in an hour, what sessions take back is not always there.
	n.Sessions, n.Bounces = max(0, all.Sessions-have.Sessions), max(0, all.Bounces-have.Bounces)
	n.DurationMs = max(0, all.DurationMs-have.DurationMs)
	if s.figure != "uniqueVisitors" {
		n.Share = s.of(&sketch.Counts{Events: n.Events, PageViews: n.PageViews,
			Booking: sketch.Booking{Sessions: n.Sessions, Bounces: n.Bounces, DurationMs: n.DurationMs}})
	}
	if t.by.d.Converts() {
		rest := all.Conversions.Plus(have.Conversions.Neg())
		rest.Sessions, rest.Further = max(0, rest.Sessions), max(0, rest.Further)
		n.TopConversions = s.conversions(&sketch.Counts{Booking: sketch.Booking{Sessions: n.Sessions}, Conversions: rest})
	}
	n.BounceRate, n.AvgDurationMs = ratio(n.Bounces, n.Sessions), average(n.DurationMs, n.Sessions)
	return &n
}

// notBrokenDown returns how many events are in the stats and not in the breakdowns, which are read after them.
func (t *topSum) notBrokenDown() int64 { return max(0, t.stats.events-countsOf(t.whole).Events) }

// countsOf returns the counts of a whole dimension.
func countsOf(m *sketch.BreakdownMerge) sketch.Counts {
	var all []string
	for _, row := range m.Rows() {
		all = append(all, row.Value)
	}
	return m.Other(all...)
}
