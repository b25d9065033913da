package testpipeline

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// Folded runs one pipeline over the records to the end and leaves its rows.
func (w *World) Folded(o pipeline.Options, records []Record) {
	w.T.Helper()
	w.Produce(records...)
	run := w.Start(o)
	w.Settled()
	run.Drain()
}

// Ends runs a pipeline that is expected to end by itself, and returns why it did.
func (w *World) Ends(o pipeline.Options) error {
	w.T.Helper()
	return w.Start(o).Ended()
}

// KillOnStats kills its process at the first write of an hour's or a day's stats.
type KillOnStats struct {
	sinks.Table
	mu   sync.Mutex // covers dead
	dead bool
}

func (k *KillOnStats) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	k.mu.Lock()
	k.dead = k.dead || strings.HasPrefix(u.Key.SK, "STATS#")
	dead := k.dead
	k.mu.Unlock()
	if dead {
		return sinks.Result{}, ErrKilled
	}
	return k.Table.Update(ctx, u)
}

// Ended waits for the end of a process that is expected to end by itself, and returns why it did.
func (p *Process) Ended() error {
	p.t.Helper()
	select {
	case err := <-p.Done:
		return err
	case <-time.After(time.Hour):
		p.Stop()
		<-p.Done
		return errors.New("it ran for an hour")
	}
}

// Killed ends a process whose table has died.
func (p *Process) Killed() {
	p.t.Helper()
	p.Stop()
	if err := <-p.Done; err != nil && !errors.Is(err, ErrKilled) {
		p.t.Errorf("Run = %v, want the kill", err)
	}
}
