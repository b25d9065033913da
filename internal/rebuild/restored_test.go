package rebuild_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

// copyOf has a member count records into a table, and makes that a copy.
func copyOf(t *testing.T, w *testpipeline.World, o pipeline.Options, records []testpipeline.Record) pipeline.Options {
	t.Helper()
	items := w.Table
	w.Table = testpipeline.Identified{Table: items, ID: "original"}
	o.Table = w.Table
	stop := member(t, o)
	w.Produce(records...)
	for has := (sinks.Generations{}); has.TableID == ""; {
		w.Pass(time.Second)
		var err error
		if has, err = rebuild.Look(t.Context(), w.Table); err != nil {
			t.Fatal(err)
		}
	}
	w.Settled()
	stop()
	w.Table = testpipeline.Identified{Table: items, ID: "copy"}
	o.Table = w.Table
	return o
}

func resume(t *testing.T, job rebuild.Job) rebuild.Resumed {
	t.Helper()
	job.Log = slog.New(slog.DiscardHandler)
	r, err := job.Resume(t.Context())
	if err != nil {
		t.Fatalf("Resume = %+v, %v", r, err)
	}
	return r
}

// TestCopyIsRefusedUntilItIsResumed: members, readers and rebuilds refuse a copy. It has lost an item, and a raw event. Once it was counted
// again both are there, every figure equals a recount, and there is no way back to what the copy had.
func TestCopyIsRefusedUntilItIsResumed(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(1, 2, 900, time.Now())
		o := copyOf(t, w, w.Options(), records[:400])
		refused := func(as any) {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			p, err := pipeline.New(o)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Run(ctx); !errors.As(err, as) {
				t.Errorf("a member of a copy: %v, want %T", err, as)
			}
			if _, err := query.New(w.Table, time.Now).Sites(ctx, query.SitesParams{}); !errors.As(err, as) {
				t.Errorf("a reader of a copy: %v, want %T", err, as)
			}
			if _, err := (&rebuild.Job{Pipeline: o, Log: slog.New(slog.DiscardHandler)}).Run(ctx); !errors.As(err, as) {
				t.Errorf("a rebuild of a copy: %v, want %T", err, as)
			}
		}
		refused(new(*tableid.CopyError))
		has, err := rebuild.Take(t.Context(), w.Table, 1, 0)
		if err != nil || has.Building <= 2 {
			t.Fatalf("Take = %+v, %v", has, err)
		}
		refused(new(*sinks.RestoringError))
		if _, err := rebuild.Drop(t.Context(), w.Table); err == nil || !strings.Contains(err.Error(), "resume-restored") {
			t.Errorf("Drop = %v, want what to run", err)
		}
		var lost []sinks.Key
		for nn := range sinks.DefaultShards {
			for _, it := range w.Query(sinks.Keys{}.Shard("site-0", nn), "") {
				if it[sinks.AttrEntity].Str() != sinks.EntityEvent {
					continue
				}
				lost = append(lost, it.Key())
				if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: it.Key()}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(lost) < 10 {
			t.Fatalf("the table has %d raw events", len(lost))
		}
		w.Produce(records[400:700]...)
		if r := resume(t, rebuild.Job{Pipeline: o}); r.Generation != has.Building || r.WriteUnits == 0 {
			t.Errorf("Resume = %+v", r)
		}
		w.Recounted()
		for _, key := range lost {
			if w.Item(key) == nil {
				t.Errorf("the raw event %s / %s, which the copy lacks, is not there again", key.PK, key.SK)
			}
		}
		stop := member(t, o)
		w.Produce(records[700:]...)
		w.Settled()
		w.Recounted()
		stop()
		now, err := rebuild.Look(t.Context(), w.Table)
		want := sinks.Generations{Live: has.Building, Last: has.Building, Restored: has.Restored, TableID: "copy"}
		if _, err := rebuild.Take(t.Context(), w.Table, 1, 0); !errors.Is(err, rebuild.ErrChanged) { // A run that stood still in between.
			t.Errorf("Take of a copy that was counted again: %v", err)
		}
		if now != want || err != nil {
			t.Errorf("generations %+v, %v, want %+v", now, err, want)
		}
		if err := rebuild.Back(t.Context(), w.Table, now); err == nil {
			t.Error("there is a way back to the items of a copy")
		}
		job := rebuild.Job{Pipeline: o}
		if _, err := job.Resume(t.Context()); !errors.Is(err, rebuild.ErrNoCopy) {
			t.Errorf("Resume of what was resumed = %v, want %v", err, rebuild.ErrNoCopy)
		}
	})
}

// flipping looks at the table as a copy becomes live.
type flipping struct {
	testpipeline.Identified
	look func()
}

func (f flipping) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	for _, name := range u.Remove {
		if name == sinks.AttrRestoring {
			f.look()
		}
	}
	return f.Table.Update(ctx, u)
}

