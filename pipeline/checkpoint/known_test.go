package checkpoint_test

import (
	"context"
	"errors"
	"testing"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/wire"
	"github.com/footfall/footfall/sinks"
)

// TestLearnedSchemasStay: neither an owner that is fenced, nor a copy of a request that arrives late, takes a schema off the list.
func TestLearnedSchemasStay(t *testing.T) {
	sent := &copying{Table: testworld.Table(t)}
	key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
	acquire := func(name string) *checkpoint.Chain {
		t.Helper()
		c, err := checkpoint.Acquire(t.Context(), checkpoint.NewClient(sent), key, checkpoint.Owner{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	known := func(want string) {
		t.Helper()
		found, err := checkpoint.NewClient(sent).BatchGet(t.Context(), []sinks.Key{key})
		if err != nil {
			t.Fatal(err)
		}
		if h, err := checkpoint.ReadHead(found[key]); err != nil || h.Known.String() != want {
			t.Errorf("known are %q, %v, want %q", h.Known, err, want)
		}
	}
	one := checkpoint.KnownSchemas{{ID: wire.Confluent(7), From: 3}}
	two := one.With(checkpoint.KnownSchema{ID: wire.Confluent(9), From: 5})
	c := acquire("first")
	epoch := c.Head.Epoch
	learn := func(before, k checkpoint.KnownSchemas) error { return c.Learn(t.Context(), epoch, before, k) }
	if err := learn(nil, one); err != nil {
		t.Fatal(err)
	}
	late := sent.last
	if err := learn(nil, one); err != nil { // Its answer was lost.
		t.Errorf("a request that is repeated: %v", err)
	}
	if err := learn(one, two); err != nil {
		t.Fatal(err)
	}
	if _, err := sent.Table.Update(t.Context(), late); err != nil {
		t.Fatal(err)
	}
	known("7@3 9@5")
	if err := learn(nil, one); err == nil || errors.Is(err, checkpoint.ErrFenced) {
		t.Errorf("a list that is not what its owner wrote: %v", err)
	}
	if second := acquire("second"); second.Head.Known.String() != "7@3 9@5" {
		t.Errorf("the next owner knows %q", second.Head.Known)
	}
	if err := learn(two, two.With(checkpoint.KnownSchema{ID: wire.Confluent(11), From: 6})); !errors.Is(err, checkpoint.ErrFenced) {
		t.Errorf("an owner that is fenced: %v", err)
	}
	known("7@3 9@5")
}

// copying is a table that keeps a copy of the last update.
type copying struct {
	sinks.Table
	last sinks.Update
}

func (c *copying) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	c.last = u
	return c.Table.Update(ctx, u)
}
