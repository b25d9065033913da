package pipeline_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/sinks"
)

// interrupted is a table where something happens before each sweep of a breakdown's item.
type interrupted struct {
	sinks.Table
	before func()
}

func (t *interrupted) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if slices.ContainsFunc(u.Set, func(a sinks.Attr) bool { return a.Name == sinks.AttrPurged }) && len(u.Set) > 1 {
		t.before()
	}
	return t.Table.Update(ctx, u)
}

// TestSweepTakesNoFlushBack erases a visitor, breakdowns included, while a flush writes the hour between the sweep's read and its write.
func TestSweepTakesNoFlushBack(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.StatsInterval = 5 * time.Second
		run := w.Start(o)
		w.Produce(visitTo("gone", "a", "/secret", "1", bubbleStart), visitTo("stays", "b", "/", "2", bubbleStart))
		w.Settled()
		flushes := 0
		opts := w.Erasure("gone")
		opts.Breakdowns = true
		opts.Table = &interrupted{Table: w.Table, before: func() {
			if flushes++; flushes == 1 {
				w.Produce(visitTo("stays", "b", "/more", "3", bubbleStart.Add(time.Minute)))
				w.Settled()
			}
		}}
		report, err := erase.Run(t.Context(), opts)
		if err != nil || !report.Over() || flushes == 0 {
			t.Fatalf("%+v, %v, after %d flushes", report, err, flushes)
		}
		run.Drain()
		for _, left := range w.RowsOf("s", "gone", report.Until.UnixMilli()) {
			t.Error(left)
		}
		w.Agrees(o)
	})
}
