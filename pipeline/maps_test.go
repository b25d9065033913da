package pipeline_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// mapped are options under a mapping.
func mapped(w *testpipeline.World, table sinks.Table, text string) pipeline.Options {
	o := w.Options()
	o.Table, o.StatsInterval, o.RealtimeInterval = table, 20*time.Second, 2*time.Second
	o.Settings.RawPacked = true
	if o.Settings.Maps = nil; text != "" {
		o.Settings.Maps = checkpoint.Maps{{Map: text}}
	}
	return o
}

// judging is a table that asks for each update whether it is answered.
type judging struct {
	sinks.Table
	judge func(sinks.Update) error
}

func (j *judging) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if err := j.judge(u); err != nil {
		return sinks.Result{}, err
	}
	return j.Table.Update(ctx, u)
}

// heads reads the lanes' checkpoints and the mappings that they name.
func heads(t *testing.T, w *testpipeline.World) (stats, realtime checkpoint.Head, maps [2]checkpoint.Maps) {
	t.Helper()
	tp := sinks.TP{Topic: 1, Partition: 0}
	stats, realtime = w.Checkpoint(tp, checkpoint.LaneStats), w.Checkpoint(tp, checkpoint.LaneRealtime)
	for i, h := range []checkpoint.Head{stats, realtime} {
		s, err := checkpoint.ParseSettings(h.Ver)
		if err != nil {
			t.Fatal(err)
		}
		maps[i] = s.Maps
	}
	return stats, realtime, maps
}

// TestRecordsKeepTheirMap: records are counted by the mapping that was configured when the first lane came to them, whatever is configured
// when the other lane does, or when a flush is repeated. What a mapping refuses is rejected as it is.
func TestRecordsKeepTheirMap(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Foreign(testpipeline.Traffic(7, 1, 600, time.Now()))
		next := func(n int) {
			w.Produce(records[:n]...)
			records = records[n:]
		}
		// The stats lane begins a flush and cannot write it, while the realtime lane continues.
		var dead atomic.Bool
		first := &judging{w.Table, func(u sinks.Update) error {
			switch {
			case dead.Load():
				return testpipeline.ErrKilled
			case strings.HasPrefix(u.Key.SK, "STATS#"):
				return sinks.ErrThrottled
			}
			return nil
		}}
		next(200)
		run := w.Start(mapped(w, first, testpipeline.MapOf("a")))
		w.Pass(40 * time.Second)
		next(100)
		w.Pass(20 * time.Second)
		dead.Store(true)
		run.Killed()
		stats, realtime, _ := heads(t, w)
		if stats.To != 200 || stats.Done || realtime.To != 300 {
			t.Fatalf("stats at %d, done %v, realtime at %d: want an open flush up to 200 and 300", stats.To, stats.Done, realtime.To)
		}
		next(100)
		run = w.Start(mapped(w, w.Table, testpipeline.MapOf("b")))
		w.Settled()
		run.Drain()
		want := checkpoint.Maps{{From: 0, Map: testpipeline.MapOf("a")}, {From: 300, Map: testpipeline.MapOf("b")}}
		if _, _, maps := heads(t, w); !slices.Equal(maps[0], want) || !slices.Equal(maps[1], want) {
			t.Errorf("the lanes name %v, want %v", maps, want)
		}
		w.Recounted()

		// One lane begins a flush under another mapping, and the process dies before the other does.
		for i, dies := range checkpoint.Lanes {
			key := []string{"c", "d"}[i]
			text := testpipeline.MapOf(key)
			second := &judging{w.Table, func(u sinks.Update) error {
				ver := testpipeline.Attr(u.Set, checkpoint.AttrVer).Str()
				if strings.HasSuffix(u.Key.SK, "#"+dies) && strings.Contains(ver, "siteId="+key) {
					return testpipeline.ErrKilled
				}
				return nil
			}}
			next(50)
			o := mapped(w, second, text)
			if dies == checkpoint.LaneRealtime { // It would be the first.
				o.StatsInterval, o.RealtimeInterval = o.RealtimeInterval, o.StatsInterval
			}
			if err := w.Ends(o); err == nil {
				t.Fatalf("%s: the process was not killed", dies)
			}
			stats, realtime, maps := heads(t, w)
			if (stats.To > realtime.To) == (dies == checkpoint.LaneStats) || maps[i].Last() == text || maps[1-i].Last() != text {
				t.Fatalf("%s dies: stats at %d, realtime at %d, maps %v", dies, stats.To, realtime.To, maps)
			}
			next(30)
			run = w.Start(mapped(w, w.Table, testpipeline.MapOf("a")))
			w.Settled()
			run.Drain()
			if _, _, maps := heads(t, w); maps[0].At(max(stats.To, realtime.To)-1) != text || maps[0].Last() != testpipeline.MapOf("a") {
				t.Errorf("%s died: the lanes name %v", dies, maps)
			}
			w.Recounted()
		}

		// Without a mapping, what has another shape is rejected, and a chain that has named one keeps naming it.
		run = w.Start(mapped(w, w.Table, ""))
		next(len(records))
		w.Settled()
		run.Drain()
		stats, _, maps := heads(t, w)
		n := stats.Totals.Rejected
		if n[event.NotMapped] == 0 || n[event.MissingSite] != 40 || maps[0].Last() != "" || stats.Totals.Records() != 600 {
			t.Errorf("totals %+v, maps %v", stats.Totals, maps)
		}
		w.Recounted()
	})
}

