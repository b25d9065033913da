package sinks_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// batched is a table that has every item of an even number. It leaves over what comes after the first most keys of a batch.
type batched struct{ most, batches int }

func (b *batched) BatchGet(_ context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	b.batches++
	r := sinks.BatchResult{Items: make(map[sinks.Key]sinks.Item)}
	if len(g.Keys) > sinks.MaxBatchGet || !g.Consistent {
		return r, errors.New("not a request that a table takes")
	}
	for i, k := range g.Keys {
		if i >= b.most {
			r.Left = append(r.Left, k)
		} else if n := int64(0); k.SK != "" {
			fmt.Sscan(k.SK, &n)
			if n%2 == 0 {
				r.Items[k] = sinks.Item{"n": sinks.Int(n)}
			}
		}
	}
	return r, nil
}

func TestGetReadsAnyNumberOfItems(t *testing.T) {
	var keys []sinks.Key
	for n := range 250 {
		keys = append(keys, sinks.Key{PK: "p", SK: fmt.Sprint(n)})
	}
	table := &batched{most: sinks.MaxBatchGet}
	found, err := sinks.Get(t.Context(), table, keys...)
	if err != nil || len(found) != 125 || table.batches != 3 || found[keys[248]]["n"].Int() != 248 {
		t.Errorf("Get = %d items, %v in %d batches, want 125 in 3", len(found), err, table.batches)
	}
	if _, err := sinks.Get(t.Context(), &batched{most: 99}, keys...); !errors.Is(err, sinks.ErrThrottled) {
		t.Errorf("Get of a table that leaves a key over = %v, want ErrThrottled", err)
	}
}
