package rebuild_test

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// TestErasedStaysErasedInARebuild: a rebuild under the settings of then obeys the erasures that were decided since: no item of the new
// generation names the person, and all figures equal a recount.
func TestErasedStaysErasedInARebuild(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		const erased = "v0-1"
		stop := member(t, w.Options())
		w.Produce(testpipeline.Traffic(4, 2, 600, time.Now().Add(-time.Hour))...)
		w.Settled()
		o := w.Erasure(erased)
		o.Site = "site-0"
		if _, err := erase.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		named := func(keys sinks.Keys) bool {
			pk, prefix := keys.VisitorStates("site-0", erased, sinks.DefaultShards)
			for it, err := range sinks.Items(t.Context(), w.Table, sinks.Query{PK: pk}) {
				if err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(it.Key().SK, prefix) || it[sinks.AttrVisitorID].Str() == erased {
					return true
				}
			}
			return false
		}
		runToFlip(t, rebuild.Job{Pipeline: w.Options()})
		w.Settled()
		if named(sinks.Keys{}) || named(w.Live()) {
			t.Error("an item names the erased person")
		}
		w.Recounted()
		stop()
	})
}
