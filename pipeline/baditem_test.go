package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// change sets an attribute of all items that pick picks, and returns their keys.
func (w *world) change(s *spy, pick func(sinks.Item) bool, with ...sinks.Attr) (keys []sinks.Key) {
	w.T.Helper()
	for key, it := range w.contents(s) {
		if !pick(it) {
			continue
		}
		if _, err := w.Table.Update(w.T.Context(), sinks.Update{Key: key, Set: with}); err != nil {
			w.T.Fatal(err)
		}
		keys = append(keys, key)
	}
	if keys == nil {
		w.T.Fatal("there is nothing to change")
	}
	return keys
}

// countsOn waits until partition 1 has folded its records, and fails when the process ends before.
func (w *world) countsOn(run *process, records []record) {
	w.T.Helper()
	w.until("the other partition counts on", func() bool {
		select {
		case err := <-run.Done:
			w.T.Fatalf("the process ended: %v", err)
		default:
		}
		head := w.head(1, checkpoint.LaneStats)
		return head.Done && head.Totals.Records() == count(records, 1)
	})
}

// An item whose applied mark is ahead of its chain parks the partitions that read it. A quarantine gives it a mark of the chain's, the
// partition continues, and verify names it.
func TestMarkAheadOfItsChainParks(t *testing.T) {
	t.Parallel()
	for _, entity := range []string{sinks.EntitySession, sinks.EntityVisitor, sinks.EntityArrival, sinks.EntitySiteEntry,
		sinks.EntityBreakdown,
		sinks.EntityStats} {
		t.Run(entity, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 2, func(t *testing.T, w *world) {
				s := newSpy(w.Table)
				records := traffic(31, 2, 300, bubbleStart)
				if entity == sinks.EntityArrival {
					w.Decide("site-0", &sites.Rules{Name: "Counted", NewVisitors: true})
				}
				w.Folded(w.With(s, 0), records[:200])
				mark := sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: 1})
				keys := w.change(s, func(it sinks.Item) bool { return it[sinks.AttrEntity].Str() == entity && it[mark].Kind() != sinks.None },
					sinks.Attr{Name: mark, Value: sinks.Int(1_000_000)})
				w.Produce(records[200:]...)
				run := w.Start(w.With(s, 0))
				w.countsOn(run, records)
				w.until("the partition parks", func() bool { return w.head(0, checkpoint.LaneStats).Park != nil })
				if k := w.head(0, checkpoint.LaneStats).Park; k.Reason != checkpoint.ParkedItem ||
					!slices.Contains(keys, sinks.Key{PK: k.PK, SK: k.SK}) {
					t.Errorf("it is parked with %v, want one of %v", k, keys)
				}
				for _, key := range keys {
					w.quarantine(key)
					w.quarantine(key)        // It may be repeated.
					w.Pass(20 * time.Second) // Each is a takeover.
				}
				w.Settled()
				run.Drain()
				w.wantLost(keys)
			})
		})
	}
}

// A checkpoint whose attributes are of the right types and say what cannot be parks its partition; another one is not affected.
func TestBadCheckpointParksItsPartition(t *testing.T) {
	t.Parallel()
	for _, bad := range []struct {
		attr string
		with []sinks.Attr
	}{
		{"park", []sinks.Attr{{Name: "park", Value: sinks.Str("{garbage")}}},
		{"gap", []sinks.Attr{{Name: "gap", Value: sinks.Str("{garbage")}}},
		{"tid", []sinks.Attr{{Name: "tid", Value: sinks.Str("{garbage")}}},
		{"tid", []sinks.Attr{{Name: "tid", Value: sinks.Str(strings.Repeat("ab", 16))}}}, // Of no topic that the chain has had.
		{"rev", []sinks.Attr{{Name: "rev", Value: sinks.Int(1_000_000)}}},
		{"seen", []sinks.Attr{{Name: "seen", Value: sinks.Int(1_000_000)}}},
		{"ver", []sinks.Attr{{Name: "ver", Value: sinks.Str("{garbage")}, {Name: "d", Value: sinks.Int(0)}}},
	} {
		t.Run(bad.attr, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 2, func(t *testing.T, w *world) {
				w.RareFetches(5 * time.Second)
				s := newSpy(w.Table)
				records := traffic(31, 2, 300, bubbleStart)
				w.Folded(w.With(s, 0), records[:200])
				key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
				before := w.Item(key)
				w.change(s, func(it sinks.Item) bool { return it.Key() == key }, bad.with...)
				w.Produce(records[200:]...)
				o := w.With(s, 0)
				o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
				run := w.Start(o)
				w.countsOn(run, records)
				w.Pass(5 * time.Minute)
				if testutil.ToFloat64(o.Metrics.Parked.WithLabelValues("0", "item")) != 1 {
					t.Error("the partition is not parked")
				}
				_, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: w.Topic, Table: w.Table, Key: key})
				if !errors.Is(err, quarantine.ErrIrreplaceable) || !strings.Contains(fmt.Sprint(err), "attribute "+bad.attr) {
					t.Errorf("QuarantineItem = %v, want %v of %s", err, quarantine.ErrIrreplaceable, bad.attr)
				}
				var restored []sinks.Attr
				u := sinks.Update{Key: key}
				for _, a := range bad.with {
					if v := before[a.Name]; v.Kind() != sinks.None {
						restored = append(restored, sinks.Attr{Name: a.Name, Value: v})
					} else {
						u.Remove = append(u.Remove, a.Name)
					}
				}
				u.Set = restored
				if _, err := w.Table.Update(t.Context(), u); err != nil {
					t.Fatal(err)
				}
				if _, err := checkpoint.Resume(t.Context(), checkpoint.Unparking{Topic: w.Topic, Table: w.Table}); err != nil &&
					!errors.Is(err, checkpoint.ErrNotParked) {
					t.Fatal(err)
				}
				w.Settled()
				run.Drain()
				w.recounts(len(records))
			})
		})
	}
}

