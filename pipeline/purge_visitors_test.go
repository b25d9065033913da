package pipeline_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// sweptVisitors is how many visitors the hour of sweptJournal has.
const sweptVisitors = 2 * aggregate.InlineVisitors

// sweptJournal makes an hour whose journal has visitors that no part has, and erases one of them, breakdowns included: the sweep merges
// the rows of the entries into the hour's breakdown, under the mark of the last of them. Nothing runs afterwards.
func (w *world) sweptJournal() pipeline.Options {
	w.T.Helper()
	o := w.Options()
	o.StatsInterval, o.Limits.Journal = 5*time.Second, aggregate.Journal{MinItem: 1, Entries: math.MaxInt}
	run := w.Start(o)
	for i := range sweptVisitors - 4 { // The hour's visitors have an item of their own.
		w.Produce(visitTo(fmt.Sprint("v", i), fmt.Sprint("v", i), "/", fmt.Sprint("v", i), bubbleStart))
	}
	w.Settled()
	for i := range 3 {
		w.Produce(visitTo(fmt.Sprint("late", i), fmt.Sprint("late", i), "/", fmt.Sprint("late", i), bubbleStart.Add(time.Minute)),
			visitTo("gone", "gone", fmt.Sprint("/secret-", i), fmt.Sprint("gone", i), bubbleStart.Add(time.Minute)))
		w.Settled()
	}
	if n := testpipeline.Journaled(w.World, "s"); n != 3 {
		w.T.Fatalf("the journal has %d entries, want 3: the test is void", n)
	}
	opts := w.Erasure("gone")
	opts.Breakdowns = true
	report, err := erase.Run(w.T.Context(), opts)
	if err != nil || !report.Over() || report.Touched[erase.Rows] == 0 {
		w.T.Fatalf("%+v, %v", report, err)
	}
	run.Drain()
	tp := sinks.TP{Topic: 1}
	mark := sinks.AttrMark(checkpoint.LaneStats, tp)
	swept, stats := w.Item(sinks.Keys{}.Breakdown("s", bubbleStart.UnixMilli(), tp)),
		w.Item(sinks.Keys{}.HourStats("s", bubbleStart.UnixMilli()))
	if swept[sinks.AttrPurged].Kind() == sinks.None || swept[mark].Int() != stats[mark].Int() {
		w.T.Fatalf("the sweep has left the breakdown at mark %v, the stats have %v: the test is void", swept[mark], stats[mark])
	}
	return o
}

// TestSweptJournalKeepsItsVisitors: an owner that writes an hour whole after an erasure has merged rows of its journal writes the
// visitors of the entries, too.
func TestSweptJournalKeepsItsVisitors(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.sweptJournal()
		o.Limits.Journal.MinItem = math.MaxInt
		run := w.Start(o)
		for i := range 2 { // The second step deletes what the first has merged.
			w.Produce(visitTo(fmt.Sprint("new", i), fmt.Sprint("new", i), "/", fmt.Sprint("new", i), bubbleStart.Add(2*time.Minute)))
			w.Settled()
		}
		run.Drain()
		if n := testpipeline.Journaled(w.World, "s"); n != 0 {
			t.Errorf("%d entries are left that no hour needs", n)
		}
		part := sketch.NewHour()
		if err := part.UnmarshalBinary(w.Item(sinks.Keys{}.Uniques("s", bubbleStart.UnixMilli(),
			sinks.TP{Topic: 1}))[sinks.AttrPart].Bytes()); err != nil {
			t.Fatal(err)
		}
		if n := part.Entries(); n != sweptVisitors+2 {
			t.Errorf("the item of visitors has %d, want %d", n, sweptVisitors+2)
		}
		w.Agrees(o)
	})
}

// TestQuarantineOfSweptEntry: when an entry cannot be read whose rows an erasure has merged, its visitors are lost all the same.
func TestQuarantineOfSweptEntry(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		s := newSpy(w.Table)
		w.Table = s
		o := w.sweptJournal()
		latest := w.latest(s, sinks.EntityLate)
		w.damage(s, sinks.AttrPart, "truncated", func(it sinks.Item) bool { return it.Key() == latest })
		o.Limits.Journal.MinItem = math.MaxInt
		run := w.Start(o)
		w.Produce(visitTo("new", "new", "/", "new", bubbleStart.Add(2*time.Minute)))
		w.Pass(time.Minute)
		if w.Behind() == nil {
			t.Error("the partition has counted on with an entry that cannot be read")
		}
		w.quarantine(latest)
		w.Settled()
		run.Drain()
		w.wantLost([]sinks.Key{latest, sinks.Keys{}.Uniques("s", bubbleStart.UnixMilli(), sinks.TP{Topic: 1})})
		if _, found := w.Differences(o); found != nil {
			t.Errorf("%q", found)
		}
	})
}
