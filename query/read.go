package query

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// fanOut is how many requests of one question are under way at once. A site has 16 shards by default: two rounds
// instead of sixteen, while a dashboard of a dozen panels stays near a hundred connections.
const fanOut = 8

// patience is how often reads that the store refuses for lack of capacity, or does not answer, are repeated: after pauses of up to
// 50, 100, 200, 400 and 800 ms, 0.8 s on average before a question fails. That rides out a burst; an outage is the asker's to
// wait for.
var patience = retry.Policy{First: 50 * time.Millisecond, Tries: 6}

// A store is a table as questions read it. It repeats reads that fail for the moment, up to six times unless the table does, and
// refuses damaged items. Safe for concurrent use.
type store struct {
	table sinks.Table
	keys  sinks.Keys
	now   func() time.Time

	stands standings // of partitions, for answers that say up to when they are complete
}

// expired reports whether an item's time to live has passed.
func (t *store) expired(it sinks.Item) bool { return it.Expired(t.now().Unix()) }

// intact returns the error of a damaged item. It ignores damaged entries in lists of sites, because one would hide all other sites.
func intact(it sinks.Item) error {
	switch it[sinks.AttrEntity].Str() {
	case sinks.EntitySiteEntry, sinks.EntitySite:
		return nil
	}
	return sinks.CheckKinds(it)
}

// items reads what a query selects. A damaged item is an error.
func (t *store) items(ctx context.Context, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Limit = maxPage
	return sinks.Checked(sinks.Items(ctx, t.table, q), intact)
}

// query reads one page of a partition key.
func (t *store) query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	page, err = t.table.Query(ctx, q)
	for i := 0; err == nil && i < len(page.Items); i++ {
		err = intact(page.Items[i])
	}
	if err != nil {
		return sinks.Page{}, fmt.Errorf("query %s: %w", q.PK, err)
	}
	return page, nil
}

// batchGet reads items by their keys, no key twice; absent ones are left out.
func (t *store) batchGet(ctx context.Context, keys []sinks.Key, consistent bool) (map[sinks.Key]sinks.Item, error) {
	var mu sync.Mutex // covers found
	found := make(map[sinks.Key]sinks.Item, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for keys := range slices.Chunk(keys, sinks.MaxBatchGet) {
		group.Go(func() error {
			read, err := t.table.BatchGet(ctx, sinks.BatchGet{Keys: keys, Consistent: consistent})
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

// get reads one item; nil when it is absent.
func (t *store) get(ctx context.Context, key sinks.Key, consistent bool) (sinks.Item, error) {
	items, err := t.batchGet(ctx, []sinks.Key{key}, consistent)
	return items[key], err
}

// sessionShards returns the number of shards over which the table spreads the sessions of a site.
func (t *store) sessionShards(ctx context.Context) (int, error) {
	s, ok, err := sinks.LoadTableSettings(ctx, t.table, t.keys)
	if err != nil {
		return 0, fmt.Errorf("read the table's settings: %w", err)
	}
	if !ok {
		return sinks.DefaultShards, nil // A table without settings has no sessions either.
	}
	return s.SessionShards, nil
}

// bounded makes a span of a range that must have a beginning, and whose end is now where it is left open.
func (t *store) bounded(from, to time.Time) (calendar.Span, error) {
	if from.IsZero() {
		return calendar.Span{}, &ParamError{Param: "from", Remedy: "missing: write where the range begins"}
	}
	if to.IsZero() {
		to = t.now()
	}
	return calendar.NewSpan(from, to)
}
