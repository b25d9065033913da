package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// ofPerson are all items that name a visitor, or whose keys do.
func (w *world) ofPerson(site, visitor string) (found []string) {
	w.T.Helper()
	for nn := range sinks.MaxShards {
		for _, it := range w.Query(sinks.Keys{}.Shard(site, nn), "") {
			if it[sinks.AttrVisitorID].Str() == visitor || strings.Contains(it.Key().SK, "#"+visitor+"#") {
				found = append(found, fmt.Sprintf("%s / %s", it.Key().PK, it.Key().SK))
			}
		}
	}
	for _, it := range w.Query(sinks.Keys{}.VisitorList(site), "") {
		entries, err := state.DecodeListed(it[sinks.AttrListed].Bytes(), 0, sinks.TP{})
		if err != nil {
			w.T.Fatal(err)
		}
		if slices.ContainsFunc(entries, func(e state.ListedSession) bool { return e.Visitor == sinks.VisitorHash(visitor) }) {
			found = append(found, fmt.Sprintf("%s / %s", it.Key().PK, it.Key().SK))
		}
	}
	return found
}

// TestErasedPersonDoesNotComeBack: events, sessions and visits of somebody who is erased are gone, and totals as they were; nor does
// a replay of all of his records bring anything back, late events, or another topic. What he does later counts as anybody's.
func TestErasedPersonDoesNotComeBack(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.Duplicates, o.StatsInterval = within(0), 5*time.Second
		records := []record{
			eventOf("gone", "a", "1", 0), eventOf("", "a", "2", time.Second), eventOf("gone", "", "3", 2*time.Second),
			eventOf("stays", "b", "4", 3*time.Second), eventOf("stays", "", "5", 4*time.Second), eventOf("gone", "b", "6", 5*time.Second),
		}
		day := sinks.Keys{}.DayStats("s", bubbleStart.UnixMilli())
		w.Produce(records...)
		run := w.Start(o)
		w.Settled()
		before := w.Item(day)
		report, err := erase.Run(t.Context(), w.Erasure("gone"))
		if err != nil || !report.Over() {
			t.Fatalf("%+v, %v", report, err)
		}
		if want := (erase.Counts{erase.Events: 4, erase.Sessions: 2, erase.Visitors: 1}); fmt.Sprint(report.Touched) != fmt.Sprint(want) {
			t.Errorf("touched %v, want %v", report.Touched, want)
		}
		for _, name := range []string{sinks.AttrEvents, sinks.AttrSessions, sinks.AttrPageViews, sinks.AttrBounces, sinks.AttrDurationMs} {
			if have := w.Item(day)[name]; !have.Equal(before[name]) {
				t.Errorf("the day has %d %s, it had %d", have.Int(), name, before[name].Int())
			}
		}
		if left := w.ofPerson("s", "gone"); left != nil {
			t.Errorf("left: %q", left)
		}
		w.Recounted()

		w.Produce(records...)
		w.Settled()
		run.Drain()
		if left := w.ofPerson("s", "gone"); left != nil {
			t.Errorf("after a replay: %q", left)
		}
		if have, want := w.Stats(day, sinks.AttrEvents), 2*before[sinks.AttrEvents].Int(); have != want {
			t.Errorf("after a replay the day has %d events, want %d", have, want)
		}
		// The visit is another's: an alias's.
		if have, want := w.Stats(day, sinks.AttrSessions), before[sinks.AttrSessions].Int()+1; have != want {
			t.Errorf("after a replay the day has %d sessions, want %d", have, want)
		}
		w.Recounted()

		later := 30 * time.Minute
		run = w.Start(o)
		w.Produce(eventOf("gone", "c", "7", later), eventOf("gone", "", "8", later))
		w.Settled()
		run.Drain()
		if n := len(w.ofPerson("s", "gone")); n != 6 { // Two raw events, a session, a visit, the state of their visits and a list.
			t.Errorf("%d items tell of what came later, want 6", n)
		}
		w.Recounted()
	})
}

// TestErasureOfNobodyHoldsForLateEvents: a visitor without any item is erased, too, so that late events do not bring him.
func TestErasureOfNobodyHoldsForLateEvents(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.StatsInterval = 5 * time.Second
		w.Produce(eventOf("stays", "b", "1", 0))
		run := w.Start(o)
		w.Settled()
		report, err := erase.Run(t.Context(), w.Erasure("late"))
		if err != nil || !report.Over() || len(report.Touched) > 0 {
			t.Errorf("%+v, %v", report, err)
		}
		w.Produce(eventOf("late", "c", "2", time.Second), eventOf("late", "", "3", time.Second))
		w.Settled()
		run.Drain()
		if left := w.ofPerson("s", "late"); left != nil {
			t.Errorf("his late events left %q", left)
		}
		w.Recounted()
	})
}

// TestErasureAgainFindsWhatNamesNobody: a session that an event erases late has events from before that nobody could know to be his.
func TestErasureAgainFindsWhatNamesNobody(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.RareFetches(5 * time.Second)
		o := w.Options()
		o.StatsInterval = 5 * time.Second
		w.Produce(eventOf("stays", "b", "1", 0))
		run := w.Start(o)
		w.Settled()
		for i, want := range []erase.Counts{{}, {erase.Events: 1}} {
			report, err := erase.Run(t.Context(), w.Erasure("late"))
			if err != nil || !report.Over() || fmt.Sprint(report.Touched) != fmt.Sprint(want) {
				t.Errorf("erasure %d: %+v, %v: want it to touch %v", i, report, err, want)
			}
			if i == 0 {
				w.Produce(eventOf("", "c", "2", time.Second), eventOf("late", "c", "3", time.Second), eventOf("", "c", "4", time.Second))
				w.Settled()
			}
		}
		run.Drain()
		w.Recounted()
	})
}

// TestUnnamedEventsOfErasedSessionGo: events that name nobody go with the session that turns out to be his only while the erasure is
// under way, however its key spells the id that the item has lost by then.
func TestUnnamedEventsOfErasedSessionGo(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for _, session := range []string{"a", "100%", "a#1_0", strings.Repeat("\n", 250)} {
		inWorld(t, 1, func(t *testing.T, w *world) {
			w.RareFetches(5 * time.Second)
			o := w.Options()
			o.StatsInterval = 5 * time.Second
			run := w.Start(o)
			w.Produce(eventOf("", session, "1", 0), eventOf("stays", "b", "2", 0))
			w.Settled()
			e := w.Erasure("gone")
			e.NoWait = true
			if report, err := erase.Run(t.Context(), e); err != nil || report.Over() {
				t.Fatalf("%+v, %v: want it to wait", report, err)
			}
			time.Sleep(time.Minute)
			w.Produce(eventOf("gone", session, "3", time.Second))
			w.Settled()
			report, err := erase.Run(t.Context(), w.Erasure("gone"))
			if err != nil || !report.Over() || report.Touched[erase.Events] != 1 {
				t.Errorf("session %.20q: %+v, %v: want the event without a visitor deleted", session, report, err)
			}
			run.Drain()
			w.Recounted()
		})
	}
}
