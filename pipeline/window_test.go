package pipeline_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// cycling are n records from number first on, a second apart, of which each has the event of the one that is period before it.
func cycling(first, n, period int) []record {
	var texts []string
	for i := first; i < first+n; i++ {
		texts = append(texts, fmt.Sprint("a/", i%period))
	}
	return repeating(bubbleStart.Add(time.Duration(first)*time.Second), texts...)
}

// A window that is wider than that of the flushes before begins with what it needs of the log.
func TestWiderWindowReadsFurtherBack(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.Duplicates = within(8)
		w.Folded(o, cycling(0, 40, 40))
		w.Folded(o, cycling(40, 1, 1000))
		o.Settings.Duplicates = within(64)
		w.Folded(o, cycling(41, 20, 41))
		w.Recounted()
		if got := w.totals(0); got.Counted != 41 || got.Duplicate != 20 {
			t.Errorf("totals %+v, want 41 counted and 20 repeated", got)
		}
	})
}

// A redo needs the window of its first record, from wherever the chunk ends that it came in.
func TestRecordedWindowIsThatOfTheFlushesFirstRecord(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.Settings.Duplicates = within(64)
		next := 0
		for _, n := range []int{30, 200, 250} {
			w.Folded(o, cycling(next, n, 1000))
			for _, lane := range checkpoint.Lanes {
				if head := w.head(0, lane); head.Win > max(0, head.From-64) || lane == checkpoint.LaneStats && head.From != int64(next) {
					t.Errorf("lane %s: flush [%d,%d) needs the log from position %d, want %d", lane, head.From, head.To, head.Win, max(0, head.From-64))
				}
			}
			next += n
		}
		if head := w.head(0, checkpoint.LaneStats); head.Win != head.From-64 {
			t.Errorf("the last flush, from %d on, needs the log from %d, want %d", head.From, head.Win, head.From-64)
		}
		w.Recounted()
	})
}

// Memory shortens a window: a repetition beyond is counted by every owner, and the metric and the log say so.
func TestShortenedWindowIsReported(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		var log bytes.Buffer
		o := w.Options()
		o.Settings.Duplicates = checkpoint.Duplicates{WindowMs: (15 * time.Minute).Milliseconds(), Positions: 64}
		o.Metrics, o.Log = pipeline.NewMetrics(prometheus.NewRegistry()), slog.New(slog.NewTextHandler(&log, nil))
		for part := range 6 { // Each by another owner.
			w.Folded(o, cycling(part*50, 50, 100))
		}
		w.Recounted()
		if got := w.totals(0); got.Counted != 300 {
			t.Errorf("totals %+v, want 300 counted, as each repetition is 100 positions after its event", got)
		}
		if n := testutil.ToFloat64(o.Metrics.Shortened); n < 100 {
			t.Errorf("%v positions left early, want some 200", n)
		}
		want := "duplicates.memoryBytes shortens duplicates.window"
		if n := strings.Count(log.String(), want); n < 1 || n > 6 || !strings.Contains(log.String(), "window=15m0s held=1m") {
			t.Errorf("the log says %d times that the window is shortened, want once for each owner at most:\n%s", n, &log)
		}
		w.Folded(o, cycling(300, 50, 50))
		w.Folded(o, cycling(350, 50, 50))
		w.Recounted()
		if got := w.totals(0); got.Duplicate != 50 {
			t.Errorf("totals %+v, want the 50 repetitions that are 50 positions after their events", got)
		}
	})
}

// Whatever the record times are, owners that take over from each other find what the definition says, and so does verify.
func TestRecordTimesThatAreNotInOrder(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	for name, after := range map[string]func(i int) time.Duration{
		"all equal":               func(int) time.Duration { return 0 },
		"a jump ahead":            func(i int) time.Duration { return time.Duration(i+i/150*3600) * time.Second },
		"a step back":             func(i int) time.Duration { return time.Duration(i-i/150*3600) * time.Second },
		"some of another year":    func(i int) time.Duration { return time.Duration(i-i%7/6*9_000_000) * time.Second },
		"two imports at the same": func(i int) time.Duration { return time.Duration(i+i/8%2*7_200_000) * time.Second },
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, 1, func(t *testing.T, w *world) {
				o := w.Options()
				o.Settings.Duplicates = checkpoint.Duplicates{WindowMs: 60_000, Positions: 260}
				var definition testworld.Window
				last, want := make(map[int]int64), int64(0)
				for part := range 6 {
					var list []record
					for i := part * 80; i < part*80+80; i++ {
						id := []int{i, i % 41, i % 97}[i%3]
						list = append(list, repeating(bubbleStart.Add(after(i)), fmt.Sprint("a/", id))...)
						definition.Add(int64(i), bubbleStart.Add(after(i)).UnixMilli())
						if at, ok := last[id]; ok && definition.Repeats(o.Settings.Duplicates, at, 0) {
							want++
						}
						last[id] = int64(i)
					}
					w.Folded(o, list)
				}
				w.Recounted()
				if got := w.totals(0); got.Duplicate != want || want == 0 {
					t.Errorf("totals %+v, want %d duplicates", got, want)
				}
			})
		})
	}
}
