package sinktest

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
)

// The helpers below fail the test on an error, for everything that a behaviour takes for granted.

func update(t *testing.T, s Store, u sinks.Update) sinks.Result {
	t.Helper()
	r, err := s.Update(t.Context(), u)
	if err != nil {
		t.Fatalf("Update of %v = %v", u.Key, err)
	}
	return r
}

func put(t *testing.T, s Store, p sinks.Put) sinks.Result {
	t.Helper()
	r, err := s.Put(t.Context(), p)
	if err != nil {
		t.Fatalf("Put of %v = %v", p.Item.Key(), err)
	}
	return r
}

func remove(t *testing.T, s Store, d sinks.Delete) sinks.Result {
	t.Helper()
	r, err := s.Delete(t.Context(), d)
	if err != nil {
		t.Fatalf("Delete of %v = %v", d.Key, err)
	}
	return r
}

// get reads one item strongly; nil when it is absent.
func get(t *testing.T, s Store, k sinks.Key) sinks.Item {
	t.Helper()
	return getAll(t, s, k)[k]
}

// getAll reads items strongly, asking again for what the store did not get to.
func getAll(t *testing.T, s Store, keys ...sinks.Key) map[sinks.Key]sinks.Item {
	t.Helper()
	found := make(map[sinks.Key]sinks.Item)
	for rounds := 0; len(keys) > 0; rounds++ {
		if rounds == 100 {
			t.Fatalf("BatchGet left %d keys after %d calls", len(keys), rounds)
		}
		r, err := s.BatchGet(t.Context(), sinks.BatchGet{Keys: keys[:min(len(keys), sinks.MaxBatchGet)], Consistent: true})
		if err != nil {
			t.Fatalf("BatchGet = %v", err)
		}
		maps.Copy(found, r.Items)
		keys = append(slices.Clone(r.Left), keys[min(len(keys), sinks.MaxBatchGet):]...)
	}
	return found
}

// putAll puts items in batches, handing in again what the store did not take.
func putAll(t *testing.T, s Store, items []sinks.Item) {
	t.Helper()
	byKey := make(map[sinks.Key]sinks.Item)
	for _, it := range items {
		byKey[it.Key()] = it
	}
	for rounds := 0; len(items) > 0; rounds++ {
		if rounds == 1000 {
			t.Fatalf("BatchPut left %d items after %d calls", len(items), rounds)
		}
		batch := items[:min(len(items), sinks.MaxBatchPut)]
		r, err := s.BatchPut(t.Context(), Batch(batch...))
		if err != nil {
			t.Fatalf("BatchPut = %v", err)
		}
		items = items[len(batch):]
		for _, k := range r.Left {
			items = append(items, byKey[k])
		}
	}
}

// walk reads all pages of q.
func walk(t *testing.T, s Store, q sinks.Query) []sinks.Item {
	t.Helper()
	items, _ := walkPages(t, s, q)
	return items
}

// walkPages reads all pages of q and returns their items and how many they were.
func walkPages(t *testing.T, s Store, q sinks.Query) (items []sinks.Item, pages int) {
	t.Helper()
	for {
		p, err := s.Query(t.Context(), q)
		if err != nil {
			t.Fatalf("Query %+v = %v", q, err)
		}
		if q.Limit > 0 && len(p.Items) > q.Limit {
			t.Fatalf("Query %+v gave %d items, want %d at most", q, len(p.Items), q.Limit)
		}
		items = append(items, p.Items...)
		if pages++; pages > 10_000 {
			t.Fatalf("Query %+v has no end", q)
		}
		if p.Next == "" {
			return items, pages
		}
		q.After = p.Next
	}
}

// wantKeys checks that q finds exactly the items with these sort keys, in this order. An index follows the table
// at a distance, so what it says is asked again for a while before it counts as wrong.
func wantKeys(t *testing.T, s Store, q sinks.Query, want ...string) {
	t.Helper()
	await(func(last bool) bool {
		got := sortKeys(walk(t, s, q))
		ok := slices.Equal(got, want)
		last = last || q.Index == sinks.Base
		if last && !ok {
			t.Errorf("Query %+v found\n%q, want\n%q", q, got, want)
		}
		return ok || last
	})
}

// await calls check until it holds. last is true of the last call, after indexPatience.
func await(check func(last bool) (holds bool)) {
	deadline := time.Now().Add(indexPatience)
	for !check(false) {
		if time.Now().After(deadline) {
			check(true)
			return
		}
	}
}

// indexPatience is how long an index may take to show a write.
const indexPatience = 10 * time.Second
