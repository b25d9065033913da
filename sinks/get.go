package sinks

import (
	"context"
	"fmt"
	"maps"
	"slices"
)

// BatchGetter reads items by their keys. Every [Table] is one.
type BatchGetter interface {
	BatchGet(ctx context.Context, g BatchGet) (BatchResult, error)
}

// Get reads items strongly, any number, no key twice. Absent items are left out. What the store does not get to is an error that
// wraps [ErrThrottled]; package retry asks for it again.
func Get(ctx context.Context, t BatchGetter, keys ...Key) (map[Key]Item, error) {
	found := make(map[Key]Item, len(keys))
	for ask := range slices.Chunk(keys, MaxBatchGet) {
		r, err := t.BatchGet(ctx, BatchGet{Keys: ask, Consistent: true})
		if err == nil && len(r.Left) > 0 {
			err = fmt.Errorf("%d items left over: %w", len(r.Left), ErrThrottled)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s / %s: %w", ask[0].PK, ask[0].SK, err)
		}
		maps.Copy(found, r.Items)
	}
	return found, nil
}
