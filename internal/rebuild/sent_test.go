package rebuild_test

import (
	"context"
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
		o.StatsInterval, o.Table = time.Minute, raw
		job := rebuild.Job{Pipeline: o}
		job.Progress = func(p rebuild.Progress) { // The rebuild counts what comes now, and the live generation does only minutes later.
			if p.Phase == rebuild.Comparing && next == 300 {
				w.Produce(records[300:450]...)
				w.Pass(10 * time.Second) // The rebuild has read them, and writes them when it ends to count.
				next = 450
			}
		}
		job.Compared = func(rebuild.Comparison) (bool, error) {
			if n := raw.n.Load(); n > 0 || next != 450 {
				t.Errorf("the rebuild has written %d raw events and packs, of %d records", n, next)
			}
			return true, nil
		}
		runToFlip(t, job)
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
		w.Settled() // The member is idle, and finds in the settings that another generation is live.
		w.Recounted()
		if after := rawEvents(t, w); after != before || before < 500 {
			t.Errorf("%d raw events, and %d once the former generation has counted all records", before, after)
		}
		stop()
	})
}
