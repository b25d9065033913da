package pipeline_test

import (
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// broken is a table that cannot decode some of its items, as SQLite answers for a broken row.
type broken struct {
	sinks.Table
	keys map[sinks.Key]bool
}

func (b *broken) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	for _, k := range g.Keys {
		if b.keys[k] {
			return sinks.BatchResult{}, sinks.Damaged(k, "", sinks.ErrUndecodable)
		}
	}
	return b.Table.BatchGet(ctx, g)
}

// An item that the store cannot decode parks the partition that reads it, with its key. table quarantine says what to do instead.
func TestUndecodableItemParksItsPartition(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		s := newSpy(w.Table)
		records := traffic(31, 2, 300, bubbleStart)
		w.Folded(w.With(s, 0), records[:200])
		table := &broken{w.Table, make(map[sinks.Key]bool)}
		for key, it := range w.contents(s) {
			if it[sinks.AttrEntity].Str() == sinks.EntitySession &&
				it[sinks.AttrMark(checkpoint.LaneStats, sinks.TP{Topic: 1})].Kind() != sinks.None {
				table.keys[key] = true
			}
		}
		w.Produce(records[200:]...)
		o, log := w.With(table, 0), new(logged)
		o.Log = slog.New(slog.NewTextHandler(log, nil))
		run := w.Start(o)
		w.countsOn(run, records)
		w.until("the partition parks", func() bool { return w.head(0, checkpoint.LaneStats).Park != nil })
		park := w.head(0, checkpoint.LaneStats).Park
		key := sinks.Key{PK: park.PK, SK: park.SK}
		if park.Reason != checkpoint.ParkedItem || !table.keys[key] {
			t.Errorf("it is parked with %v", park)
		}
		if _, err := quarantine.Item(t.Context(), quarantine.Decision{Topic: w.Topic, Table: table, Key: key}); !errors.Is(err,
			sinks.ErrUndecodable) {
			t.Errorf("QuarantineItem = %v, want what to do instead", err)
		}
		run.Drain()
		if log.line("the partition is parked", `commands="footfall partition resume 0 or footfall table quarantine`) == "" {
			t.Errorf("the log does not have the commands:\n%s", &log.text)
		}
		run = w.Start(w.With(w.Table, 0)) // It was restored.
		if _, err := checkpoint.Resume(t.Context(), checkpoint.Unparking{Topic: w.Topic, Table: w.Table}); err != nil {
			t.Fatal(err)
		}
		w.Settled()
		run.Drain()
		w.recounts(len(records))
	})
}
