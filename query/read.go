package query

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/sinks"
)

// fanOut is how many requests of one question are under way at once. A site has 16 shards by default: two rounds
// instead of sixteen, while a dashboard of a dozen panels stays near a hundred connections.
const fanOut = 8

// Reads that the store refuses for lack of capacity, or does not answer, are asked again, at most so often and
// after pauses of up to 50, 100, 200, 400 and 800 ms: 0.8 s on average before a question fails. That rides out a
// burst; an outage is the asker's to wait for. This is the one layer that repeats reads: tables do not.
const (
	attempts   = 6
	firstPause = 50 * time.Millisecond
)

// retry calls try until it succeeds, fails for good or has had its attempts. A pause is drawn evenly from nothing
// to its bound, so that readers refused together do not come back together.
func retry(ctx context.Context, try func() error) error {
	pause := firstPause
	for n := 1; ; n++ {
		err := try()
		if err == nil || !sinks.Retryable(err) {
			return err
		}
		if n == attempts {
			return fmt.Errorf("after %d attempts: %w", n, err)
		}
		select {
		case <-time.After(rand.N(pause + 1)):
		case <-ctx.Done():
			return fmt.Errorf("%w (the last attempt: %w)", context.Cause(ctx), err)
		}
		pause *= 2
	}
}

// intact returns the error of a damaged item. It ignores damaged entries in lists of sites, because one would hide all other sites.
func intact(it sinks.Item) error {
	switch it[sinks.AttrEntity].Str() {
	case sinks.EntitySiteEntry, sinks.EntitySite:
		return nil
	}
	return sinks.CheckKinds(it)
}

// query reads one page of a partition key.
func (r *Reader) query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	err = retry(ctx, func() error {
		page, err = r.table.Query(ctx, q)
		return err
	})
	for i := 0; err == nil && i < len(page.Items); i++ {
		err = intact(page.Items[i])
	}
	if err != nil {
		return sinks.Page{}, fmt.Errorf("query %s: %w", q.PK, err)
	}
	return page, nil
}

// batchGet reads items by their keys, no key twice; absent ones are left out.
func (r *Reader) batchGet(ctx context.Context, keys []sinks.Key, consistent bool) (map[sinks.Key]sinks.Item, error) {
	var mu sync.Mutex // covers found
	found := make(map[sinks.Key]sinks.Item, len(keys))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(fanOut)
	for left := range slices.Chunk(keys, sinks.MaxBatchGet) {
		group.Go(func() error {
			return retry(ctx, func() error {
				res, err := r.table.BatchGet(ctx, sinks.BatchGet{Keys: left, Consistent: consistent})
				if err != nil {
					return err
				}
				mu.Lock()
				for k, it := range res.Items {
					found[k] = it
					err = errors.Join(err, intact(it))
				}
				mu.Unlock()
				if err != nil {
					return err
				}
				if left = res.Left; len(left) > 0 {
					return fmt.Errorf("%d items were not reached: %w", len(left), sinks.ErrThrottled)
				}
				return nil
			})
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("read %d items: %w", len(keys), err)
	}
	return found, nil
}

// get reads one item; nil when it is absent.
func (r *Reader) get(ctx context.Context, key sinks.Key, consistent bool) (sinks.Item, error) {
	items, err := r.batchGet(ctx, []sinks.Key{key}, consistent)
	return items[key], err
}

// sessionShards returns the number of shards over which the table spreads the sessions of a site.
func (r *Reader) sessionShards(ctx context.Context) (int, error) {
	shards := sinks.DefaultShards // A table without settings has no sessions either.
	err := retry(ctx, func() error {
		s, ok, err := sinks.LoadTableSettings(ctx, r.table, r.keys)
		if ok {
			shards = s.SessionShards
		}
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("read the table's settings: %w", err)
	}
	return shards, nil
}
