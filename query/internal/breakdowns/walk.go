package breakdowns

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sum gathers the values of a dimension that the walks of several sites find.
type Sum struct {
	*Walk
	By    Dimension
	Began *time.Time // the first of the site's goals; nil: there is none, or from the beginning
	Rates bool       // of conversions are known
	Merge *sketch.BreakdownMerge
}

// Walk reads the breakdowns of sites once, for several dimensions.
type Walk struct {
	Sums []*Sum // one for each dimension

	mu                    sync.Mutex             // covers all below, and the merges of sums
	whole                 *sketch.BreakdownMerge // of a dimension in which every event has a value: a sum's merge, or another
	Stats                 sitetable.Sums         // of the same hours
	Sites, Hours, Expired int
}

// whole is the channel, which every event has.
const whole = sketch.Channel

// NewWalk makes a walk for dimensions.
func NewWalk(dimensions []Dimension) *Walk {
	w := new(Walk)
	for _, by := range dimensions {
		if w.Sum(by) != nil {
			continue
		}
		t := &Sum{Walk: w, By: by, Merge: sketch.NewBreakdownMerge(by.D)}
		if w.Sums = append(w.Sums, t); by.D == whole && by.property == "" {
			w.whole = t.Merge
		}
	}
	if w.whole == nil {
		w.whole = sketch.NewBreakdownMerge(whole)
	}
	return w
}

// Sum returns what is gathered of a dimension; nil: it is not asked for.
func (w *Walk) Sum(by Dimension) *Sum {
	for _, t := range w.Sums {
		if t.By == by {
			return t
		}
	}
	return nil
}

// AddSite merges the breakdowns of a site; it reads sealed days and months in place of their hours.
func (w *Walk) AddSite(ctx context.Context, table sitetable.Table, s calendar.Span) error {
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
	w.Hours += hours
	w.Expired += expired
	w.Stats.Merge(stats)
	if hours > 0 {
		w.Sites++
	}
	return nil
}

// addHours merges the breakdowns of a span. It returns how many hours had one, how many items have expired, and the sums of the stats.
func (w *Walk) addHours(ctx context.Context, table sitetable.Table, s calendar.Span) (hours, expired int, stats sitetable.Sums,
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
func (w *Walk) addHour(it sinks.Item, hour int64, late *journal.Journal, of *sites.Rules) error {
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
	has := false // a dimension that is asked for is merged into whole already
	for _, t := range w.Sums {
		if from := t.from(of); from != nil {
			t.Merge.AddOf(part, *from)
		}
		has = has || t.Merge == w.whole
	}
	if !has {
		w.whole.Add(part)
	}
	return nil
}

// None returns the counts of what has no value: those of all events without those of all values. Both are from the same items, so
// neither a flush that is being written nor an hour without a breakdown makes a difference. ok is false if there are more of the values
// than of all.
func (t *Sum) None() (rest sketch.Counts, ok bool) {
	all, have := countsOf(t.whole), countsOf(t.Merge)
	rest = sketch.Counts{Events: all.Events - have.Events, PageViews: all.PageViews - have.PageViews}
	if rest.Events < 0 || rest.PageViews < 0 {
		return rest, false
	}
	if t.By.property == "" {
		// Where a gap has left open whether a flush is in an hour, what sessions take back is not always there.
		rest.Sessions, rest.Bounces = max(0, all.Sessions-have.Sessions), max(0, all.Bounces-have.Bounces)
		rest.DurationMs = max(0, all.DurationMs-have.DurationMs)
		if t.By.D.Converts() {
			won := all.Conversions.Plus(have.Conversions.Neg())
			won.Sessions, won.Further = max(0, won.Sessions), max(0, won.Further)
			rest.Conversions = won
		}
	}
	return rest, true
}

// NotBrokenDown returns how many events are in the stats and not in the breakdowns, which are read after them.
func (t *Sum) NotBrokenDown() int64 {
	return max(0, t.Stats.Counts[figures.Events]-countsOf(t.whole).Events)
}

// countsOf returns the counts of a whole dimension.
func countsOf(m *sketch.BreakdownMerge) sketch.Counts {
	var all []string
	for _, row := range m.Rows() {
		all = append(all, row.Value)
	}
	return m.Other(all...)
}

// from returns which dimension of a site's breakdowns is asked for; nil: the site has not chosen the property.
func (t *Sum) from(rules *sites.Rules) *sketch.Dimension {
	if t.By.property == "" {
		return &t.By.D
	}
	if p, ok := rules.Property(t.By.property); ok {
		return new(p.Dimension())
	}
	return nil
}

// ConversionsSince finds from when on the range has conversions: the site must have had a goal from its beginning on for rates to be known.
func (t *Sum) ConversionsSince(table sitetable.Table, s calendar.Span) {
	if table.Clock.Rules == nil {
		return
	}
	first, some := int64(0), false
	for _, g := range table.Clock.Rules.Goals {
		if !some || g.Since < first {
			first, some = g.Since, true
		}
	}
	if first > 0 {
		t.Began = new(calendar.Instant(first))
	}
	t.Rates = some && s.From >= first
}
