package query

import (
	"context"
	"fmt"

	"github.com/footfall/footfall/sinks"
)

// Item reads one item of the table, strongly, whether it has expired or not; nil when it is absent.
func (r *Reader) Item(ctx context.Context, key sinks.Key) (sinks.Item, error) {
	for _, k := range []struct {
		param, value string
		most         int
	}{{"pk", key.PK, sinks.MaxPartitionKey}, {"sk", key.SK, sinks.MaxSortKey}} {
		if err := checkID(k.param, k.value); err != nil {
			return nil, err
		}
		if len(k.value) > k.most {
			return nil, &ParamError{Param: k.param, Remedy: fmt.Sprintf("has %d bytes: keys have %d at most", len(k.value), k.most)}
		}
	}
	return r.store.get(ctx, key, true)
}

// SessionShards returns over how many shards the table spreads the sessions of a site.
func (r *Reader) SessionShards(ctx context.Context) (int, error) { return r.store.sessionShards(ctx) }

// Rules returns the last rules of a site as JSON, as its item has them; empty where nothing was decided about it.
func (r *Reader) Rules(ctx context.Context, site string) (string, error) {
	k, _, err := r.store.clock(ctx, site)
	if err != nil {
		return "", fmt.Errorf("rules of site %q: %w", site, err)
	}
	if k.rules == nil {
		return "", nil
	}
	return k.rules.String(), nil
}
