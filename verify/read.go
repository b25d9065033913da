package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footfall/footfall/sinks"
)

// readTries is how often a read that the store refuses for now is repeated.
const readTries = 12

// retry repeats a read with growing pauses; the store itself never retries.
func retry(ctx context.Context, read func() error) error {
	pause := 25 * time.Millisecond
	for try := 1; ; try++ {
		err := read()
		if err == nil || !sinks.Retryable(err) || try == readTries {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w; the last read: %w", context.Cause(ctx), err)
		case <-time.After(pause/2 + rand.N(pause)):
		}
		pause = min(2*pause, 5*time.Second)
	}
}

// query hands over all items that a query selects.
func (v *verifier) query(ctx context.Context, q sinks.Query, each func(sinks.Item) error) error {
	for {
		var page sinks.Page
		err := retry(ctx, func() (err error) {
			page, err = v.opts.Table.Query(ctx, q)
			return err
		})
		if err != nil {
			return err
		}
		for _, it := range page.Items {
			if err := each(it); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return nil
		}
		q.After = page.Next
	}
}

// get reads items strongly, any number.
func (v *verifier) get(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	found := make(map[sinks.Key]sinks.Item)
	for len(keys) > 0 {
		n := min(len(keys), sinks.MaxBatchGet)
		ask := keys[:n]
		keys = keys[n:]
		err := retry(ctx, func() error {
			r, err := v.opts.Table.BatchGet(ctx, sinks.BatchGet{Keys: ask, Consistent: true})
			if err != nil {
				return err
			}
			for key, it := range r.Items {
				found[key] = it
			}
			if ask = r.Left; len(ask) > 0 {
				return fmt.Errorf("read %d items: %w", len(ask), sinks.ErrThrottled)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}
