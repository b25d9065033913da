package pipeline_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// TestRenamedGroupContinuesTheChains: the group's name is in no key, so a new group reads nothing twice.
func TestRenamedGroupContinuesTheChains(t *testing.T) {
	t.Parallel()
	records := traffic(5, 2, 200, bubbleStart)
	want := calm(t, 2, records)
	compare(t, trial{2, records, func(w *world, s *spy, produce func(int)) {
		produce(100)
		run := w.Start(w.With(s, 0))
		w.Settled()
		run.Drain()
		o := w.With(s, 1)
		o.Group = "renamed"
		run = w.Start(o)
		produce(100)
		w.Settled()
		run.Drain()
	}}.rows(t), want)
}

// TestSecondTopicHasItsOwnChains: two topics in one table have different numbers, marks and checkpoints, and their
// counts add up.
func TestSecondTopicHasItsOwnChains(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		if _, err := kadm.NewClient(w.Client).CreateTopic(t.Context(), 1, 1, nil, "second"); err != nil {
			t.Fatal(err)
		}
		event := []byte(`{"siteId":"s","type":"click","timestamp":946684800000,"visitorId":"v"}`)
		w.Folded(w.Options(), []record{{Key: "s", At: bubbleStart, Value: event}})
		if err := w.Client.ProduceSync(t.Context(), &kgo.Record{Topic: "second", Value: event, Timestamp: bubbleStart}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		o := w.Options()
		o.Topic, o.Group = "second", "other"
		run := w.Start(o)
		for w.Item(sinks.Keys{}.HourStats("s", bubbleStart.UnixMilli()))[sinks.AttrEvents].Int() != 2 {
			time.Sleep(time.Second)
		}
		run.Drain()
		if n := w.Checkpoint(sinks.TP{Topic: 2}, checkpoint.LaneStats).Totals.Counted; n != 1 {
			t.Errorf("the second topic's chain counted %d, want 1", n)
		}
	})
}

// TestDeletedCheckpointParksItsPartition: without its checkpoint a chain would fold the log a second time. The chain's history shows
// that the checkpoint is missing. Another partition counts on, and once the checkpoint is restored everything is counted once.
func TestDeletedCheckpointParksItsPartition(t *testing.T) {
	t.Parallel()
	for _, lane := range checkpoint.Lanes {
		for _, when := range []string{"stopped", "running"} {
			t.Run(lane+" "+when, func(t *testing.T) {
				inWorld(t, 2, func(t *testing.T, w *world) {
					o, log := w.watched()
					records := traffic(6, 2, 200, bubbleStart)
					w.Produce(records[:100]...)
					run := w.Start(o)
					w.Settled()
					if when == "stopped" {
						run.Drain()
					}
					key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane)
					before := w.Item(key)
					if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
						t.Fatal(err)
					}
					w.Produce(records[100:]...)
					if when == "stopped" {
						run = w.Start(o)
					}
					w.countsOn(run, records)
					w.until("the partition parks", func() bool { return w.head(0, checkpoint.LaneStats).Park != nil })
					if k := w.head(0, checkpoint.LaneStats).Park; k.Reason != checkpoint.ParkedItem || k.PK != key.PK || k.SK != key.SK {
						t.Errorf("it is parked with %v, want its checkpoint of lane %s", k, lane)
					} else if commands := k.Commands(0); !slices.Equal(commands, []string{"footfall partition resume 0"}) {
						t.Errorf("status says to run %q, and nothing can replace a checkpoint that was deleted", commands)
					}
					for _, what := range []string{checkpoint.ErrNoCheckpoint.Error(), "restore it", "footfall partition resume 0"} {
						if log.line("the partition is parked", what) == "" {
							t.Errorf("the log does not say %q:\n%s", what, log.line("the partition is parked"))
						}
					}
					if line := log.line("quarantined in the meantime"); line != "" {
						t.Errorf("the log speaks of quarantining a checkpoint that was deleted: %s", line)
					}
					if when != "stopped" && log.line("fenced: acquiring", "is gone") == "" {
						t.Error("the log does not say that the checkpoint is gone")
					}
					_, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: w.Topic, Table: w.Table, Key: key})
					if !errors.Is(err, quarantine.ErrIrreplaceable) || !errors.Is(err, checkpoint.ErrNoCheckpoint) {
						t.Errorf("QuarantineItem = %v, want %v", err, quarantine.ErrIrreplaceable)
					}
					if _, err := w.Table.Put(t.Context(), sinks.Put{Item: before}); err != nil {
						t.Fatal(err)
					}
					if _, err := checkpoint.Resume(t.Context(), w.Unparking(0)); err != nil && !errors.Is(err, checkpoint.ErrNotParked) {
						t.Fatal(err)
					}
					w.Settled()
					run.Drain()
					w.recounts(len(records))
				})
			})
		}
	}
}

