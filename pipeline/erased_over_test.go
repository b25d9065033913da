package pipeline_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// TestErasedEventOverAnothers: two records have one raw event. The one that was written last has no visitor and is of the erased visitor's
// session, so it is deleted. The other record's raw event is missing, and no difference. One that no erasure deletes is a difference.
func TestErasedEventOverAnothers(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	elsewhere := func() (session string) { // It shares its shard with session a.
		for i := 0; session == "" || sinks.ShardOf(session, sinks.DefaultShards) != sinks.ShardOf("a", sinks.DefaultShards); i++ {
			session = fmt.Sprint("b", i)
		}
		return session
	}()
	for _, c := range []struct {
		name        string
		first, last record
		shards      int   // of the site once the last record is folded
		duplicates  int64 // the window of duplicates
	}{
		{name: "in another shard, by an owner that did not begin the step", first: eventOf("stays", "a", "1", 0), last: eventOf("", "a", "1", 0),
			shards: 3},
		{name: "as a duplicate, by an owner that did not begin the step", first: eventOf("stays", "a", "1", 0), last: eventOf("", "a", "1", 0),
			duplicates: 64},
		{name: "neither has a visitor, the last in partition 1", first: eventOf("", elsewhere, "1", 0), last: eventOf("", "a", "1", 0)},
		{name: "neither has a visitor, the last in partition 0", first: in(1, eventOf("", elsewhere, "1", 0)), last: eventOf("", "a", "1", 0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, 2, func(t *testing.T, w *world) {
				w.RareFetches(5 * time.Second)
				o := w.Options()
				o.Settings.Duplicates = within(c.duplicates)
				if c.duplicates == 0 {
					c.last = in(1-c.first.Partition, c.last)
				}
				w.Folded(o, []record{in(c.last.Partition, eventOf("gone", "a", "0", 0)), c.first,
					in(0, eventOf("stays", elsewhere, "2", 0)), in(1, eventOf("", elsewhere, "2", 0))})
				key, unerased := w.rawOf("1"), w.rawOf("2")
				if c.shards > 0 {
					w.Decide("s", &sites.Rules{Shards: []sites.Shards{{N: c.shards}}})
				}
				w.Folded(o, []record{c.last})
				if c.shards > 0 || c.duplicates > 0 { // An owner wrote it under the rules before, or another window, and ended.
					it := w.Item(key)
					delete(it, sinks.AttrVisitorID)
					it["source"] = sinks.Str(fmt.Sprintf("%s/%d/1", testTopic, c.last.Partition))
					if _, err := w.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
						t.Fatal(err)
					}
				}
				run := w.Start(o)
				if report, err := erase.Run(t.Context(), w.Erasure("gone")); err != nil || !report.Over() {
					t.Fatalf("%+v, %v", report, err)
				}
				run.Drain()
				if it := w.Item(key); it != nil {
					t.Fatalf("the raw event is still there: %v", it)
				}
				if r, list := w.Differences(o); len(list) > 0 || r.ComparedCount == 0 {
					t.Errorf("of %d compared items differ %q", r.ComparedCount, list)
				}
				if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: unerased}); err != nil {
					t.Fatal(err)
				}
				if _, list := w.Differences(o); len(list) != 1 || !strings.Contains(list[0], unerased.SK) {
					t.Errorf("without %v differ %q", unerased, list)
				}
			})
		})
	}
}

// in returns the record as one of a partition.
func in(partition int32, r record) record {
	r.Partition = partition
	return r
}

// rawOf returns the key of the raw event of site s that has an id.
func (w *world) rawOf(id string) sinks.Key {
	w.T.Helper()
	for nn := range sinks.MaxShards {
		page, err := w.Table.Query(w.T.Context(), sinks.Query{PK: sinks.Keys{}.Shard("s", nn), Prefix: sinks.EventPrefix, Consistent: true})
		if err != nil {
			w.T.Fatal(err)
		}
		for _, it := range page.Items {
			if it["id"].Str() == id {
				return it.Key()
			}
		}
	}
	w.T.Fatalf("no raw event has the id %q", id)
	return sinks.Key{}
}
