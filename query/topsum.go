package query

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// topSum gathers the values of a dimension that the walks of several sites find.
type topSum struct {
	*topWalk
	by    topDimension
	began *time.Time // the first of the site's goals; nil: there is none, or from the beginning
	rates bool       // of conversions are known
	merge *sketch.BreakdownMerge
}

// topWalk reads the breakdowns of sites once, for several dimensions.
type topWalk struct {
	sums []*topSum // one for each dimension
	of   int       // sites that were asked

	mu                    sync.Mutex             // covers all below, and the merges of sums
	whole                 *sketch.BreakdownMerge // of a dimension in which every event has a value: a sum's merge, or another
	stats                 sitetable.Sums         // of the same hours
	sites, hours, expired int
}

// Every event has a channel.
const whole = sketch.Channel

func newTopWalk(dimensions []topDimension) *topWalk {
	w := new(topWalk)
	for _, by := range dimensions {
		if w.sum(by) != nil {
			continue
		}
		t := &topSum{topWalk: w, by: by, merge: sketch.NewBreakdownMerge(by.d)}
		if w.sums = append(w.sums, t); by.d == whole && by.property == "" {
			w.whole = t.merge
		}
	}
	if w.whole == nil {
		w.whole = sketch.NewBreakdownMerge(whole)
	}
	return w
}

// sum returns what is gathered of a dimension; nil: it is not asked for.
func (w *topWalk) sum(by topDimension) *topSum {
	for _, t := range w.sums {
		if t.by == by {
			return t
		}
	}
	return nil
}

// addSites merges the breakdowns of every site of an owner; "": of the table.
func (w *topWalk) addSites(ctx context.Context, table *sitetable.Store, s calendar.Span, p TopParams) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, gctx := errgroup.WithContext(ctx)
	group.SetLimit(sitetable.FanOut)
	for site, err := range sitesOf(ctx, table, p.Owner, p.Consistent) {
		if err != nil {
			stop()
			return errors.Join(err, group.Wait())
		}
		of := sitetable.Table{Store: table, Site: site.SiteID, Clock: calendar.Clock{Rules: site.rules}, Consistent: p.Consistent}
		w.of++
		group.Go(func() error { return w.addSite(gctx, of, s) })
	}
	return group.Wait()
}

// addSite merges the breakdowns of a site; of whole days and months that are sealed it reads that.
func (w *topWalk) addSite(ctx context.Context, table sitetable.Table, s calendar.Span) error {
	hours, expired, stats := 0, 0, sitetable.Sums{}
	for part, err := range table.Stretches(s, sitetable.SealedBreakdowns(table.Keys)).All(ctx) {
		if err != nil {
			return err
		}
		if part.Sealed != nil {
			hours += int(part.Sealed[sinks.AttrHours].Int())
			stats.Merge(part.Sums())
			if err := w.addHour(part.Sealed, 0, nil, table.Clock.Rules); err != nil {
				return err
			}
			continue
		}
		h, e, n, err := w.addHours(ctx, table, part.Span)
		if err != nil {
			return err
		}
		hours, expired = hours+h, expired+e
		stats.Merge(n)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hours += hours
	w.expired += expired
	w.stats.Merge(stats)
	if hours > 0 {
		w.sites++
	}
	return nil
}

// addHours merges the breakdowns of a span. It returns how many hours had one, how many items have expired, and the sums of the stats.
func (w *topWalk) addHours(ctx context.Context, table sitetable.Table, s calendar.Span) (hours, expired int, stats sitetable.Sums,
	err error) {
	last := int64(-1)
	for date, err := range table.DatesOf(ctx, s) {
		if err != nil {
			return 0, 0, sitetable.Sums{}, err
		}
		stats.Merge(date.Sums)
		late, err := table.Journal(ctx, date.From)
		if err != nil {
			return 0, 0, sitetable.Sums{}, err
		}
		walk := table.HourItems(sitetable.HourBreakdowns, table.Keys.BreakdownOfDay(table.Site, date.From), date.Span)
		walk.Within = s
		for it, err := range walk.All(ctx) {
			if err == nil {
				err = w.addHour(it.Item, it.Start, late, table.Clock.Rules)
			}
			if err != nil {
				return 0, 0, sitetable.Sums{}, err
			}
			if it.Start != last {
				hours, last = hours+1, it.Start
			}
		}
		expired += walk.Expired
	}
	return hours, expired, stats, nil
}

// addHour merges the dimensions of a site's breakdown, and what the journal of its date has of them; nil: it is sealed.
func (w *topWalk) addHour(it sinks.Item, hour int64, late *journal.Journal, of *sites.Rules) error {
	part := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(it[sinks.AttrPart].Bytes(), part); err != nil {
		return sinks.Damaged(it.Key(), sinks.AttrPart, err)
	}
	if late != nil {
		if err := late.ApplyTo(part, it, hour); err != nil {
			return fmt.Errorf("%s / %s: %w", it.Key().PK, it.Key().SK, err)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	has := false // whole is the merge of a dimension that is asked for
	for _, t := range w.sums {
		if from := t.from(of); from != nil {
			t.merge.AddOf(part, *from)
		}
		has = has || t.merge == w.whole
	}
	if !has {
		w.whole.Add(part)
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
	rest := sketch.Counts{Events: n.Events, PageViews: n.PageViews}
	if t.by.property == "" {
		// Where a gap has left open whether a flush is in an hour, what sessions take back is not always there.
		rest.Sessions, rest.Bounces = max(0, all.Sessions-have.Sessions), max(0, all.Bounces-have.Bounces)
		rest.DurationMs = max(0, all.DurationMs-have.DurationMs)
		if t.by.d.Converts() {
			won := all.Conversions.Plus(have.Conversions.Neg())
			won.Sessions, won.Further = max(0, won.Sessions), max(0, won.Further)
			rest.Conversions = won
			n.TopConversions = s.conversions(&rest)
		}
	}
	if s.figure != "uniqueVisitors" {
		n.Share = s.of(&rest)
	}
	n.Sessions, n.Bounces, n.DurationMs = rest.Sessions, rest.Bounces, rest.DurationMs
	n.BounceRate, n.AvgDurationMs = ratio(n.Bounces, n.Sessions), average(n.DurationMs, n.Sessions)
	return &n
}

// notBrokenDown returns how many events are in the stats and not in the breakdowns, which are read after them.
func (t *topSum) notBrokenDown() int64 {
	return max(0, t.stats.Counts[figures.Events]-countsOf(t.whole).Events)
}

// countsOf returns the counts of a whole dimension.
func countsOf(m *sketch.BreakdownMerge) sketch.Counts {
	var all []string
	for _, row := range m.Rows() {
		all = append(all, row.Value)
	}
	return m.Other(all...)
}
