package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

// request is a write, for any table, of one kind of item.
type request struct {
	kind  string
	write func(context.Context, sinks.Table) (units float64, err error)
}

// recorder keeps what is written through it, with the units that the table behind it told.
type recorder struct {
	sinks.Table
	mu       sync.Mutex // covers all below
	requests []request
	units    map[string]float64 // by kind
}

// pass writes and keeps the request. The chain never has two writes of one item under way, so their order is kept.
func (r *recorder) pass(ctx context.Context, q request) error {
	units, err := q.write(ctx, r.Table)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = append(r.requests, q)
	r.units[q.kind] += units
	return err
}

func (r *recorder) Update(ctx context.Context, u sinks.Update) (result sinks.Result, err error) {
	kind := sinks.EntityCheckpoint
	for _, a := range u.Set {
		if a.Name == sinks.AttrEntity {
			kind = a.Value.Str()
		}
	}
	err = r.pass(ctx, request{kind, func(ctx context.Context, t sinks.Table) (_ float64, err error) {
		result, err = t.Update(ctx, u)
		return result.Units, err
	}})
	return result, err
}

func (r *recorder) Put(ctx context.Context, p sinks.Put) (result sinks.Result, err error) {
	err = r.pass(ctx, request{p.Item[sinks.AttrEntity].Str(), func(ctx context.Context, t sinks.Table) (_ float64, err error) {
		result, err = t.Put(ctx, p)
		return result.Units, err
	}})
	return result, err
}

func (r *recorder) BatchPut(ctx context.Context, items []sinks.Attrs) (result sinks.BatchResult, err error) {
	err = r.pass(ctx, request{items[0].Value(sinks.AttrEntity).Str(), func(ctx context.Context, t sinks.Table) (_ float64, err error) {
		result, err = t.BatchPut(ctx, items)
		return result.Units, err
	}})
	return result, err
}

// TestRealUnitsAreThoseThatDynamoDBConsumes sends what a simulated pipeline wrote to DynamoDB Local as well: the units
// that SQLite tells, and all figures here rest on, are the ConsumedCapacity of the same requests.
func TestRealUnitsAreThoseThatDynamoDBConsumes(t *testing.T) {
	slow.Test(t)
	for name, value := range testenv.AWSEnv(testenv.DynamoDB(t)) {
		t.Setenv(name, value)
	}
	told := recorder{units: make(map[string]float64)}
	l := load{sites: 3, partitions: 2, hourly: 3600, script: readers, think: 40 * time.Second}
	traffic := newTraffic(l, bubbleStart)
	simulate(t, l, func() *kgo.Record { return traffic.next("events") }, time.Minute, 5*time.Minute,
		func(memory sinks.Table) sinks.Table {
			told.Table = memory
			return &told
		})

	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "footfall-"+rand.Text())
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	consumed := make(map[string]float64)
	for _, q := range told.requests {
		units, err := q.write(t.Context(), table)
		if err != nil {
			t.Fatal(err)
		}
		consumed[q.kind] += units
	}
	for _, kind := range slices.Sorted(maps.Keys(told.units)) {
		fmt.Fprintf(t.Output(), "%-14s %6.0f units by SQLite, %6.0f consumed by DynamoDB Local\n", kind, told.units[kind], consumed[kind])
		if told.units[kind] != consumed[kind] {
			t.Errorf("%s: SQLite tells %v units, DynamoDB Local consumed %v", kind, told.units[kind], consumed[kind])
		}
	}
}
