package footfalltest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Start starts footfall. It ends when the test and all its subtests have completed, and fails the test if the pipeline ends with an
// error. What the pipeline warns of is in the test's output.
func Start(t testing.TB, o Options) *Footfall {
	t.Helper()
	if o.Partitions < 0 {
		t.Fatalf("footfalltest: Partitions is %d: choose 1 or more, or 0 for %d", o.Partitions, defaultPartitions)
	}
	f := &Footfall{now: o.Now, ended: make(chan struct{})}
	if f.now == nil {
		f.now = time.Now
	}
	if err := f.startBroker(t, o); err != nil {
		t.Fatalf("footfalltest: %v", err)
	}
	table, err := f.openTable(t, o)
	if err != nil {
		t.Fatalf("footfalltest: %v", err)
	}
	f.table, f.changes = table, newChanges()
	if err := f.run(t, o.Pipeline); err != nil {
		t.Fatalf("footfalltest: %v", err)
	}
	return f
}

// run runs the pipeline until the test ends.
func (f *Footfall) run(t testing.TB, change func(*pipeline.Options)) error {
	o := pipeline.Options{
		Kafka: f.kafka, Topic: f.topic, Group: uniqueName(),
		Table: f.table, Now: f.now, Settings: checkpoint.DefaultSettings(),
		StatsInterval: flushInterval, RealtimeInterval: flushInterval,
		Log: slog.New(slog.NewTextHandler(t.Output(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if change != nil {
		change(&o)
	}
	o.Table = watchedTable{o.Table, f.changes}
	p, err := pipeline.New(o)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context())) // The test's own ends before what was begun is complete.
	go func() {
		defer close(f.ended)
		f.err = p.Run(ctx)
	}()
	t.Cleanup(func() {
		stop()
		<-f.ended
		if f.err != nil {
			t.Errorf("footfalltest: the pipeline ended: %v", f.err)
		}
	})
	return nil
}

// flushInterval is between two flushes. A test waits for two of them at most.
const flushInterval = 20 * time.Millisecond
