package sinktest

import (
	"fmt"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// numbered makes n items with the keys of one partition key, 000 and on.
func numbered(pk string, n int) []sinks.Item {
	var items []sinks.Item
	for i := range n {
		items = append(items, item(sinks.Key{PK: pk, SK: fmt.Sprintf("%03d", i)}, count("i", int64(i)),
			attr("text", sinks.Str(fmt.Sprint("item ", i)))))
	}
	return items
}

func keysOf(items []sinks.Item) []sinks.Key {
	var keys []sinks.Key
	for _, it := range items {
		keys = append(keys, it.Key())
	}
	return keys
}

var batchBehaviours = []behaviour{
	{name: "BatchPutTakes25AndBatchGet100", check: func(t *testing.T, s Store) {
		items := numbered("A", sinks.MaxBatchGet)
		putAll(t, s, items)
		found := getAll(t, s, keysOf(items)...)
		for _, it := range items {
			wantItem(t, fmt.Sprint(it.Key()), found[it.Key()], it)
		}
		if len(found) != len(items) {
			t.Errorf("BatchGet found %d items, want %d", len(found), len(items))
		}
	}},
	{name: "BatchPutReplacesWholeItems", check: func(t *testing.T, s Store) {
		old := item(sinks.Key{PK: "A", SK: "000"}, count("stale", 1))
		put(t, s, sinks.Put{Item: old})
		items := numbered("A", 3)
		for range 2 { // Repeating changes nothing.
			putAll(t, s, items)
			for _, it := range items {
				wantItem(t, fmt.Sprint(it.Key()), get(t, s, it.Key()), it)
			}
		}
	}},
	{name: "BatchPutSpansPartitionKeys", check: func(t *testing.T, s Store) {
		items := append(append(numbered("A", 5), numbered("B", 5)...), numbered("C", 5)...)
		r, err := s.BatchPut(t.Context(), Batch(items...))
		if err != nil {
			t.Fatalf("BatchPut = %v", err)
		}
		if taken := len(items) - len(r.Left); r.Units < float64(taken) {
			t.Errorf("BatchPut of %d items consumed %v units, want 1 an item at least", taken, r.Units)
		}
		if r.Items != nil {
			t.Errorf("BatchPut answered with %d items, want none", len(r.Items))
		}
	}},
	{name: "BatchPutRefusesMoreThan25", check: func(t *testing.T, s Store) {
		items := numbered("A", sinks.MaxBatchPut+1)
		if _, err := s.BatchPut(t.Context(), Batch(items...)); err == nil || sinks.Retryable(err) {
			t.Errorf("BatchPut of %d items = %v, want an error that repeating does not cure", len(items), err)
		}
		if found := getAll(t, s, keysOf(items)...); len(found) != 0 {
			t.Errorf("%d items were put all the same", len(found))
		}
	}},
	{name: "BatchPutRefusesAKeyTwice", check: func(t *testing.T, s Store) {
		items := append(numbered("A", 3), item(sinks.Key{PK: "A", SK: "001"}, count("other", 1)))
		if _, err := s.BatchPut(t.Context(), Batch(items...)); err == nil || sinks.Retryable(err) {
			t.Errorf("BatchPut = %v, want an error that repeating does not cure", err)
		}
		if found := getAll(t, s, keysOf(items[:3])...); len(found) != 0 {
			t.Errorf("%d items were put all the same", len(found))
		}
	}},
	{name: "BatchGetLeavesOutAbsentItems", check: func(t *testing.T, s Store) {
		items := numbered("A", 3)
		putAll(t, s, items)
		found := getAll(t, s, sinks.Key{PK: "A", SK: "001"}, sinks.Key{PK: "A", SK: "nothing"}, sinks.Key{PK: "B", SK: "001"})
		if len(found) != 1 {
			t.Errorf("BatchGet found %d items, want 1", len(found))
		}
		wantItem(t, "the one that exists", found[sinks.Key{PK: "A", SK: "001"}], items[1])
	}},
	{name: "BatchGetRefusesMoreThan100", check: func(t *testing.T, s Store) {
		keys := keysOf(numbered("A", sinks.MaxBatchGet+1))
		if _, err := s.BatchGet(t.Context(), sinks.BatchGet{Keys: keys, Consistent: true}); err == nil || sinks.Retryable(err) {
			t.Errorf("BatchGet of %d keys = %v, want an error that repeating does not cure", len(keys), err)
		}
	}},
	{name: "BatchGetRefusesAKeyTwice", check: func(t *testing.T, s Store) {
		keys := []sinks.Key{{PK: "A", SK: "1"}, {PK: "A", SK: "2"}, {PK: "A", SK: "1"}}
		if _, err := s.BatchGet(t.Context(), sinks.BatchGet{Keys: keys, Consistent: true}); err == nil || sinks.Retryable(err) {
			t.Errorf("BatchGet = %v, want an error that repeating does not cure", err)
		}
	}},
	{name: "BatchGetWithoutConsistencyFindsOldItems", check: func(t *testing.T, s Store) {
		// An eventual read may lag a write; where it finds an item, the item is whole.
		items := numbered("A", 10)
		putAll(t, s, items)
		r, err := s.BatchGet(t.Context(), sinks.BatchGet{Keys: keysOf(items)})
		if err != nil {
			t.Fatalf("BatchGet = %v", err)
		}
		for k, got := range r.Items {
			var want sinks.Item
			for _, it := range items {
				if it.Key() == k {
					want = it
				}
			}
			wantItem(t, fmt.Sprint(k), got, want)
		}
	}},
}