// TestMappedRecordsCountAsProducedEvents: edits of Wikipedia that a pipeline maps make the items of those that footfall produce --map would
// have published.
func TestMappedRecordsCountAsProducedEvents(t *testing.T) {
	f, err := os.Open(realdata.Path(t, "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	wiki := mapping.Config{Map: []string{"siteId=channel", "timestamp=time", "visitorId=user", "url=/wiki/{page}"}, Set: []string{"type=edit"},
		Rest: true}
	m, err := mapping.New(wiki)
	if err != nil {
		t.Fatal(err)
	}
	var lines, events []record
	for scan := bufio.NewScanner(z); scan.Scan() && len(lines) < 1500; {
		made, reason := m.Event(&kgo.Record{Value: scan.Bytes()})
		if reason != "" {
			t.Fatal(reason)
		}
		lines = append(lines, record{Key: made.Site, At: made.Time, Value: bytes.Clone(scan.Bytes())})
		events = append(events, record{Key: made.Site, At: made.Time, Value: made.JSON})
	}
	counted := func(records []record, text string) map[string]string {
		return trial{1, records, func(w *world, s *spy, produce func(int)) {
			w.Believe()
			o := mapped(w.World, s, text)
			o.Settings.RawEvents, o.Settings.RawPacked = false, false // Their keys name the topic's id.
			run := w.Start(o)
			produce(len(records))
			w.Settled()
			run.Drain()
			w.Recounted()
		}}.rows(t)
	}
	want, got := counted(events, ""), counted(lines, wiki.Canonical())
	if compare(t, got, want); len(want) < 1000 {
		t.Errorf("%d items are compared, want a thousand", len(want))
	}
}

// TestMappingAfterRawItems: while the last flush has kept raw events as items, a mapping is refused, with what to do first.
func TestMappingAfterRawItems(t *testing.T) {
	testpipeline.InBubble(t, 1, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		records := testpipeline.Foreign(testpipeline.Traffic(7, 1, 60, time.Now()))
		run := func(text string, packed bool) {
			w.Produce(records[:20]...)
			records = records[20:]
			o := mapped(w, w.Table, text)
			o.Settings.RawPacked = packed
			run := w.Start(o)
			w.Settled()
			run.Drain()
		}
		run("", false)
		err := w.Ends(mapped(w, w.Table, testpipeline.MapOf("a")))
		if err == nil || !strings.Contains(err.Error(), "run with rawEvents: packed and without event.*") {
			t.Fatalf("a mapping after raw events that are items: %v", err)
		}
		run("", true)
		run(testpipeline.MapOf("a"), true)
		if stats, _, maps := heads(t, w); stats.Totals.Counted == 0 || maps[0].Last() != testpipeline.MapOf("a") {
			t.Errorf("totals %+v, maps %v", stats.Totals, maps)
		}
		w.Recounted()
	})
}
