package verify_test

import (
	"context"
	"iter"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// isChain reports whether an item is of a chain: a checkpoint or a history.
func isChain(it sinks.Item) bool {
	entity := it[sinks.AttrEntity].Str()
	return entity == sinks.EntityCheckpoint || entity == sinks.EntityHistory
}

// reopen marks the last step of every chain as not done.
func (w *world) reopen(items map[sinks.Key]sinks.Item) map[sinks.Key]sinks.Item {
	open := maps.Clone(items)
	for key, it := range items {
		if it["d"].Int() == 1 {
			it = maps.Clone(it)
			it["d"], it["n"] = sinks.Int(0), sinks.Int(0) // As an intent has them.
			open[key] = it
			w.set(key, it)
		}
	}
	return open
}

// changes are the keys of items that the second step wrote, in order.
func changes(one, two map[sinks.Key]sinks.Item) []sinks.Key {
	var keys []sinks.Key
	for key, it := range two {
		if !isChain(it) && !maps.EqualFunc(it, one[key], sinks.Value.Equal) {
			keys = append(keys, key)
		}
	}
	slices.SortFunc(keys, func(a, b sinks.Key) int { return strings.Compare(a.PK+"/"+a.SK, b.PK+"/"+b.SK) })
	return keys
}

// TestOpenStepIsComparedByMarks lets an open step have reached any part of its items.
func TestOpenStepIsComparedByMarks(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		one, two := w.filled()
		two = w.reopen(two)
		changed := changes(one, two)
		rng := rand.New(rand.NewPCG(1, 2))
		for round := range 25 {
			for _, key := range changed {
				it := two[key]
				if rng.IntN(2) == 0 {
					it = one[key] // nil where the step made it.
				}
				w.set(key, it)
			}
			r := w.verify(nil)
			want(t, "any part of an open step", r, 0)
			if t.Failed() {
				t.Fatalf("in round %d", round)
			}
		}
	})
}

// TestOpenStepHalfAppliedIsDifferent gives items the content of one end of the step and the mark of the other.
func TestOpenStepHalfAppliedIsDifferent(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		one, two := w.filled()
		two = w.reopen(two)
		marks := func(it sinks.Item) []string {
			var names []string
			for name := range it {
				if strings.HasPrefix(name, "w") && strings.Contains(name, "_") {
					names = append(names, name)
				}
			}
			return names
		}
		tried := make(map[string]int)
		for _, key := range changes(one, two) {
			before, after := one[key], two[key]
			if len(marks(after)) == 0 || before == nil {
				continue
			}
			tried[after[sinks.AttrEntity].Str()]++
			unmarked, marked := maps.Clone(after), maps.Clone(before)
			for _, mark := range marks(after) {
				delete(unmarked, mark)
				if before[mark].Kind() != sinks.None {
					unmarked[mark] = before[mark]
				}
				marked[mark] = after[mark]
			}
			for text, it := range map[string]sinks.Item{"applied without its mark": unmarked, "marked without being applied": marked} {
				w.set(key, it)
				r := w.verify(nil)
				want(t, text, r, finding.ExitDifferent)
				for _, d := range r.Differences {
					if d.PK != key.PK || d.SK != key.SK {
						t.Errorf("%s: a difference at %s / %s, want them at %s / %s", text, d.PK, d.SK, key.PK, key.SK)
					}
				}
			}
			w.set(key, after)
		}
		for _, entity := range []string{sinks.EntityStats, sinks.EntitySession} {
			if tried[entity] == 0 {
				t.Errorf("no %s was tried: %v", entity, tried)
			}
		}
	})
}

// TestDoneStepMustHaveReachedEveryItem takes the last step back from one item at a time, its mark included.
func TestDoneStepMustHaveReachedEveryItem(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		one, two := w.filled()
		changed := changes(one, two)
		if len(changed) < 20 {
			t.Fatalf("the second step wrote %d items only", len(changed))
		}
		for i := range spread(t, len(changed), 1, 4) {
			key := changed[i-1]
			w.set(key, one[key])
			r := w.verify(nil)
			want(t, key.PK+" / "+key.SK+" missed by a step that is done", r, finding.ExitDifferent)
			w.set(key, two[key])
		}
	})
}

// spread yields numbers from 1 to n. Their distance is about all in make test-all, and about few, which is larger, in make test.
func spread(t *testing.T, n, all, few int) iter.Seq[int] {
	step := max(1, n/slow.Of(t, max(1, n/few), max(1, n/all)))
	return func(yield func(int) bool) {
		for i := 1; i <= n && yield(i); i += step {
		}
	}
}

// moving is a table in which something happens after so many calls.
type moving struct {
	sinks.Table
	mu     sync.Mutex // covers the rest
	calls  int
	after  int
	happen func()
}

func (m *moving) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.calls++; m.calls == m.after {
		m.happen()
	}
}

func (m *moving) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	m.tick()
	return m.Table.Query(ctx, q)
}

func (m *moving) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	m.tick()
	return m.Table.BatchGet(ctx, g)
}