// TestCopyIsLiveAtTheEndOfTheTopic: a copy is not live before the topic is counted to its end, also where a partition has no record but
// markers of transactions.
func TestCopyIsLiveAtTheEndOfTheTopic(t *testing.T) {
	testpipeline.InBubble(t, 3, 3, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		o := w.Options()
		o.StatsInterval = 5 * time.Second
		o = copyOf(t, w, o, nil)
		producer, err := kgo.NewClient(append(w.Kafka(), kgo.TransactionalID("aborts"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
		if err != nil {
			t.Fatal(err)
		}
		defer producer.Close()
		if err := producer.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		if err := producer.ProduceSync(t.Context(), &kgo.Record{Topic: w.Topic, Partition: 2, Value: []byte("{}")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
		if err := producer.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
			t.Fatal(err)
		}
		w.Produce(testpipeline.Traffic(1, 2, 400, time.Now())...)
		looked := false
		o.Table = flipping{w.Table.(testpipeline.Identified), func() {
			looked = true
			ends, err := kadm.NewClient(w.Client).ListEndOffsets(t.Context(), w.Topic)
			has, err2 := rebuild.Look(t.Context(), w.Table)
			number, _, err3 := sinks.LoadTopic(t.Context(), w.Table, has.BuildingKeys(), w.Topic)
			if err := errors.Join(err, err2, err3); err != nil {
				t.Fatal(err)
			}
			for n := range int32(2) {
				key := has.BuildingKeys().Checkpoint(sinks.TP{Topic: number, Partition: n}, checkpoint.LaneStats)
				head, err := checkpoint.ReadHead(w.Item(key))
				if end, _ := ends.Lookup(w.Topic, n); err != nil || head.Position() != end.Offset || !head.Done {
					t.Errorf("partition %d is counted up to %d of %d as the copy becomes live, %v", n, head.Position(), end.Offset, err)
				}
			}
		}}
		resume(t, rebuild.Job{Pipeline: o})
		if !looked {
			t.Error("the copy has not become live")
		}
	})
}

// TestCopyLacksADecision: a revision of the site settings that comes after a missing one is removed, and readers see the site as before.
func TestCopyLacksADecision(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		w.Decide("site-0", &sites.Rules{Name: "first"})
		w.Decide("site-1", &sites.Rules{Name: "missing"})
		w.Decide("site-0", &sites.Rules{Name: "last"})
		o := copyOf(t, w, w.Options(), testpipeline.Traffic(1, 2, 300, time.Now()))
		if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: sinks.Keys{}.Rules(2)}); err != nil {
			t.Fatal(err)
		}
		m := resume(t, rebuild.Job{Pipeline: o}).Mended
		if len(m.Removed) != 1 || m.Removed[0].Rev != 3 || m.Removed[0].Site != "site-0" {
			t.Errorf("removed %+v, want revision 3", m.Removed)
		}
		w.Recounted()
		w.Decide("site-1", &sites.Rules{Name: "again"})
		for site, name := range map[string]string{"site-0": "first", "site-1": "again"} {
			a, err := query.New(w.Table, time.Now).Site(t.Context(), query.SiteParams{Site: site})
			if err != nil || a.Site == nil || a.Site.Name != name {
				t.Errorf("%s is %+v, %v, want the name %q", site, a.Site, err, name)
			}
		}
		w.Recounted()
	})
}

// TestCopyOfWhatTheTopicHasLost: where the topic has lost its first days, the copy keeps them, unless it was made while events of them
// could still come.
func TestCopyOfWhatTheTopicHasLost(t *testing.T) {
	for counted, says := range map[int]string{days: "", days - 2: "had not counted all records"} {
		testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
			records, begins, from, to := ofDays(w)
			n := begins[counted][0] + begins[counted][1]
			o := copyOf(t, w, w.Options(), records[:n])
			if counted < days {
				w.Produce(records[n:]...)
			}
			first := from.AddDate(0, 0, 5)
			var before map[string]string
			if says == "" {
				before = answers(t, w.Table.(testpipeline.Identified).Table, from, first, to)
			}
			w.Recreated = true // What was lost cannot be recounted.
			for p := range int32(2) {
				if err := w.Cluster.DeleteRecords(w.Topic, p, begins[2][p]); err != nil {
					t.Fatal(err)
				}
			}
			job := rebuild.Job{Pipeline: o, Log: slog.New(slog.DiscardHandler)}
			lost, ok := errors.AsType[*rebuild.LostError](func() error { _, err := job.Resume(t.Context()); return err }())
			if !ok || lost.Earliest.After(first) {
				t.Fatalf("Resume = %v, want a *LostError of %v or earlier", lost, first)
			}
			job.KeepBefore = first
			if _, err := job.Resume(t.Context()); err != nil || says != "" {
				if says == "" || err == nil || !strings.Contains(err.Error(), says) {
					t.Errorf("Resume that keeps what is before %v = %v, want %q", first, err, says)
				}
				return
			}
			w.Recounted()
			for _, difference := range differing(before, answers(t, w.Table, from, first, to)) {
				t.Error(difference)
			}
		})
	}
}