// TestRestoredCheckpointParks: a checkpoint from before some steps meets items that carry later ones.
func TestRestoredCheckpointParks(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		o := w.With(w.Table, 0)
		records := traffic(7, 1, 300, bubbleStart)
		w.Folded(o, records[:50])
		before := w.Item(key)
		w.Folded(o, records[50:200])
		w.Folded(o, records[200:250])
		if _, err := w.Table.Put(t.Context(), sinks.Put{Item: before}); err != nil {
			t.Fatal(err)
		}
		w.Produce(records[250:]...)
		run := w.Start(o)
		w.until("the partition parks", func() bool { return w.head(0, checkpoint.LaneStats).Park != nil })
		if why := w.head(0, checkpoint.LaneStats).Park.String(); !strings.Contains(why, checkpoint.ErrForeignTable.Error()) {
			t.Errorf("it is parked with %q, want %v", why, checkpoint.ErrForeignTable)
		}
		run.Drain()
	})
}

// TestOtherHashKeyIsRefused: sketches under two keys would not merge.
func TestOtherHashKeyIsRefused(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), traffic(8, 1, 10, bubbleStart))
		o := w.Options()
		o.HashKey = []byte("fedcba9876543210")
		err := w.Ends(o)
		var settings *sinks.SettingsError
		if !errors.As(err, &settings) || !strings.Contains(err.Error(), "visitorHashKey (FOOTFALL_VISITOR_HASH_KEY)") {
			t.Errorf("Run = %v, want a *SettingsError that names the hash key", err)
		}
	})
}

// TestTopicCreatedAgainContinuesTheChain: offsets begin at 0 again and positions go on.
func TestTopicCreatedAgainContinuesTheChain(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), traffic(10, 1, 80, bubbleStart))
		before := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		w.recreate()
		w.Folded(w.Options(), traffic(11, 1, 40, bubbleStart))
		after := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		if after.Base != 80 || after.To != 120 || after.Totals.Records() != 120 || after.TopicID == before.TopicID {
			t.Errorf("checkpoint %+v, want base 80, to 120, 120 records and a new topic id", after)
		}
	})
}

// TestLanesOfATopicCreatedAgainKeepTheirPositions: lanes whose chains ended at different positions go on from different bases, and
// what the fold knows a record by is its position in its own lane.
func TestLanesOfATopicCreatedAgainKeepTheirPositions(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), []record{eventOf("v1", "", "1", 0), eventOf("v2", "", "2", time.Second), eventOf("v2", "s", "3", 2*time.Second)})
		// As a process that went on left it.
		if _, err := w.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneRealtime),
			Set: []sinks.Attr{{Name: "f", Value: sinks.Int(3)}, {Name: "t", Value: sinks.Int(7)}}}); err != nil {
			t.Fatal(err)
		}
		w.recreate()
		later := 2 * time.Minute
		w.Folded(w.Options(), []record{eventOf("v1", "", "4", later), eventOf("v3", "", "5", later+time.Second),
			eventOf("v3", "s", "6", later+2*time.Second)})
		stats, realtime := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats), w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneRealtime)
		if stats.Base != 3 || realtime.Base != 7 {
			t.Fatalf("bases %d and %d, want 3 and 7: the lanes are not apart", stats.Base, realtime.Base)
		}
		item := w.Item(sinks.Keys{}.VisitorState("s", "v3", sinks.TP{Topic: 1}, sinks.DefaultShards))
		visits, err := state.DecodeVisitor(item[sinks.AttrCur].Bytes())
		if want := stats.Base + 1; err != nil || len(visits.Visits()) != 1 || visits.Visits()[0].Pos != want {
			t.Errorf("v3 has the visits %+v, %v, want one that position %d has opened", visits.Visits(), err, want)
		}
		w.Recounted()
	})
}