// TestStepThatHappensDuringTheRead lets the second step happen at each of verify's calls to the table: all at once,
// and intent, items and done at three of them.
func TestStepThatHappensDuringTheRead(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		one, two := w.filled()
		intent := make(map[sinks.Key]sinks.Item) // the second step's checkpoints, open
		for key, it := range two {
			if isChain(it) {
				intent[key] = maps.Clone(it)
				if it["d"].Kind() != sinks.None {
					intent[key]["d"], intent[key]["n"] = sinks.Int(0), sinks.Int(0)
				}
			}
		}
		changed := changes(one, two)
		back := func() {
			for key := range two {
				w.set(key, one[key])
			}
		}
		begin := func() {
			for key, it := range intent {
				w.set(key, it)
			}
		}
		apply := func() {
			for _, key := range changed {
				w.set(key, two[key])
			}
		}
		done := func() {
			for key, it := range two {
				if isChain(it) {
					w.set(key, it)
				}
			}
		}
		ends := func(o *scope.Options) { o.Wait = 0 }
		calls := &moving{Table: w.table.Table}
		w.verify(func(o *scope.Options) { o.Table = calls })
		for after := range spread(t, calls.calls+5, 4, 40) {
			back()
			all := &moving{Table: w.table.Table, after: after, happen: func() { begin(); apply(); done() }}
			r := w.verify(func(o *scope.Options) { ends(o); o.Table = all })
			wantEqual(t, "a step at once", r)

			back()
			finish := &moving{Table: w.table.Table, after: after + 11, happen: done}
			middle := &moving{Table: finish, after: after + 5, happen: apply}
			first := &moving{Table: middle, after: after, happen: begin}
			r = w.verify(func(o *scope.Options) { ends(o); o.Table = first })
			wantEqual(t, "a step in pieces", r)
			if t.Failed() {
				t.Fatalf("at call %d", after)
			}
		}
	})
}

// wantEqual wants no difference and nothing unsettled; chains may be behind.
func wantEqual(t *testing.T, text string, r finding.Report) {
	t.Helper()
	if r.DifferenceCount > 0 || r.UnsettledCount > 0 || r.ComparedCount == 0 {
		var b strings.Builder
		r.WriteText(&b)
		t.Errorf("%s:\n%s", text, b.String())
	}
}

// TestWaitLastsUntilNoStepIsOpen lets a step that passes the end of the log write its last raw event while verify waits.
func TestWaitLastsUntilNoStepIsOpen(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		one, two := w.filled()
		all := w.verify(nil).Compared["event"]
		w.reopen(two)
		last := slices.IndexFunc(changes(one, two), func(key sinks.Key) bool { return two[key][sinks.AttrEntity].Str() == sinks.EntityEvent })
		w.set(changes(one, two)[last], nil)
		if r := w.verify(nil); r.Compared["event"] >= all {
			t.Fatalf("without waiting, %d of %d raw events were compared", r.Compared["event"], all)
		}
		ends := &moving{Table: w.table.Table, after: 100, happen: func() {
			for key, it := range two {
				w.set(key, it)
			}
		}}
		r := w.verify(func(o *scope.Options) { o.Table, o.Wait = ends, time.Minute })
		want(t, "a step that ends while verify waits", r, 0)
		if r.Compared["event"] != all {
			t.Errorf("compared %d raw events, want %d", r.Compared["event"], all)
		}
	})
}

// restless is a table whose checkpoints are never the same twice.
type restless struct {
	sinks.Table
	mu   sync.Mutex // covers done
	done bool
}

func (r *restless) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := r.Table.Query(ctx, q)
	if !strings.HasPrefix(q.PK, "CHAIN#") || q.Prefix != "P#" {
		return page, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done = !r.done
	for i, it := range page.Items {
		if it[sinks.AttrEntity].Str() == sinks.EntityCheckpoint && r.done {
			it = maps.Clone(it)
			it["d"], it["n"] = sinks.Int(0), sinks.Int(0)
			page.Items[i] = it
		}
	}
	return page, err
}

func TestWhatNeverSettlesIsNamed(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		it := maps.Clone(richest(two)[sinks.EntityUniques])
		it[sinks.AttrPart] = sinks.Bytes(nil)
		w.set(it.Key(), it)
		r := w.verify(func(o *scope.Options) { o.Table = &restless{Table: w.table.Table} })
		want(t, "checkpoints that move at every read", r, finding.ExitUnsettled)
		if name := it.Key().PK + " / " + it.Key().SK; r.UnsettledCount != 1 || r.Unsettled[0] != name {
			t.Errorf("%d did not settle: %v, want %s", r.UnsettledCount, r.Unsettled, name)
		}
	})
}

func TestChainsThatAreBehindAreNamed(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.first()
		w.pipeline()
		w.produce(record{1, w.event(plainSite, "page_view", 0, "visitorId", "v1")})
		began := time.Now()
		var said []string
		r := w.verify(func(o *scope.Options) {
			o.Wait, o.Waiting = time.Minute, func(w finding.Waiting) { said = append(said, w.String()) }
		})
		want(t, "a record that nobody folds", r, finding.ExitUnsettled)
		const first = "waiting up to 1m0s until the pipeline has counted 1 more record, as of partition 1 (stats): it is at offset 4 of 5"
		if len(said) == 0 || said[0] != first {
			t.Errorf("said %q, want %q first", said, first)
		}
		if waited := time.Since(began); waited < time.Minute || waited > time.Minute+time.Second {
			t.Errorf("waited %v, want a minute", waited)
		}
		var behind []finding.Behind
		for _, lane := range checkpoint.Lanes {
			behind = append(behind, finding.Behind{Partition: 1, Lane: lane, Offset: 4, End: 5})
		}
		if !slices.Equal(r.Behind, behind) {
			t.Errorf("behind %v, want %v", r.Behind, behind)
		}
		waited := make(chan finding.Report)
		go func() { waited <- w.verify(func(o *scope.Options) { o.Wait = 10 * time.Minute }) }()
		w.pipeline()
		want(t, "a record that is folded while verify waits", <-waited, 0)
	})
}
