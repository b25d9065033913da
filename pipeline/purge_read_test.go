package pipeline_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// held is a table whose first read of a journal waits.
type held struct {
	sinks.Table
	arrived, release chan struct{}
}

func (t *held) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if strings.HasPrefix(q.From, sinks.LatePrefix) {
		select {
		case t.arrived <- struct{}{}:
			<-t.release
		case <-t.release: // Another was first.
		}
	}
	return t.Table.Query(ctx, q)
}

// TestStrippedEntryIsReadFromItsItem: an owner has read an hour's item. Before it reads the journal, the last sweep of an erasure merges
// the entries into the item and strips them. The owner reads the item again.
func TestStrippedEntryIsReadFromItsItem(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.StatsInterval, o.Limits.Journal = 5*time.Second, aggregate.Journal{MinItem: 1, Entries: math.MaxInt}
		run := w.Start(o)
		w.Produce(visitTo("stays", "b", "/", "1", bubbleStart), visitTo("gone", "a", "/secret-1", "2", bubbleStart))
		w.Settled()
		w.Produce(visitTo("stays", "b", "/more", "3", bubbleStart.Add(time.Minute)), visitTo("gone", "a", "/secret-2", "4",
			bubbleStart.Add(time.Minute)))
		w.Settled()
		if n := len(w.Query(sinks.Keys{}.BreakdownOfDay("s", bubbleStart.UnixMilli()), sinks.LatePrefix)); n == 0 {
			t.Fatal("nothing is in the journal")
		}
		slow := &held{w.Table, make(chan struct{}), make(chan struct{})}
		opts, items := w.Erasure("gone"), 0
		opts.Breakdowns = true
		opts.Table = &interrupted{Table: w.Table, before: func() {
			if items++; items > 1 {
				return
			}
			run.Drain()
			o.Table, o.Limits.Journal.MinItem = slow, math.MaxInt // It writes the hour whole.
			run = w.Start(o)
			w.Produce(visitTo("stays", "b", "/late", "5", bubbleStart.Add(2*time.Minute)))
			<-slow.arrived
		}}
		report, err := erase.Run(t.Context(), opts)
		close(slow.release)
		if err != nil || !report.Over() || items < 2 { // The item, and an entry.
			t.Fatalf("%+v, %v, after %d items", report, err, items)
		}
		w.Settled()
		run.Drain()
		for _, left := range w.ItemsWith("/secret") {
			t.Error(left)
		}
		w.Agrees(o)
	})
}

// TestRecountKnowsWhichRowsGo: verify reports a row that was moved to other without a tombstone, and one that is there after the
// erasure is done.
func TestRecountKnowsWhichRowsGo(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		run := w.Start(o)
		w.Produce(visitTo("stays", "b", "/", "1", bubbleStart), visitTo("gone", "a", "/secret", "2", bubbleStart))
		w.Settled()
		item := func() sinks.Item {
			return w.Query(sinks.Keys{}.BreakdownOfDay("s", bubbleStart.UnixMilli()), sinks.BreakdownPrefix)[0]
		}
		put := func(part []byte) {
			t.Helper()
			if _, err := w.Table.Update(t.Context(), sinks.Update{Key: item().Key(),
				Set: []sinks.Attr{{Name: sinks.AttrPart, Value: sinks.Bytes(part)}}}); err != nil {
				t.Fatal(err)
			}
		}
		differs := func(want bool, when string) {
			t.Helper()
			if r, err := w.Verify(o); err != nil || len(r.Differences) > 0 != want {
				t.Errorf("%s: %d differences, %v; want some: %v", when, len(r.Differences), err, want)
			}
		}
		before := item()[sinks.AttrPart].Bytes()
		b := new(sketch.Breakdown)
		if err := sketch.UnpackBreakdown(before, b); err != nil {
			t.Fatal(err)
		}
		if _, rows := b.Purge(func(uint64) bool { return true }); rows == 0 {
			t.Fatal("no row is of one visitor")
		}
		moved, err := sketch.PackBreakdown(b)
		if err != nil {
			t.Fatal(err)
		}
		differs(false, "before")
		put(moved)
		differs(true, "rows moved without a tombstone")
		put(before)
		opts := w.Erasure("gone")
		opts.Breakdowns = true
		if report, err := erase.Run(t.Context(), opts); err != nil || !report.Over() {
			t.Fatal(report, err)
		}
		run.Drain()
		differs(false, "erased")
		put(moved) // Those of another visitor, too.
		differs(true, "another's rows moved")
		put(before)
		differs(true, "a row is left")
	})
}