// TestTopicsOfTwoClustersEndLoudly: a topic id that the chain has left behind comes back when two clusters share a
// table and a topic name.
func TestTopicsOfTwoClustersEndLoudly(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Folded(w.Options(), traffic(17, 1, 30, bubbleStart))
		first := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats).TopicID
		for _, lane := range checkpoint.Lanes { // As the other cluster's process left it.
			history := w.Item(sinks.Keys{}.History(sinks.TP{Topic: 1}, lane, 1))
			history[sinks.AttrSK] = sinks.Str(sinks.Keys{}.History(sinks.TP{Topic: 1}, lane, 2).SK)
			history["k"], history["tid"], history["base"] = sinks.Int(2), sinks.Str(strings.Repeat("ab", 16)), sinks.Int(30)
			if _, err := w.Table.Put(t.Context(), sinks.Put{Item: history}); err != nil {
				t.Fatal(err)
			}
			if _, err := w.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, lane),
				Set: []sinks.Attr{{Name: "tid", Value: sinks.Str(strings.Repeat("ab", 16))}, {Name: "base", Value: sinks.Int(30)},
					{Name: "k", Value: sinks.Int(2)}}}); err != nil {
				t.Fatal(err)
			}
		}
		err := w.Ends(w.Options())
		if !errors.Is(err, checkpoint.ErrForeignTable) || !strings.Contains(err.Error(), first) {
			t.Errorf("Run = %v, want %v naming topic id %s", err, checkpoint.ErrForeignTable, first)
		}
	})
}

// TestStepIsRedoneUnderItsOwnSettings: a process with other settings folds an open step as it was begun, and only
// the steps after it as its own settings say.
func TestStepIsRedoneUnderItsOwnSettings(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		late := func(i int) record {
			return record{Key: "s", At: bubbleStart, Value: fmt.Appendf(nil,
				`{"siteId":"s","type":"click","timestamp":%d,"visitorId":"v%d"}`, bubbleStart.Add(-time.Hour).UnixMilli(), i)}
		}
		w.killedMidStep([]record{late(1), late(2)})
		o := w.Options()
		o.Settings.LateMs = time.Minute.Milliseconds()
		run := w.Start(o)
		w.Settled()
		w.Produce(late(3))
		w.Settled()
		run.Drain()
		c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats)
		if c.Totals.Counted != 2 || c.Totals.Rejected[event.TooLate] != 1 {
			t.Errorf("totals %+v, want 2 counted and 1 too late", c.Totals)
		}
		if n := w.Item(sinks.Keys{}.DayStats("s", bubbleStart.Add(-time.Hour).UnixMilli()))[sinks.AttrEvents].Int(); n != 2 {
			t.Errorf("the day has %d events, want the 2 that were open", n)
		}
	})
}

// killedMidStep folds the records and dies once the stats lane's step is intended and none of its items is written.
func (w *world) killedMidStep(records []record) {
	w.T.Helper()
	w.Produce(records...)
	k := &killOnStats{Table: w.Table}
	err := w.Ends(w.With(k, 0))
	if !errors.Is(err, errKilled) {
		w.T.Fatalf("Run = %v, want the kill", err)
	}
	if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Step != 1 || c.Done {
		w.T.Fatalf("checkpoint %+v, want step 1 open", c)
	}
}

// recreate deletes the topic and creates it again.
func (w *world) recreate() {
	w.T.Helper()
	w.Recreated = true
	admin := kadm.NewClient(w.Client)
	if _, err := admin.DeleteTopic(w.T.Context(), testTopic); err != nil {
		w.T.Fatal(err)
	}
	if _, err := admin.CreateTopic(w.T.Context(), 1, 1, nil, testTopic); err != nil {
		w.T.Fatal(err)
	}
	w.Client.PurgeTopicsFromClient(testTopic) // Else it would not adopt the new topic's id.
}
