package watch

import (
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/testpipeline"
)

// An hour is complete once all that was published before its end is counted, also where nothing came, and not while nothing counts.
func TestCompleteIsWhatIsCounted(t *testing.T) {
	testpipeline.InBubble(t, 1, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		complete := func(before time.Time, want bool) {
			t.Helper()
			ok, err := Completeness(w.Kafka(), w.Topic, w.Table)(t.Context(), before)
			if err != nil || ok != want {
				t.Errorf("before %v: %v, %v; want %v", before, ok, err, want)
			}
		}
		process := w.Start(w.Options())
		w.Produce(testpipeline.Traffic(1, 2, 50, time.Now().Add(-time.Minute))...)
		w.Settled()
		w.Pass(3 * time.Hour)
		complete(time.Now(), true)
		process.Drain()
		over := time.Now()
		w.Pass(time.Minute)
		w.Produce(testpipeline.Traffic(2, 2, 50, time.Now())...)
		complete(over, true)
		complete(time.Now().Add(time.Hour), false)
	})
}
