package pipeline_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// unitMeter counts the write units of a table, by entity type where an update names it.
type unitMeter struct {
	sinks.Table
	mu    sync.Mutex // covers all below
	units float64
	kinds map[string]float64
}

func (m *unitMeter) count(kind string, units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units += units
	m.kinds[kind] += units
}

func (m *unitMeter) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units, m.kinds = 0, make(map[string]float64)
}

func (m *unitMeter) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	r, err := m.Table.Update(ctx, u)
	kind := "other"
	for _, a := range u.Set {
		if a.Name == sinks.AttrEntity {
			kind = a.Value.Str()
		}
	}
	m.count(kind, r.Units)
	return r, err
}

func (m *unitMeter) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	r, err := m.Table.Put(ctx, p)
	m.count(p.Item[sinks.AttrEntity].Str(), r.Units)
	return r, err
}

func (m *unitMeter) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	r, err := m.Table.Delete(ctx, d)
	m.count("deleted", r.Units)
	return r, err
}

func (m *unitMeter) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	r, err := m.Table.BatchPut(ctx, items)
	m.count(sinks.EntityEvent, r.Units)
	return r, err
}

// TestSiteThatFillsItsPastPaysLittle: a site fills 48 past hours (12 in make test) and then sends one tiny event to each of
// them in every interval. Written whole that was 91 units an event.
func TestSiteThatFillsItsPastPaysLittle(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	const pages, rounds = 500, 10
	hours := slow.Of(t, 12, 48)
	inWorld(t, 1, func(t *testing.T, w *world) {
		meter := &unitMeter{Table: w.Table, kinds: make(map[string]float64)}
		o := w.Options()
		o.Table = meter
		o.Settings.LateMs = (100 * time.Hour).Milliseconds()
		p := w.Start(o)
		event := func(hour int, minute int, visitor, url string) record {
			return record{At: time.Now(), Value: mustJSON(map[string]any{"siteId": "filler", "type": "page_view", "visitorId": visitor, "url": url,
				"timestamp": bubbleStart.Add(-time.Duration(hour+2)*time.Hour + time.Duration(minute)*time.Minute).UnixMilli()})}
		}
		for h := range hours {
			var list []record
			for i := range pages {
				list = append(list, event(h, i%60, fmt.Sprint("v", h, "-", i%100), fmt.Sprintf("/%x/%x", uint64(h*pages+i+1)*0x9e3779b97f4a7c15,
					uint64(i+7)*0xd1342543de82ef95)))
			}
			w.Produce(list...)
		}
		w.Settled()
		meter.reset()
		late := 0
		for round := range rounds {
			var list []record
			for h := range hours {
				list = append(list, event(h, 30, fmt.Sprint("late", round, "-", h), "/ping"))
			}
			list = append(list, record{At: time.Now(), Value: mustJSON(map[string]any{"siteId": "other", "type": "page_view", "visitorId": "v",
				"url": "/", "timestamp": bubbleStart.UnixMilli()})})
			w.Produce(list...)
			w.Pass(time.Minute)
			if seen := w.Stats(sinks.Keys{}.HourStats("other", bubbleStart.UnixMilli()), sinks.AttrEvents); seen < int64(round-1) {
				late++
			}
		}
		w.Settled()
		p.Drain()
		each := meter.units / float64(hours*rounds)
		t.Logf("%.2f write units an event: %v", each, meter.kinds)
		if each > 10 || meter.kinds[sinks.EntityLate] == 0 {
			t.Errorf("an event to a filled hour costs %.1f write units, want 10 at most; by type of item %v", each, meter.kinds)
		}
		if late > 0 {
			t.Errorf("another site of the partition was older than three intervals %d times", late)
		}
		w.Recounted()
	})
}
