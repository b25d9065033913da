// Package sinktest is the contract of a table as a test suite: what the comments on [sinks.Table] and
// [sinks.Admin] promise, checked from outside. Every implementation passes the same suite, so the protocol
// built on them needs to be thought through once. It demands only what DynamoDB guarantees.
package sinktest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// Store is what the suite runs on: a table and its administration.
type Store interface {
	sinks.Table
	sinks.Admin
}

// Run runs the suite. Each call of open returns a store of its own whose table does not exist yet; open registers
// its own clean-up with t. The subtests run one after the other.
func Run(t *testing.T, open func(t *testing.T) Store) {
	for _, group := range [][]behaviour{
		updateBehaviours, conditionBehaviours, putBehaviours, batchBehaviours, queryBehaviours, pagingBehaviours,
		limitBehaviours, concurrencyBehaviours, adminBehaviours,
	} {
		for _, b := range group {
			t.Run(b.name, func(t *testing.T) {
				s := Store(repeating{open(t)})
				if !b.bare {
					if err := s.Create(t.Context(), sinks.Shape{}); err != nil {
						t.Fatalf("Create = %v", err)
					}
				}
				b.check(t, s)
			})
		}
	}
}

// behaviour is one subtest.
type behaviour struct {
	name  string
	check func(t *testing.T, s Store)
	bare  bool // the table is not created before
}

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

// await calls check until it is content; last tells it that it will not be called again.
func await(check func(last bool) (content bool)) {
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

func sortKeys(items []sinks.Item) []string {
	var keys []string
	for _, it := range items {
		keys = append(keys, it[sinks.AttrSK].Str())
	}
	return keys
}

// key names an item of the suite.
func key(sk string) sinks.Key { return sinks.Key{PK: "SITE#a", SK: sk} }

// item makes an item of a key and attributes.
func item(k sinks.Key, attrs ...sinks.Attr) sinks.Item {
	it := sinks.Item{sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK)}
	for _, a := range attrs {
		it[a.Name] = a.Value
	}
	return it
}

func attr(name string, v sinks.Value) sinks.Attr { return sinks.Attr{Name: name, Value: v} }

func count(name string, n int64) sinks.Attr { return attr(name, sinks.Int(n)) }

// wantItem checks that an item has exactly the attributes of want; nil is absence.
func wantItem(t *testing.T, what string, got, want sinks.Item) {
	t.Helper()
	if maps.EqualFunc(got, want, sinks.Value.Equal) && (got == nil) == (want == nil) {
		return
	}
	t.Errorf("%s:\n%s, want\n%s", what, spell(got), spell(want))
}

// spell writes an item for people, in the order of its attributes' names.
func spell(it sinks.Item) string {
	if it == nil {
		return "no item"
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(it)) {
		v := it[name]
		fmt.Fprintf(&b, "%s=", name)
		switch v.Kind() {
		case sinks.String:
			fmt.Fprintf(&b, "%.80q ", v.Str())
		case sinks.Number:
			fmt.Fprintf(&b, "%s ", v.Num())
		case sinks.Binary:
			fmt.Fprintf(&b, "%.80x ", v.Bytes())
		case sinks.List:
			fmt.Fprintf(&b, "%.200q ", v.Strings())
		default:
			b.WriteString("(none) ")
		}
	}
	return b.String()
}

// number reads a decimal of up to 128 bits.
func number(t *testing.T, s string) sinks.Value {
	t.Helper()
	n, err := int128.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return sinks.Num(n)
}
