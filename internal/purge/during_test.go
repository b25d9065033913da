package purge_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// hooked is a table that calls begun before the first request of a pipeline of generation 2.
type hooked struct {
	sinks.Table
	begun func()
}

func (h hooked) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if sinks.KeysOf(u.Key.PK).Generation == 2 {
		h.begun()
	}
	return h.Table.Update(ctx, u)
}

// TestPurgeDuringARebuild: a generation that meets events of a purged site only after the purge does not become live. Begun again, it does,
// and the site stays away when it was created again and another rebuild counts under the settings of today.
func TestPurgeDuringARebuild(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		table := note(w.Table)
		w.Table = table
		stop := member(t, w)
		w.Produce(testpipeline.Traffic(5, 2, 600, time.Now().Add(-20*time.Minute))...)
		w.Settled()
		var rev int64
		begun := sync.OnceFunc(func() {
			var err error
			if rev, err = (sites.Decision{Table: table, Site: site, Now: time.Now()}).Purge(t.Context(), 0); err != nil {
				t.Error(err)
			}
		})
		job := rebuild.Job{Pipeline: w.Options(), Today: true, Log: slog.New(slog.DiscardHandler),
			Compared: func(rebuild.Comparison) (bool, error) { return true, nil }}
		job.Pipeline.Table = hooked{table, begun}
		_, err := job.Run(t.Context())
		if e, ok := errors.AsType[*rebuild.PurgedError](err); !ok || rev == 0 || e.Rev != rev {
			t.Fatalf("Run after the purge of revision %d = %v", rev, err)
		}
		if _, err := rebuild.Drop(t.Context(), table); err != nil {
			t.Fatal(err)
		}
		again := func() {
			t.Helper()
			if r, err := job.Run(t.Context()); err != nil || !r.Flipped {
				t.Fatalf("Run = %+v, %v", r, err)
			}
			w.Settled()
			if _, err := rebuild.Drop(t.Context(), table); err != nil {
				t.Fatal(err)
			}
		}
		again()
		if r, err := purge.Run(t.Context(), purge.Options{Table: table, Site: site}); err != nil || !r.Over() {
			t.Fatalf("%+v, %v", r, err)
		}
		if err := sites.Create(t.Context(), table, sinks.Keys{}, sites.Definition{ID: site}, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.Pass(time.Minute)
		again()
		stop()
		w.Recounted()
		if n := entities(table.of(w, site))[sinks.EntityStats]; n > 0 {
			t.Errorf("%d stats of the site", n)
		}
	})
}