// Each quarantine is a takeover. However many there are within minutes, the process continues.
func TestManyItemsAreQuarantinedUnderARunningProcess(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		s := newSpy(w.Table)
		records := traffic(31, 2, 600, bubbleStart)
		w.Folded(w.With(s, 0), records[:300])
		mark := sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: 1})
		var keys []sinks.Key
		for key, it := range w.contents(s) {
			if it[sinks.AttrEntity].Str() == sinks.EntitySession && it[mark].Kind() != sinks.None && len(keys) < 12 {
				keys = append(keys, key)
			}
		}
		run := w.Start(w.With(s, 0))
		w.Produce(records[300:400]...)
		w.Settled()
		for i, key := range keys {
			w.change(s, func(it sinks.Item) bool { return it.Key() == key }, sinks.Attr{Name: sinks.AttrCur, Value: sinks.Str("x")})
			w.quarantine(key)
			if n := 400 + 10*i; n < len(records) {
				w.Produce(records[n:min(n+10, len(records))]...)
			}
			w.Pass(20 * time.Second)
			select {
			case err := <-run.Done:
				t.Fatalf("after %d items the process ended: %v", i+1, err)
			default:
			}
		}
		w.Settled()
		run.Drain()
	})
}

// A process that leaves a partition to a later group waits while a checkpoint of it cannot be read, and continues as before
// once it can be.
func TestYieldingOutlivesABadCheckpoint(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		records := traffic(31, 2, 300, bubbleStart)
		w.Produce(records[:200]...)
		first := w.Start(w.With(w.Table, 0))
		w.Settled()
		later := w.With(w.Table, 1)
		later.Group, later.Metrics = "later", pipeline.NewMetrics(prometheus.NewRegistry())
		second := w.Start(later)
		w.until("the later group has the partition", func() bool { return w.head(0, checkpoint.LaneStats).Group == "later" })
		w.Settled()
		w.Pass(time.Minute)
		w.outlives(first, "gap", sinks.Str("{garbage"))
		w.Produce(records[200:]...)
		w.Settled()
		first.Drain()
		second.Drain()
		w.recounts(len(records))
	})
}

// A process that waits until another release has done a step waits on while the checkpoint cannot be read.
func TestWaitForAnotherReleaseOutlivesABadCheckpoint(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		records := traffic(57, 2, 200, bubbleStart)
		w.killedMidStep(only(records, 0))
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		ours, other := w.Item(key)["ver"], checkpoint.DefaultSettings()
		other.Fold = checkpoint.FoldVersion + 1
		release := func(ver sinks.Value) {
			if _, err := w.Table.Update(t.Context(), sinks.Update{Key: key, Set: []sinks.Attr{{Name: "ver", Value: ver}}}); err != nil {
				t.Fatal(err)
			}
		}
		release(sinks.Str(other.String()))
		run := w.Start(w.With(w.Table, 0))
		w.Pass(time.Minute)
		w.outlives(run, "totals", sinks.Str("{garbage"))
		release(ours)
		w.Settled()
		run.Drain()
		w.recounts(len(only(records, 0)))
	})
}

// outlives damages an attribute of partition 0's checkpoint for five minutes, which the process must outlive.
func (w *world) outlives(run *process, attr string, bad sinks.Value) {
	w.T.Helper()
	key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
	before := w.Item(key)[attr]
	set := sinks.Update{Key: key, Set: []sinks.Attr{{Name: attr, Value: bad}}}
	if _, err := w.Table.Update(w.T.Context(), set); err != nil {
		w.T.Fatal(err)
	}
	w.Pass(5 * time.Minute)
	select {
	case err := <-run.Done:
		w.T.Errorf("the process ended: %v", err)
	default:
	}
	if set.Set[0].Value = before; before.Kind() == sinks.None {
		set.Set, set.Remove = nil, []string{attr}
	}
	if _, err := w.Table.Update(w.T.Context(), set); err != nil {
		w.T.Fatal(err)
	}
}

// A month that is sealed from a day whose sums were quarantined differs only in what the day has lost.
func TestMonthOfALostDayIsExcused(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		s := newSpy(w.Table)
		w.Folded(w.With(s, 0), traffic(31, 1, 200, bubbleStart))
		days := w.change(s, func(it sinks.Item) bool {
			return strings.HasPrefix(it.Key().SK, sinks.DayStatsPrefix) && it[sinks.AttrPageViews].Kind() == sinks.Number
		}, sinks.Attr{Name: sinks.AttrPageViews, Value: sinks.Str("x")})
		for _, key := range days {
			w.quarantine(key)
		}
		o := w.With(s, 0)
		o.Seal.Interval, o.Seal.After = time.Minute, time.Hour
		w.Pass(30 * time.Hour) // Without a process, whose polling would cost most of the test.
		run := w.Start(o)
		w.Pass(10 * time.Minute)
		run.Drain()
		sealed := 0
		for _, it := range w.contents(s) {
			if it[sinks.AttrEntity].Str() == sinks.EntityMonthStats {
				sealed++
			}
		}
		if sealed == 0 {
			t.Error("no month was sealed")
		}
		r, err := w.Verify(w.Options())
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if r.WriteText(&text); r.ExitCode() != 0 {
			t.Errorf("verify ends with %d:\n%s", r.ExitCode(), &text)
		}
	})
}
