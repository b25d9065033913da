package adopt_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestTableThatCannotMoveIsRefused: nothing is changed, and the error says what to do.
func TestTableThatCannotMoveIsRefused(t *testing.T) {
	set := func(w *testpipeline.World, key sinks.Key, attrs ...sinks.Attr) {
		if _, err := w.Table.Update(w.T.Context(), sinks.Update{Key: key, Set: attrs}); err != nil {
			w.T.Fatal(err)
		}
	}
	chain := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: 1}, checkpoint.LaneStats)
	for _, c := range []struct {
		name string
		make func(t *testing.T, old, mirror *testpipeline.World)
		says string
	}{
		{"an open flush", func(_ *testing.T, old, _ *testpipeline.World) {
			set(old, chain, sinks.Attr{Name: checkpoint.AttrDone, Value: sinks.Int(0)})
		}, "partition 1, lane stats: flush 1 is unfinished"},
		{"a parked partition", func(_ *testing.T, old, _ *testpipeline.World) {
			set(old, chain, (&checkpoint.Park{Reason: checkpoint.ParkedItem, Detail: "x"}).Attr())
		}, "partition 1, lane stats: it is parked"},
		{"a gap", func(_ *testing.T, old, _ *testpipeline.World) {
			set(old, chain, (&checkpoint.Gap{Cause: checkpoint.GapExpired, Step: 1, UnreadTo: 1}).Attr())
		}, "partition 1, lane stats: it waits at a data gap"},
		{"a member at work", func(t *testing.T, old, _ *testpipeline.World) {
			run := old.Start(old.Options())
			t.Cleanup(run.Drain)
			old.Pass(time.Minute)
		}, `group "g-events" has 1 members on the old cluster`},
		{"a member at work in the mirror", func(t *testing.T, old, mirror *testpipeline.World) {
			o := mirror.Options()
			o.Table = other(t, old).Table
			run := mirror.Start(o)
			t.Cleanup(run.Drain)
			old.Pass(time.Minute)
		}, `group "g-events" has 1 members on the new cluster`},
		{"another generation", func(t *testing.T, old, _ *testpipeline.World) {
			if _, err := rebuild.Begin(t.Context(), old.Table, rebuild.Start{}); err != nil {
				t.Fatal(err)
			}
		}, "footfall rebuild drop"},
		{"a table of an earlier format", func(t *testing.T, old, _ *testpipeline.World) {
			testpipeline.MakeEarlier(t, old.Table)
		}, "footfall upgrade finalize"},
		{"a partition that was never counted", func(t *testing.T, old, mirror *testpipeline.World) {
			for _, lane := range checkpoint.Lanes {
				tp := sinks.TP{Topic: 1, Partition: 1}
				for _, key := range []sinks.Key{sinks.Keys{}.Checkpoint(tp, lane), sinks.Keys{}.History(tp, lane, 1)} {
					if _, err := old.Table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
						t.Fatal(err)
					}
				}
			}
		}, "partition 1, lane stats: it has records, and nothing of it is counted"},
		{"a topic that is counted from another cluster", func(_ *testing.T, old, _ *testpipeline.World) {
			set(old, chain, sinks.Attr{Name: checkpoint.AttrTopic, Value: sinks.Str(strings.Repeat("ab", 16))})
		}, "name the cluster that was counted last"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTwoWorlds(t, func(t *testing.T, old, mirror *testpipeline.World) {
				old.Folded(old.Options(), events(200, time.Now()))
				copying{}.copyTo(t, old, mirror)
				c.make(t, old, mirror)
				before := heads(old)
				a, err := job(old, mirror).Run(t.Context(), false)
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%+v, %v; want %q", a, err, c.says)
				}
				for i, head := range heads(old) {
					if head.Epoch != before[i].Epoch || head.TopicID != before[i].TopicID {
						t.Errorf("a checkpoint was %+v, and is %+v", before[i], head)
					}
				}
			})
		})
	}
}

// TestRecordsThatAreAlikeAreRefused: records of the same bytes are no sign of a position, and the last ones of a partition are of one kind.
func TestRecordsThatAreAlikeAreRefused(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, old, mirror *testpipeline.World) {
		same := testpipeline.EventOf("v1", "s", "1", 0)
		old.Folded(old.Options(), slices.Repeat([]testpipeline.Record{same}, 5))
		copying{skip: 1}.copyTo(t, old, mirror)
		if a, err := job(old, mirror).Run(t.Context(), false); err == nil || !strings.Contains(err.Error(), "nothing shows which is which") {
			t.Errorf("%+v, %v", a, err)
		}
		later := testpipeline.EventOf("v1", "s", "2", time.Minute)
		old.Folded(old.Options(), []testpipeline.Record{later, same})
		mirror.Produce(later, same)
		if a, err := job(old, mirror).Run(t.Context(), true); err != nil || a.Lanes[0].NewOffset != 6 || a.Lanes[0].Adopted {
			t.Errorf("with a record of its own: %+v, %v", a, err)
		}
	})
}

// TestTableGoesBackToItsFirstCluster: once the mirror is adopted, members of the old cluster are refused. Mirrored back, the table
// continues there.
func TestTableGoesBackToItsFirstCluster(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, old, mirror *testpipeline.World) {
		all := events(400, time.Now())
		old.Folded(old.Options(), all[:200])
		copying{skip: 3}.copyTo(t, old, mirror)
		adopted(t, old, mirror)
		if err := old.Ends(old.Options()); !errors.Is(err, checkpoint.ErrForeignTable) {
			t.Errorf("a member of the old cluster ends with %v", err)
		}
		o := mirror.Options()
		mirror.Folded(o, all[200:300])
		if _, err := job(old, mirror).Run(t.Context(), false); err != nil {
			t.Errorf("once more, after it was counted: %v", err)
		}
		old.Produce(all[200:300]...) // As the mirror back does.
		adopted(t, mirror, old)
		old.Recreated = true
		old.Folded(old.Options(), all[300:])
		old.Recounted()
		if have, want := answers(t, old.Table), answers(t, control(t, old, old.Options())); !slices.Equal(have, want) {
			t.Errorf("the table has\n%s\nand one of the first topic alone\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestPartitionWithoutRecords: retention has taken all records of a partition of both clusters, and it continues at the end of the mirror.
func TestPartitionWithoutRecords(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, old, mirror *testpipeline.World) {
		all := events(400, time.Now())
		old.Folded(old.Options(), all[:300])
		copying{skip: 3}.copyTo(t, old, mirror)
		trim(t, old, 0)
		if a, err := job(old, mirror).Run(t.Context(), false); err == nil || !strings.Contains(err.Error(), "publish one to this partition") {
			t.Errorf("%+v, %v", a, err)
		}
		trim(t, mirror, 0)
		adopted(t, old, mirror)
		mirror.Recreated = true
		mirror.Folded(mirror.Options(), all[300:])
		mirror.Recounted()
		if n := records(old); n != 400 {
			t.Errorf("%d records were counted, of 400", n)
		}
	})
}
