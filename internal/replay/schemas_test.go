package replay_test

import (
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/wire"
)

// TestRecordsCountOnceTheirSchemaIsKnown: what a registry did not have is published again, as predicted, and counted once it has it. An
// entry of a process that ended before it began a step, whose record the next one counted since the registry had its schema by then, is
// left out.
func TestRecordsCountOnceTheirSchemaIsKnown(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		must(w.admin.DeleteTopics(t.Context(), failed))(t)
		shelf := testpipeline.NewShelf(1)
		w.registry = shelf
		reading := checkpoint.DefaultSettings()
		reading.RawPacked = true
		reading.Maps = checkpoint.Maps{{Map: mapping.Config{Input: mapping.InputRegistry}.Canonical()}}
		sent := 0
		send := func(id uint32) {
			w.send(30, func(r *kgo.Record, i int) {
				sent++
				value := fmt.Appendf(nil, `{"siteId":"s","type":"page_view","timestamp":%d,"visitorId":"v%d"}`, start.UnixMilli(), sent)
				r.Value = testpipeline.Framed([]testpipeline.Record{{Value: value}}, id)[0].Value
			})
		}
		summary := func(published, counted int64) {
			t.Helper()
			sum := w.replay(func(o *replay.Options) { o.Settings, o.Registry = &reading, shelf })
			if sum.Published != published || sum.Predicted != nil && sum.Predicted.Counted != counted {
				t.Errorf("summary %+v, predicted %+v: want %d published, %d to be counted", sum, sum.Predicted, published, counted)
			}
		}
		send(1)
		send(2)
		w.fold(reading)
		if have := w.totals(); have.Counted != 30 || have.Rejected[event.UnknownSchema] != 30 {
			t.Errorf("totals %+v, want 30 counted and 30 with an unknown schema", have)
		}
		send(3)
		w.leave(reading)
		shelf.Change(func() { shelf.Has[wire.Confluent(3)] = `{"title": "late"}` })
		w.fold(reading)
		if have := w.totals(); have.Counted != 60 {
			t.Errorf("totals %+v, want 60 counted", have)
		}
		// A registry that is away is asked once in all, and not for each of the 30 entries.
		asked := 0
		shelf.Change(func() { shelf.Down, asked = true, shelf.Asked[wire.Confluent(2)] })
		dry := w.replay(func(o *replay.Options) { o.Settings, o.Registry, o.DryRun = &reading, shelf, true })
		if n := shelf.Asked[wire.Confluent(2)] - asked; n != 1 || dry.Predicted.Rejected[event.UnknownSchema] != 30 {
			t.Errorf("the registry was asked %d times, predicted %+v: want once, and 30 with an unknown schema", n, dry.Predicted)
		}
		shelf.Change(func() { shelf.Down, shelf.Has[wire.Confluent(2)] = false, `{"title": "later"}` })
		summary(30, 30)
		w.fold(reading)
		if have := w.totals(); have.Counted != 90 || have.Rejected[event.UnknownSchema] != 30 {
			t.Errorf("totals %+v, want 90 counted", have)
		}
		summary(0, 0)
		w.verified()
	})
}
