package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// identified returns n events of partition 0 with ids, numbered from first.
func identified(first, n int) (list []record) {
	for i := first; i < first+n; i++ {
		at := bubbleStart.Add(time.Duration(i) * time.Second)
		list = append(list, record{Key: "s", At: at, Value: fmt.Appendf(nil,
			`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v%d","id":"e%d"}`, at.UnixMilli(), i%7, i)})
	}
	return list
}

// rottenLog folds 60 records of partition 0. The record at offset 50 is damaged from then on. open leaves the last step open.
func (w *world) rottenLog(net *kfake.VirtualNetwork, damage *atomic.Bool, open bool) pipeline.Options {
	w.T.Helper()
	o := w.Options()
	o.Kafka = w.Decayed(damage, net.DialContext)
	w.Produce(identified(0, 50)...)
	w.Produce(record{Key: "k", At: bubbleStart, Value: []byte(`{"siteId":"rotten","type":"click","timestamp":946684800000,"visitorId":"v"}`)})
	w.Folded(o, identified(50, 9))
	if open {
		w.Produce(identified(59, 4)...)
		w.Produce(identified(3, 1)...) // A duplicate of one below the damage.
		killed := o
		killed.Table = &killOnStats{Table: w.Table}
		if err := w.Ends(killed); !errors.Is(err, errKilled) {
			w.T.Fatalf("Run = %v, want the kill", err)
		}
		if w.head(0, checkpoint.LaneStats).Done {
			w.T.Fatal("no step is open: the test is void")
		}
	}
	damage.Store(true)
	return o
}

// A batch that was folded, and is damaged afterwards, parks the partition when its next owner fills the window of duplicates. The command
// that is shown passes it: nothing is lost but the duplicates of what came before, and verify judges as the pipeline did, whether or not
// the batch can be read again.
func TestDamageInTheWindowOfDuplicatesIsSkipped(t *testing.T) {
	t.Parallel()
	inNetwork(t, 1, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		damage := new(atomic.Bool)
		o := w.rottenLog(net, damage, false)
		w.Produce(identified(40, 1)...)  // Seen at offset 40, below the damage: it counts again.
		w.Produce(identified(55, 1)...)  // Seen at offset 56: a duplicate.
		w.Produce(identified(100, 3)...) // Counted.
		run := w.Start(o)
		park := w.parkedOf(0)
		command := "footfall partition skip 0 --from-offset 50 --to-offset 51"
		if !slices.Contains(park.Commands(0), command) {
			t.Errorf("parked: %v, with the commands %q, want %q", park, park.Commands(0), command)
		}
		u := w.Unparking(0)
		for _, c := range []struct {
			from, to int64
			why      string
		}{{49, 51, "everything before"}, {50, 62, "everything before"}} {
			u.From, u.To = c.from, c.to
			if err := checkpoint.Skip(t.Context(), u); err == nil || !strings.Contains(err.Error(), c.why) {
				t.Errorf("Skip of [%d,%d) = %v, want %q", c.from, c.to, err, c.why)
			}
		}
		u.From, u.To = 50, 51
		if err := checkpoint.Skip(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		if totals := w.totals(0); totals.Counted != 60+4 || totals.Duplicate != 1 {
			t.Errorf("totals %+v, want 64 counted and 1 duplicate", totals)
		}
		for _, damaged := range []bool{true, false} {
			damage.Store(damaged)
			r, err := verify.Run(t.Context(), verify.Options{Kafka: o.Kafka, Topic: w.Topic, Table: w.Table, HashKey: o.HashKey})
			if err != nil || r.DifferenceCount != 0 || len(r.Gaps) != 0 || len(r.Forgotten) != 2 || r.Forgotten[0].From != 50 ||
				r.Forgotten[0].To != 51 {
				t.Errorf("damaged %v: verify = %v: %d differences %+v, gaps %+v, skipped %+v", damaged, err, r.DifferenceCount, r.Differences, r.Gaps,
					r.Forgotten)
			}
			if want := int64(65); !damaged && (r.Records != want || r.ExitCode() != 0) {
				t.Errorf("verify of what can be read again: %d records, want %d; exit code %d", r.Records, want, r.ExitCode())
			}
		}
		again := w.Start(o) // The floor holds for owners that come later.
		w.Produce(identified(200, 2)...)
		w.Settled()
		again.Drain()
	})
}

// An open step is done again without the damaged batch. If it had a duplicate of a record below the damage, the duplicate cannot be
// detected any more, and the step becomes a gap.
func TestDamageInTheWindowOfAnOpenStep(t *testing.T) {
	t.Parallel()
	inNetwork(t, 1, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		damage := new(atomic.Bool)
		o := w.rottenLog(net, damage, true)
		run := w.Start(o)
		park := w.parkedOf(0)
		u := w.Unparking(0)
		u.From, u.To = park.From, park.To
		if err := checkpoint.Skip(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		if head := w.stopped(0, checkpoint.LaneStats); head.Gap.Cause != checkpoint.GapWindow {
			t.Errorf("gap %+v, want %v", head.Gap, checkpoint.GapWindow)
		}
		run.Drain()
	})
}

