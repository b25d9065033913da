package rebuild_test

import (
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks/memory"
)

// TestEstimatesBesideOneAnother: an estimate counts the whole sample itself, whatever another process does that estimates, or that did
// before it was killed. It leaves no consumer group.
func TestEstimatesBesideOneAnother(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		stop := member(t, w.Options())
		records := testpipeline.Traffic(1, 2, 1200, time.Now())
		w.Produce(records...)
		w.Settled()
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				scratch := new(memory.Table)
				defer scratch.Close()
				job := rebuild.Job{Pipeline: w.Options(), Log: slog.New(slog.DiscardHandler)}
				source, e, err := job.Estimate(t.Context(), scratch)
				if err != nil || e.Sampled != int64(len(records)) || source.Records != e.Sampled || e.WriteUnits < 100 {
					t.Errorf("Estimate = %+v, %+v, %v; want a sample of %d records", source, e, err, len(records))
				}
			})
		}
		both.Wait()
		groups, err := kadm.NewClient(w.Client).ListGroups(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range groups.Groups() {
			if strings.Contains(name, "estimate") {
				t.Errorf("consumer group %q is left", name)
			}
		}
		stop()
	})
}
