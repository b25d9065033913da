package purge_test

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/live"
	"github.com/footfall/footfall/sinks"
)

// member runs a pipeline of the live generation until the test or stop ends it.
func member(t *testing.T, w *testpipeline.World) (stop func()) {
	t.Helper()
	o := w.Options()
	o.Log = slog.New(slog.DiscardHandler)
	p, err := live.New(o)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(w.Run(p).Drain)
	t.Cleanup(stop)
	return stop
}

// TestRebuildBringsNoSiteBack: neither under the settings of then nor under those of today does a rebuild count what was purged, whether
// the site is gone or was created again. Every figure equals a recount, and both generations agree.
func TestRebuildBringsNoSiteBack(t *testing.T) {
	for name, c := range map[string]struct{ today, create bool }{"then, gone": {false, false}, "today, gone": {true, false},
		"then, created again": {false, true}, "today, created again": {true, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
				table := note(w.Table)
				w.Table = table
				stop := member(t, w)
				records := testpipeline.Traffic(5, 2, 600, time.Now().Add(-20*time.Minute))
				w.Produce(records[:300]...)
				w.Settled()
				if r, err := purge.Run(t.Context(), purge.Options{Table: table, Site: site}); err != nil || !r.Over() {
					t.Fatalf("%+v, %v", r, err)
				}
				if c.create {
					if err := sites.Create(t.Context(), table, sinks.Keys{}, sites.Definition{ID: site}, time.Now()); err != nil {
						t.Fatal(err)
					}
					w.Pass(time.Minute)
				}
				w.Produce(records[300:500]...)
				w.Settled()
				var found rebuild.Comparison
				job := rebuild.Job{Pipeline: w.Options(), Today: c.today, Log: slog.New(slog.DiscardHandler),
					Compared: func(x rebuild.Comparison) (bool, error) { found = x; return true, nil }}
				if r, err := job.Run(t.Context()); err != nil || !r.Flipped || len(found.Differ) > 0 {
					t.Fatalf("Run = %+v, %v", r, err)
				}
				w.Produce(records[500:]...)
				w.Settled()
				stop()
				w.Recounted()
				if n := entities(table.of(w, site))[sinks.EntityStats]; (n > 0) != c.create {
					t.Errorf("%d stats of the site", n)
				}
			})
		})
	}
}

// TestSiteIsCreatedAgainOnceItsPurgeIsDone: neither before, nor while chains of another generation may come to old records.
func TestSiteIsCreatedAgainOnceItsPurgeIsDone(t *testing.T) {
	testpipeline.InBubble(t, 3, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		create := func() error {
			return sites.Create(t.Context(), w.Table, sinks.Keys{}, sites.Definition{ID: site}, time.Now())
		}
		stop := member(t, w)
		w.Produce(testpipeline.Traffic(5, 1, 60, time.Now().Add(-20*time.Minute))...)
		w.Settled()
		o := purge.Options{Table: w.Table, Site: site, NoWait: true}
		r, err := purge.Run(t.Context(), o)
		purging, ok := errors.AsType[*sites.PurgingError](create())
		if err != nil || r.Over() || len(r.Waiting) == 0 || !ok || purging.Site != site {
			t.Errorf("%+v, %v; %v", r, err, purging)
		}
		if _, err := (sites.Decision{Table: w.Table, Site: site, Now: time.Now()}).Update(t.Context(), sites.Changes{Shards: 4}); err == nil {
			t.Error("a site that is being purged was updated")
		}
		w.Pass(3 * time.Minute)
		if r, err = purge.Run(t.Context(), o); err != nil || r.State != purge.Swept || create() == nil {
			t.Errorf("%+v, %v", r, err)
		}
		w.Pass(11 * time.Minute)
		if r, err = purge.Run(t.Context(), o); err != nil || !r.Over() {
			t.Errorf("%+v, %v", r, err)
		}
		rev := r.Revision
		if r, err = purge.Run(t.Context(), o); err != nil || !r.Over() || r.Revision != rev {
			t.Errorf("once more: %+v, %v", r, err)
		}
		if _, err := rebuild.Begin(t.Context(), w.Table, rebuild.Start{}); err != nil || create() == nil {
			t.Errorf("created beside another generation, %v", err)
		}
		if _, err := rebuild.Drop(t.Context(), w.Table); err != nil {
			t.Fatal(err)
		}
		if err := create(); err != nil {
			t.Error(err)
		}
		stop()
	})
}

// TestUnknownSiteIsNotPurged: a name that is misspelled changes nothing.
func TestUnknownSiteIsNotPurged(t *testing.T) {
	testpipeline.InBubble(t, 3, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		o := purge.Options{Table: w.Table, Site: "site-O"}
		_, counted := purge.Count(t.Context(), o)
		_, err := purge.Run(t.Context(), o)
		log, readErr := sites.ReadLog(t.Context(), w.Table, sinks.Keys{}, nil)
		if !errors.Is(counted, sites.ErrUnknown) || !errors.Is(err, sites.ErrUnknown) || log.Rev() > 0 || readErr != nil {
			t.Errorf("%v; %v; revision %d, %v", counted, err, log.Rev(), readErr)
		}
	})
}

// TestPurgeIsKilledAtEachRequest: two runs at once. Each is killed after a number of requests, and the next one continues.
func TestPurgeIsKilledAtEachRequest(t *testing.T) {
	testpipeline.InBubble(t, 3, 1, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		table := note(w.Table)
		w.Table = table
		decide(t, w, table)
		stop := member(t, w)
		w.Produce(testpipeline.Traffic(6, 1, 120, time.Now().Add(-20*time.Minute))...)
		w.Settled()
		var kills atomic.Int64
		one := func(step int) error {
			for left := step; ; left += step {
				cut := &testpipeline.Mortal{Table: table}
				cut.Left.Store(int64(left))
				r, err := purge.Run(t.Context(), purge.Options{Table: cut, Site: site, WriteUnits: 200})
				switch {
				case errors.Is(err, testpipeline.ErrKilled):
					kills.Add(1)
				case err != nil || r.Over():
					return err
				}
			}
		}
		second := make(chan error, 1)
		go func() { second <- one(29) }()
		if err := errors.Join(one(3), <-second); err != nil {
			t.Fatal(err)
		}
		stop()
		if left := table.of(w, site); len(left) > 0 || kills.Load() < 20 {
			t.Errorf("after %d kills %v are left", kills.Load(), entities(left))
		}
		w.Recounted()
	})
}
