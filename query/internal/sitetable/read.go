package sitetable

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/internal/kept"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// FanOut is how many requests of one question are under way at once. A site has 16 shards by default: two rounds
// instead of sixteen, while a dashboard of a dozen panels stays near a hundred connections.
const FanOut = 8

// MaxPage bounds how many items one request asks for, so that a fan-out of small pages stays small.
const MaxPage = 500

// patience is how often reads that the store refuses for lack of capacity, or does not answer, are repeated: after pauses of up to
// 50, 100, 200, 400 and 800 ms, 0.8 s on average before a question fails. That rides out a burst; an outage is the asker's to
// wait for.
var patience = retry.Policy{First: 50 * time.Millisecond, Tries: 6}

// A Store is a table as questions read it. It repeats reads that fail for the moment, up to six times unless the table does, and
// refuses damaged items. Safe for concurrent use.
type Store struct {
	Table sinks.Table
	Keys  sinks.Keys
	Now   func() time.Time
	// Since is the first date of the generation, ms since the epoch; 0: it has all. Another generation keeps earlier dates. What is remembered
	// from one day to the next, such as who is new, begins with Since.
	Since int64

	has    sinks.Generations         // of the table; the zero value: the first
	stands *standings                // of partitions, for answers that say up to when they are complete
	page   *atomic.Pointer[settings] // of a site that an answer of the page has read; nil: each answer reads them
}

// New makes a store of a table. keys names the generation of items to read, and now is the current time.
func New(table sinks.Table, keys sinks.Keys, now func() time.Time) *Store {
	return &Store{Table: patience.Reads(table), Keys: keys, Now: now, stands: new(standings)}
}

// SinceOf returns from when on what was decided at an instant holds, ms since the epoch: a rebuild has counted the past under it.
func (t *Store) SinceOf(decided int64) int64 { return kept.Since(t.has, decided) }

// Expired reports whether an item's time to live has passed.
func (t *Store) Expired(it sinks.Item) bool { return it.Expired(t.Now().Unix()) }

// intact returns the error of a damaged item. It ignores damaged entries in lists of sites, because one would hide all other sites.
func intact(it sinks.Item) error {
	switch it[sinks.AttrEntity].Str() {
	case sinks.EntitySiteEntry, sinks.EntitySite:
		return nil
	}
	return sinks.CheckKinds(it)
}

// Items reads what a query selects. A damaged item is an error.
func (t *Store) Items(ctx context.Context, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Limit = MaxPage
	return sinks.Checked(sinks.Items(ctx, t.Table, q), intact)
}

// Query reads one page of a partition key.
func (t *Store) Query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	page, err = t.Table.Query(ctx, q)
	for i := 0; err == nil && i < len(page.Items); i++ {
		err = intact(page.Items[i])
	}
	if err != nil {
		return sinks.Page{}, fmt.Errorf("query %s: %w", q.PK, err)
	}
	return page, nil
}

// BatchGet reads items by their keys, no key twice; absent ones are left out.
func (t *Store) BatchGet(ctx context.Context, keys []sinks.Key, consistent bool) (map[sinks.Key]sinks.Item, error) {
	var mu sync.Mutex // covers found
	found := make(map[sinks.Key]sinks.Item, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(FanOut)
	for keys := range slices.Chunk(keys, sinks.MaxBatchGet) {
		group.Go(func() error {
			read, err := t.Table.BatchGet(ctx, sinks.BatchGet{Keys: keys, Consistent: consistent})
			if err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			for k, it := range read.Items {
				found[k] = it
				err = errors.Join(err, intact(it))
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		what := fmt.Sprintf("%d items", len(keys))
		if len(keys) == 1 {
			what = "item " + keys[0].PK + " / " + keys[0].SK
		}
		return nil, fmt.Errorf("read %s: %w", what, err)
	}
	return found, nil
}

// Get reads one item; nil when it is absent.
func (t *Store) Get(ctx context.Context, key sinks.Key, consistent bool) (sinks.Item, error) {
	items, err := t.BatchGet(ctx, []sinks.Key{key}, consistent)
	return items[key], err
}

// SessionShards returns the number of shards over which the table spreads the sessions of a site.
func (t *Store) SessionShards(ctx context.Context) (int, error) {
	s, ok, err := sinks.LoadTableSettings(ctx, t.Table, t.Keys)
	if err != nil {
		return 0, fmt.Errorf("read the table's settings: %w", err)
	}
	if !ok {
		return sinks.DefaultShards, nil // A table without settings has no sessions either.
	}
	return s.SessionShards, nil
}

// Bounded makes a span of a range that must have a beginning, and whose end is now where it is left open.
func (t *Store) Bounded(from, to time.Time) (calendar.Span, error) {
	if from.IsZero() {
		return calendar.Span{}, &ranges.ParamError{Param: "from", Remedy: "missing: write where the range begins"}
	}
	if to.IsZero() {
		to = t.Now()
	}
	return calendar.NewSpan(from, to)
}

// WholeHours widens a range to whole hours of the site. An end that is the beginning of a day in the zone must be one of an hour, too.
func (t Table) WholeHours(from, to time.Time, zone *time.Location) (calendar.Span, calendar.Calendar, error) {
	k := t.Clock
	s, err := t.Bounded(from, to)
	days := calendar.Calendar{By: ranges.Day, Loc: zone}
	if zone == nil {
		days = k.InOwn(ranges.Day, s.To-1)
	}
	if err == nil {
		err = days.Holds(s)
	}
	if err != nil {
		return calendar.Span{}, days, err
	}
	for _, end := range []int64{s.From, s.To} {
		if k.Hour(end).From != end && days.Bucket(end).From == end {
			return calendar.Span{}, days, calendar.OffHourError(days, k, end)
		}
	}
	return k.Hours(s).In(calendar.Span{From: min(0, k.Hour(0).From), To: days.Last()}), days, nil
}
