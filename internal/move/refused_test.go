package move_test

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/move"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/sinks"
)

// TestMoveIsKilledAtEachWrite: two runs at once. Each is killed after some writes, and the next one continues.
func TestMoveIsKilledAtEachWrite(t *testing.T) {
	inTwoWorlds(t, func(t *testing.T, from, to *testpipeline.World) {
		decide(t, from.Table)
		stop := member(t, from, true)
		from.Produce(traffic(4, 200, time.Now().Add(-30*time.Hour), "", "a")...)
		from.Settled()
		from.Pass(30 * time.Minute)
		retire(t, from.Table)
		want := answers(t, from.Table)
		var kills atomic.Int64
		one := func(step int) error {
			for left := 1; ; left += step {
				cut := &testpipeline.Mortal{Table: to.Table, WritesOnly: true}
				cut.Left.Store(int64(left))
				_, err := move.Run(t.Context(), move.Options{From: from.Table, To: cut, Site: site, WriteUnits: 2000})
				if !errors.Is(err, testpipeline.ErrKilled) {
					return err
				}
				kills.Add(1)
			}
		}
		second := make(chan error, 1)
		go func() { second <- one(7) }()
		if err := errors.Join(one(4), <-second); err != nil {
			t.Fatal(err)
		}
		if kills.Load() < 20 {
			t.Errorf("%d kills", kills.Load())
		}
		differ(t, answers(t, to.Table), want)
		stop()
	})
}

// TestSiteThatCannotMoveIsRefused: nothing is written to the new table, and the error says what to do.
func TestSiteThatCannotMoveIsRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(t *testing.T, from, to *testpipeline.World)
		says string
	}{
		{"it is not deleted", func(*testing.T, *testpipeline.World, *testpipeline.World) {}, "footfall site delete"},
		{"an erasure is under way", func(t *testing.T, from, _ *testpipeline.World) {
			_, err := erase.Run(t.Context(), erase.Options{Table: from.Table, HashKey: from.Options().HashKey, Site: site, Person: sites.Visitor,
				ID: "v0-3", NoWait: true})
			if err != nil {
				t.Fatal(err)
			}
			retire(t, from.Table)
		}, "is not done: complete it first"},
		{"the new table has it", func(t *testing.T, from, to *testpipeline.World) {
			retire(t, from.Table)
			if err := sites.Create(t.Context(), to.Table, sinks.Keys{}, sites.Definition{ID: site}, time.Now()); err != nil {
				t.Fatal(err)
			}
		}, "the new table has other settings"},
		{"the new table has counted it", func(t *testing.T, from, to *testpipeline.World) {
			retire(t, from.Table)
			stop := member(t, to, true)
			to.Produce(traffic(6, 30, time.Now(), site, "c")...)
			to.Settled()
			stop()
		}, "items of site"},
		{"the new table has another hash key", func(t *testing.T, from, to *testpipeline.World) {
			retire(t, from.Table)
			to.Table = newTable(t)
			if _, err := sinks.EnsureTableSettings(t.Context(), to.Table, sinks.Keys{}, []byte("another key of 16")[:16]); err != nil {
				t.Fatal(err)
			}
			if _, err := sinks.EnsureTopic(t.Context(), to.Table, sinks.Keys{}, "events"); err != nil {
				t.Fatal(err)
			}
		}, "different visitor hash keys"},
		{"the old table has two generations", func(t *testing.T, from, _ *testpipeline.World) {
			retire(t, from.Table)
			if _, err := rebuild.Begin(t.Context(), from.Table, rebuild.Start{}); err != nil {
				t.Fatal(err)
			}
		}, "the old table has another generation"},
		{"the new table is of an earlier format", func(t *testing.T, from, to *testpipeline.World) {
			retire(t, from.Table)
			testpipeline.MakeEarlier(t, to.Table)
		}, "footfall upgrade finalize"},
	} {
		t.Run(c.name, func(t *testing.T) {
			inTwoWorlds(t, func(t *testing.T, from, to *testpipeline.World) {
				decide(t, from.Table)
				stop := member(t, from, true)
				defer stop()
				from.Produce(traffic(4, 60, time.Now(), "", "a")...)
				from.Settled()
				c.make(t, from, to)
				r, err := move.Run(t.Context(), move.Options{From: from.Table, To: to.Table, Site: site})
				if err == nil || !strings.Contains(err.Error(), c.says) || r.Items > 0 {
					t.Errorf("%+v, %v; want %q", r, err, c.says)
				}
			})
		})
	}
}