// skipInTheWindow parks a partition at a record of the window of duplicates, has command skip it, and recounts the topic.
func skipInTheWindow(t *testing.T, command func(*testing.T, *world, checkpoint.Unparking)) {
	t.Helper()
	inNetwork(t, 1, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		damage := new(atomic.Bool)
		o := w.rottenLog(net, damage, false)
		w.Produce(identified(40, 2)...)
		run := w.Start(o)
		w.parkedOf(0)
		u := w.Unparking(0)
		u.From, u.To = 50, 51
		command(t, w, u)
		w.Settled()
		run.Drain()
		damage.Store(false)
		w.Recounted()
	})
}

// The operator's command may be cut short anywhere: the next one completes it.
func TestSkipInTheWindowCutShortIsCompleted(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for at := 1; ; at++ {
		cut := false
		skipInTheWindow(t, func(t *testing.T, w *world, u checkpoint.Unparking) {
			cut = w.skipCutAt(at, u)
			if err := checkpoint.Skip(t.Context(), u); err != nil && !errors.Is(err, checkpoint.ErrNotParked) {
				t.Fatalf("cut short at request %d: Skip = %v", at, err)
			}
		})
		if !cut {
			if at < 6 {
				t.Errorf("Skip made only %d requests", at)
			}
			return
		}
	}
}

// TestSkipThatALateCopyFences is TestAcceptanceThatALateCopyFences for the command that skips what cannot be read.
func TestSkipThatALateCopyFences(t *testing.T) {
	t.Parallel()
	for after := 0; ; after++ {
		sent := false
		skipInTheWindow(t, func(t *testing.T, w *world, u checkpoint.Unparking) {
			table := &copied{Table: w.Table, after: after}
			u.Table = table
			if err := checkpoint.Skip(t.Context(), u); err != nil {
				t.Fatalf("a copy after %d requests: Skip = %v", after, err)
			}
			sent = table.sent
		})
		if !sent {
			if after < 3 {
				t.Errorf("Skip made only %d requests after its takeover", after)
			}
			return
		}
	}
}

// TestSkipInTheWindowIsJudgedAsItWasFolded: an operator skips a damaged batch that is folded, and verify judges what came of it once it
// can be read again.
func TestSkipInTheWindowIsJudgedAsItWasFolded(t *testing.T) {
	t.Parallel()
	inNetwork(t, 1, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		damage := new(atomic.Bool)
		o := w.rottenLog(net, damage, false)
		w.Produce(identified(40, 1)...)
		run := w.Start(o)
		park := w.parkedOf(0)
		u := w.Unparking(0)
		u.From, u.To = park.From, park.To
		if err := checkpoint.Skip(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		damage.Store(false)
		if r := w.Agrees(w.Options()); r.ExitCode() != 0 {
			t.Errorf("exit code %d", r.ExitCode())
		}
	})
}

// TestWindowReachesOverAnUndecidedStep: an operator skips a damaged batch in the middle of an open step, which the realtime lane has
// folded. A copy of an event between the batch and the end of the step follows. The window of duplicates begins right after what was
// skipped, in both lanes. It reaches over the step that is undecided since then: the log still holds the rest of it.
func TestWindowReachesOverAnUndecidedStep(t *testing.T) {
	t.Parallel()
	inNetwork(t, 1, func(t *testing.T, w *world, net *kfake.VirtualNetwork) {
		damage := new(atomic.Bool)
		o := w.Options()
		o.Kafka = w.Decayed(damage, net.DialContext)
		w.Produce(identified(0, 50)...)
		w.Produce(record{Key: "k", At: bubbleStart, Value: []byte(`{"siteId":"rotten","type":"click","timestamp":946684800000,"visitorId":"v"}`)})
		w.Produce(identified(51, 9)...)
		killed := o
		killed.Table = &killOnStats{Table: w.Table}
		if err := w.Ends(killed); !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		if stats, realtime := w.head(0, checkpoint.LaneStats), w.head(0, checkpoint.LaneRealtime); stats.Done || stats.To != 60 ||
			realtime.Step == 0 {
			t.Fatalf("the lanes are at %+v and %+v: the test is void", stats, realtime)
		}
		damage.Store(true)
		w.Produce(identified(55, 1)...) // Seen at offset 55, in the open step: a duplicate.
		w.Produce(identified(40, 1)...) // Seen at offset 40, below the damage: it counts.
		w.Produce(identified(70, 2)...)
		run := w.Start(o)
		w.parkedOf(0)
		u := w.Unparking(0)
		u.From, u.To = 50, 51
		if err := checkpoint.Skip(t.Context(), u); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		damage.Store(false)
		if totals := w.totals(0); totals.Counted != 60+3 || totals.Duplicate != 1 {
			t.Errorf("totals %+v, want 63 counted and 1 duplicate", totals)
		}
		w.Agrees(w.Options())
		for _, lane := range checkpoint.Lanes {
			if floor := w.head(0, lane).Floor; floor != u.To {
				t.Errorf("lane %s: the window begins at position %d, want %d", lane, floor, u.To)
			}
		}
	})
}
