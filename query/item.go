package query

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// Item reads one item of the table with a strongly consistent read, expired or not. It returns nil if there is none.
func (r *Reader) Item(ctx context.Context, key sinks.Key) (sinks.Item, error) {
	for _, k := range []struct {
		param, value string
		most         int
	}{{"pk", key.PK, sinks.MaxPartitionKey}, {"sk", key.SK, sinks.MaxSortKey}} {
		if err := sitetable.CheckID(k.param, k.value); err != nil {
			return nil, err
		}
		if len(k.value) > k.most {
			return nil, &ParamError{Param: k.param, Remedy: fmt.Sprintf("has %d bytes: keys have %d at most", len(k.value), k.most)}
		}
	}
	return sitetable.OnLive(ctx, r.live, key, func(ctx context.Context, t *sitetable.Store, key sinks.Key) (sinks.Item, error) {
		return t.Get(ctx, key, true)
	})
}

// SessionShards returns the number of shards over which the table spreads the sessions of each site.
func (r *Reader) SessionShards(ctx context.Context) (int, error) {
	store, err := r.live.Store(ctx)
	if err != nil {
		return 0, err
	}
	return store.SessionShards(ctx)
}
