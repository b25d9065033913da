package pipeline

import (
	"runtime"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/decoding"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// TestStatesWeighWhatTheHeapTakes folds hostile records of each kind, settles their steps, and holds the sum of the states'
// weights against the heap.
func TestStatesWeighWhatTheHeapTakes(t *testing.T) {
	slow.Test(t)
	if slow.Alone(t) {
		return
	}
	kinds := []string{"long session ids", "many sites", "full breakdowns", "hours of few events"}
	for kind, name := range kinds {
		t.Run(name, func(t *testing.T) {
			o := Options{Topic: "events", Group: "g", Table: &slowTable{parts: make(map[sinks.Key]sinks.Item)},
				Settings: checkpoint.DefaultSettings()}
			o.Settings.NewSites, o.Settings.RawEvents = 0, false
			p, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			if p.hash, err = sketch.NewHasher([]byte("0123456789abcdef")); err != nil {
				t.Fatal(err)
			}
			p.number, p.sessionShards = 1, sinks.DefaultShards
			w, _, err := p.taker.acquire(t.Context(), 0, [16]byte{1}, checkpoint.Extent{})
			if err != nil {
				t.Fatal(err)
			}
			w.open(t.Context(), nil)
			at := time.UnixMilli(1_749_999_960_000)
			offset := int64(0)
			fold := func(records int) {
				for offset < int64(records) {
					var list []*kgo.Record
					for range decoding.ChunkRecords {
						n := int(offset)/1000*4000 + 1000*kind + int(offset)%1000
						r := hostile(0, n, at)
						r.Offset = offset
						list = append(list, r)
						offset++
					}
					if err := w.foldChunk(t.Context(), list); err != nil {
						t.Fatal(err)
					}
				}
				for _, l := range w.lanes {
					l.Fold.Cut(at.Unix())
					l.Begin(l.Step + 1)
				}
			}
			fold(1000) // Rooms and memories of texts that stay as they are.
			fold(9000) // They are full.
			w.hold()
			heap, held := liveHeap(), w.holding.Bytes()
			fold(17000)
			w.hold()
			heap, held = liveHeap()-heap, w.holding.Bytes()-held
			runtime.KeepAlive(w)
			if ratio := float64(held) / float64(heap); ratio < 0.75 || ratio > 1.7 {
				t.Errorf("states weigh %d KB more, and the heap has grown by %d KB: %.2f times", held>>10, heap>>10, ratio)
			} else {
				t.Logf("states weigh %d KB more, and the heap has grown by %d KB: %.2f times", held>>10, heap>>10, ratio)
			}
		})
	}
}
