package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// flushes collects what a pipeline reports of its flushes.
type flushes struct {
	mu   sync.Mutex // covers list
	list []pipeline.Flush
}

func (f *flushes) flushed(of pipeline.Flush) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, of)
}

// take returns the flushes of a lane since the last call, and forgets all.
func (f *flushes) take(lane string) (list []pipeline.Flush) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.list {
		if one.Lane == lane {
			list = append(list, one)
		}
	}
	f.list = nil
	return list
}

// phasesOf are the names of a flush's phases, each of which must begin when the one before ended.
func phasesOf(t *testing.T, f pipeline.Flush) string {
	t.Helper()
	var names []string
	at := f.Begun
	for _, phase := range f.Phases {
		if !phase.Begun.Equal(at) || phase.Ended.Before(at) {
			t.Errorf("flush %d: phase %s lasts from %v to %v, the one before ended at %v", f.Number, phase.Name, phase.Begun, phase.Ended, at)
		}
		names, at = append(names, phase.Name), phase.Ended
	}
	if f.Ended.Before(at) {
		t.Errorf("flush %d ended at %v, before its last phase at %v", f.Number, f.Ended, at)
	}
	return strings.Join(names, " ")
}

// TestFlushesAreTold: of each flush that is in the table, without a gap between them; of one that failed, and of its repetition by the
// next owner.
func TestFlushesAreTold(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		var reported flushes
		var denied atomic.Bool
		o := w.Options()
		o.Flushed = reported.flushed
		o.Table = &via{w.Table, func(ctx context.Context, r request, pass func(context.Context) error) error {
			if denied.Load() && len(r.keys) > 0 && sinks.EntityOf(r.keys[0]) == sinks.EntityStats {
				return sinks.ErrDenied
			}
			return pass(ctx)
		}}
		run := w.Start(o)
		w.Produce(events(0, 9)...)
		w.Settled()
		w.Produce(events(0, 11)...)
		w.Settled()
		records, to := 0, int64(0)
		for i, f := range reported.take(checkpoint.LaneStats) {
			if f.Number != int64(i+1) || f.From != to || f.Topic != w.Topic || f.Items == 0 || f.Bytes == 0 || f.Repeated || f.Err != nil {
				t.Errorf("flush %d after offset %d: %+v", i+1, to, f)
			}
			if got := phasesOf(t, f); got != "cut intend apply settle" {
				t.Errorf("phases %s", got)
			}
			records, to = records+f.Records, f.To
		}
		if records != 20 || to != 20 {
			t.Errorf("flushes of %d records up to offset %d, want 20", records, to)
		}

		denied.Store(true)
		w.Produce(events(0, 5)...)
		if err := <-run.Done; !errors.Is(err, sinks.ErrDenied) {
			t.Fatalf("Run = %v", err)
		}
		failed := reported.take(checkpoint.LaneStats)
		if len(failed) != 1 || !errors.Is(failed[0].Err, sinks.ErrDenied) || phasesOf(t, failed[0]) != "cut intend apply" {
			t.Fatalf("the failed flush was reported as %+v", failed)
		}

		denied.Store(false)
		run = w.Start(o)
		w.Settled()
		run.Drain()
		again := reported.take(checkpoint.LaneStats)
		if len(again) != 1 || !again[0].Repeated || again[0].Err != nil || phasesOf(t, again[0]) != "cut apply settle" {
			t.Fatalf("its repetition was reported as %+v", again)
		}
		a, b := failed[0], again[0]
		if fmt.Sprint(a.Number, a.From, a.To, a.Records) != fmt.Sprint(b.Number, b.From, b.To, b.Records) {
			t.Errorf("flush %+v, repeated as %+v", a, b)
		}
	})
}
