package pipeline

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestMillionPathsStayBounded: a site has a million different paths in a day, and half of its traffic goes to a hundred of
// them. Items and memory stay within their bounds, the totals are exact, and the hundred are on top, each with the truth
// within the error that is stated.
func TestMillionPathsStayBounded(t *testing.T) {
	slow.Unraced(t)
	paths, hot := slow.Of(t, 50_000, 1_000_000), 100
	w := ownedPartition(t)
	w.stats.Own.RawEvents, w.stats.Settings.RawEvents = false, false
	rng := rand.New(rand.NewPCG(5, 5))
	midnight := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	truth := make(map[string]int64)
	parts := make(map[sinks.Key]*sketch.Breakdown) // as written last
	var offset, largest int64
	most := uint64(0)
	for hour := range 24 {
		start := midnight.Add(time.Duration(hour) * time.Hour)
		for next, end := paths*hour/24, paths*(hour+1)/24; next < end; {
			var chunk []*kgo.Record
			for ; next < end && len(chunk) < decoding.ChunkRecords; next++ {
				for _, path := range []string{fmt.Sprintf("/once/%d", next), fmt.Sprintf("/hot/%d", rng.IntN(hot))} {
					truth[path]++
					chunk = append(chunk, &kgo.Record{Offset: offset, Timestamp: start.Add(time.Minute),
						Value: fmt.Appendf(nil, `{"siteId":"s","type":"page_view","timestamp":%d,"visitorId":"v%d","sessionId":"s%d","url":%q}`,
							start.UnixMilli()+offset%60_000, offset/30, offset/10, path)})
					offset++
				}
			}
			if err := w.foldChunk(t.Context(), chunk); err != nil {
				t.Fatal(err)
			}
			if w.over(w.stats, 1) {
				largest = cutBreakdowns(t, w, parts, largest)
			}
		}
		largest = cutBreakdowns(t, w, parts, largest)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapAlloc)
	}
	t.Logf("%d events; the largest item has %d KB; at most %d MB alive, the test's own included", offset, largest>>10, most>>20)
	if largest > sketch.MaxBreakdownBytes+1024 {
		t.Errorf("an item of %d bytes", largest)
	}
	merged := sketch.NewBreakdownMerge(sketch.Page)
	for _, part := range parts {
		merged.Add(part)
	}
	sum := merged.Other().Events
	for i, row := range merged.Rows() {
		sum += row.Events
		if n := truth[row.Value]; n < row.Events || n > row.Events+int64(row.Error) {
			t.Fatalf("%q: %d events, up to %d more; there are %d", row.Value, row.Events, row.Error, n)
		}
		if i < hot && row.Value[:5] != "/hot/" {
			t.Errorf("%d. is %q", i+1, row.Value)
		}
	}
	if sum != offset {
		t.Errorf("rows and others hold %d events, want %d", sum, offset)
	}
}

// cutBreakdowns ends the accumulating step as if all of it were written, keeps the breakdowns that it wrote, and returns the
// bytes of the largest so far.
func cutBreakdowns(t *testing.T, w *worker, parts map[sinks.Key]*sketch.Breakdown, largest int64) int64 {
	t.Helper()
	f := w.stats.Fold.(*aggregate.Stats)
	step := w.stats.Step
	for _, write := range f.Cut(0).Writes {
		if write.Kind != sinks.EntityBreakdown {
			continue
		}
		for _, a := range write.Update.Set {
			if a.Name != sinks.AttrPart {
				continue
			}
			largest = max(largest, int64(len(a.Value.Bytes())))
			b := new(sketch.Breakdown)
			if err := sketch.UnpackBreakdown(a.Value.Bytes(), b); err != nil {
				t.Fatal(err)
			}
			parts[write.Update.Key] = b
		}
	}
	w.stats.Begin(step + 1)
	f.Settled(step)
	return largest
}
