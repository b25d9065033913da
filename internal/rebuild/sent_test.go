package rebuild_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// rawWrites counts the raw events and packs that a table takes.
type rawWrites struct {
	sinks.Table
	n atomic.Int64
}

func (r *rawWrites) count(key sinks.Key) {
	if strings.HasPrefix(key.SK, sinks.EventPrefix) || strings.HasPrefix(key.SK, sinks.PackPrefix) {
		r.n.Add(1)
	}
}

func (r *rawWrites) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r.count(p.Item.Key())
	return r.Table.Put(ctx, p)
}

func (r *rawWrites) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	for _, it := range items {
		r.count(it.Key())
	}
	return r.Table.BatchPut(ctx, items)
}

// rawEvents counts the raw events that readers list.
func rawEvents(t *testing.T, w *testpipeline.World) (n int) {
	t.Helper()
	for _, site := range []string{"site-0", "site-1"} {
		p := query.EventsParams{Site: site, From: time.UnixMilli(1), To: time.Now().AddDate(1, 0, 0), Consistent: true}
		for p.Limit = query.MaxLimit; ; {
			a, err := query.New(w.Table, time.Now).Events(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			n += len(a.Events)
			if p.Cursor = a.Cursor; p.Cursor == "" {
				break
			}
		}
	}
	return n
}

// TestRawEventsOfEveryRecordAroundTheFlip: a rebuild writes no raw events while it counts, and when it flips while the live generation is
// far behind, the raw events of all records are there: counting them once more in the former generation adds none.
func TestRawEventsOfEveryRecordAroundTheFlip(t *testing.T) {
	testpipeline.InBubble(t, 1, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Traffic(2, 2, 600, time.Now())
		o := w.Options()
		o.StatsInterval = 5 * time.Minute
		o.Settings.RawPacked = true // Raw events of the live generation are as far behind as its flushes.
		stop := member(t, o)
		w.Produce(records[:300]...)
		w.Settled()
		raw, next := &rawWrites{Table: w.Table}, 300
		o.StatsInterval, o.Table = time.Second, raw
		job := rebuild.Job{Pipeline: o, Log: slog.New(slog.DiscardHandler)}
		job.Progress = func(p rebuild.Progress) { // The rebuild counts what comes now, and the live generation does only minutes later.
			if p.Phase == rebuild.Comparing && next == 300 {
				w.Produce(records[300:450]...)
				next = 450
			}
		}
		job.Compared = func(rebuild.Comparison) (bool, error) {
			if n := raw.n.Load(); n > 0 || next != 450 {
				t.Errorf("the rebuild has written %d raw events and packs, of %d records", n, next)
			}
			return true, nil
		}
		if r, err := job.Run(t.Context()); err != nil || !r.Flipped {
			t.Fatalf("Run = %+v, %v", r, err)
		}
		w.Produce(records[450:]...)
		w.Settled()
		w.Recounted()
		before := rawEvents(t, w)
		has, err := rebuild.Look(t.Context(), w.Table)
		if err == nil {
			err = rebuild.Back(t.Context(), w.Table, has)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.Produce(testpipeline.Record{At: time.Now(), Value: []byte("{")}) // The member, which is idle, finds that it is fenced.
		w.Settled()
		w.Recounted()
		if after := rawEvents(t, w); after != before || before < 500 {
			t.Errorf("%d raw events, and %d once the former generation has counted all records", before, after)
		}
		if err := stop(); err != nil {
			t.Errorf("the member ended with %v", err)
		}
	})
}

// TestComparisonNamesWhatDiffers: figures that were changed by hand in the live generation are found, by site and figure, and others are
// not.
func TestComparisonNamesWhatDiffers(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(3, 1, 200, time.Now())...)
		w.Settled()
		hours := w.Query(sinks.Keys{}.Site("site-0"), sinks.HourStatsPrefix)
		if len(hours) == 0 {
			t.Fatal("site-0 has no hours")
		}
		_, err := w.Table.Update(t.Context(), sinks.Update{Key: hours[len(hours)-1].Key(),
			Add: []sinks.Attr{{Name: sinks.AttrEvents, Value: sinks.Int(7)}}})
		if err != nil {
			t.Fatal(err)
		}
		job := rebuild.Job{Pipeline: w.Options(), Log: slog.New(slog.DiscardHandler)}
		r, err := job.Run(t.Context())
		if err != nil || r.Flipped {
			t.Fatalf("Run = %+v, %v", r, err)
		}
		found := false
		for _, d := range r.Comparison.Differ {
			found = found || d.Site == "site-0" && d.Figure == "events" && d.Buckets > 0 && d.Live != d.Rebuilt
			if d.Site != "site-0" {
				t.Errorf("%+v differs", d)
			}
		}
		if !found {
			t.Errorf("events of site-0 do not differ: %+v", r.Comparison)
		}
		if err := stop(); err != nil {
			t.Errorf("the member ended with %v", err)
		}
	})
}

// TestNothingToRebuildFrom: a topic that has lost records, or is not the only one, is refused, and nothing is changed.
func TestNothingToRebuildFrom(t *testing.T) {
	testpipeline.InBubble(t, 1, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(4, 2, 100, time.Now())...)
		w.Settled()
		if err := stop(); err != nil {
			t.Errorf("the member ended with %v", err)
		}
		before := look(t, w.Table)
		job := rebuild.Job{Pipeline: w.Options(), Log: slog.New(slog.DiscardHandler)}
		if _, err := sinks.EnsureTopic(t.Context(), w.Table, sinks.Keys{}, "more"); err != nil {
			t.Fatal(err)
		}
		if _, err := job.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "2 topics") {
			t.Errorf("Run beside another topic = %v", err)
		}
		if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: sinks.Keys{}.Topic("more")}); err != nil {
			t.Fatal(err)
		}
		if err := w.Cluster.DeleteRecords(w.Topic, 1, 5); err != nil {
			t.Fatal(err)
		}
		_, err := job.Run(t.Context())
		lost, ok := errors.AsType[*rebuild.LostError](err)
		if !ok {
			t.Fatalf("Run without the first records = %v, want a *LostError", err)
		}
		want := rebuild.LostError{Topic: w.Topic, Partition: 1, Start: 5, Partitions: 1, AllPartitions: 2}
		if *lost != want || !strings.Contains(err.Error(), "partition 1, its log begins at offset 5") {
			t.Errorf("Run = %v: %+v, want %+v", err, *lost, want)
		}
		if after := look(t, w.Table); after != before {
			t.Errorf("generations %+v have become %+v", before, after)
		}
	})
}
