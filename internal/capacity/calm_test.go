package capacity

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
)

// TestCalmPartitionsFlushLater plans a longest interval of the realtime lane: sites of few events are written less often, those of many
// as often as without it.
func TestCalmPartitionsFlushLater(t *testing.T) {
	slow.Test(t)
	writes := func(events float64, longest time.Duration) (realtime, checkpoints float64) {
		w := DefaultWorkload()
		w.EventsPerDay, w.Sites, w.Partitions, w.Peak, w.RealtimeMax = events, 10, 2, 1, longest
		w.Settings.Breakdowns, w.Settings.RawEvents = 0, false
		if err := w.Validate(); err != nil {
			t.Fatal(err)
		}
		for _, it := range Make(w, DefaultPrices()).Items {
			switch it.Item {
			case itemRealtime:
				realtime = it.Writes
			case itemCheckpoint:
				checkpoints = it.Writes
			}
		}
		return realtime, checkpoints
	}
	always, marks := writes(600_000, 0) // 0.7 events a second of each site: 16 after 23 s.
	calm, fewer := writes(600_000, 30*time.Second)
	if ratio := calm / always; ratio < 0.2 || ratio > 0.4 {
		t.Errorf("calm sites: %.0f writes a day of realtime minutes instead of %.0f, %.2f of them, want about 0.3", calm, always, ratio)
	}
	if fewer > marks/2 {
		t.Errorf("calm sites: %.0f writes a day of checkpoints instead of %.0f", fewer, marks)
	}
	always, _ = writes(60_000_000, 0) // 69 events a second of each site.
	if busy, _ := writes(60_000_000, 30*time.Second); busy < 0.99*always || busy > 1.01*always {
		t.Errorf("busy sites: %.0f writes a day of realtime minutes, %.0f without a longest interval", busy, always)
	}
}
