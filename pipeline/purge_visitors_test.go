package pipeline_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
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
	w.t.Helper()
	o := w.options()
	o.StatsInterval, o.Limits.Journal = 5*time.Second, aggregate.Journal{MinItem: 1, Entries: math.MaxInt}
	run := w.start(o)
	for i := range sweptVisitors - 4 { // The hour's visitors have an item of their own.
		w.produce(visitTo(fmt.Sprint("v", i), fmt.Sprint("v", i), "/", fmt.Sprint("v", i), bubbleStart))
	}
	w.settled()
	for i := range 3 {
		w.produce(visitTo(fmt.Sprint("late", i), fmt.Sprint("late", i), "/", fmt.Sprint("late", i), bubbleStart.Add(time.Minute)),
			visitTo("gone", "gone", fmt.Sprint("/secret-", i), fmt.Sprint("gone", i), bubbleStart.Add(time.Minute)))
		w.settled()
	}
	if n := w.journaled("s"); n != 3 {
		w.t.Fatalf("the journal has %d entries, want 3: the test is void", n)
	}
	opts := w.erasure("gone")
	opts.Breakdowns = true
	report, err := erase.Run(w.t.Context(), opts)
	if err != nil || !report.Over() || report.Touched[erase.Rows] == 0 {
		w.t.Fatalf("%+v, %v", report, err)
	}
	run.drain()
	tp := sinks.TP{Topic: 1}
	mark := sinks.AttrMark(checkpoint.LaneStats, tp)
	swept, stats := w.item(sinks.Keys{}.Breakdown("s", bubbleStart.UnixMilli(), tp)),
		w.item(sinks.Keys{}.HourStats("s", bubbleStart.UnixMilli()))
	if swept[sinks.AttrPurged].Kind() == sinks.None || swept[mark].Int() != stats[mark].Int() {
		w.t.Fatalf("the sweep has left the breakdown at mark %v, the stats have %v: the test is void", swept[mark], stats[mark])
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
		run := w.start(o)
		for i := range 2 { // The second step deletes what the first has merged.
			w.produce(visitTo(fmt.Sprint("new", i), fmt.Sprint("new", i), "/", fmt.Sprint("new", i), bubbleStart.Add(2*time.Minute)))
			w.settled()
		}
		run.drain()
		if n := w.journaled("s"); n != 0 {
			t.Errorf("%d entries are left that no hour needs", n)
		}
		part := sketch.NewHour()
		if err := part.UnmarshalBinary(w.item(sinks.Keys{}.Uniques("s", bubbleStart.UnixMilli(),
			sinks.TP{Topic: 1}))[sinks.AttrPart].Bytes()); err != nil {
			t.Fatal(err)
		}
		if n := part.Entries(); n != sweptVisitors+2 {
			t.Errorf("the item of visitors has %d, want %d", n, sweptVisitors+2)
		}
		w.agrees(o)
	})
}

// TestQuarantineOfSweptEntry: when an entry cannot be read whose rows an erasure has merged, its visitors are lost all the same.
func TestQuarantineOfSweptEntry(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		s := newSpy(w.table)
		w.table = s
		o := w.sweptJournal()
		latest := w.latest(s, sinks.EntityLate)
		w.damage(s, sinks.AttrPart, "truncated", func(it sinks.Item) bool { return it.Key() == latest })
		o.Limits.Journal.MinItem = math.MaxInt
		run := w.start(o)
		w.produce(visitTo("new", "new", "/", "new", bubbleStart.Add(2*time.Minute)))
		w.pass(time.Minute)
		if w.behind() == nil {
			t.Error("the partition has counted on with an entry that cannot be read")
		}
		w.quarantine(latest)
		w.settled()
		run.drain()
		w.wantLost([]sinks.Key{latest, sinks.Keys{}.Uniques("s", bubbleStart.UnixMilli(), sinks.TP{Topic: 1})})
		if _, found := w.differences(o); found != nil {
			t.Errorf("%q", found)
		}
	})
}
