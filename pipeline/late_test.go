package pipeline_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
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
		meter := &unitMeter{Table: w.table, kinds: make(map[string]float64)}
		o := w.options()
		o.Table = meter
		o.Settings.LateMs = (100 * time.Hour).Milliseconds()
		p := w.start(o)
		event := func(hour int, minute int, visitor, url string) record {
			return record{at: time.Now(), value: mustJSON(map[string]any{"siteId": "filler", "type": "page_view", "visitorId": visitor, "url": url,
				"timestamp": bubbleStart.Add(-time.Duration(hour+2)*time.Hour + time.Duration(minute)*time.Minute).UnixMilli()})}
		}
		for h := range hours {
			var list []record
			for i := range pages {
				list = append(list, event(h, i%60, fmt.Sprint("v", h, "-", i%100), fmt.Sprintf("/%x/%x", uint64(h*pages+i+1)*0x9e3779b97f4a7c15,
					uint64(i+7)*0xd1342543de82ef95)))
			}
			w.produce(list...)
		}
		w.settled()
		meter.reset()
		late := 0
		for round := range rounds {
			var list []record
			for h := range hours {
				list = append(list, event(h, 30, fmt.Sprint("late", round, "-", h), "/ping"))
			}
			list = append(list, record{at: time.Now(), value: mustJSON(map[string]any{"siteId": "other", "type": "page_view", "visitorId": "v",
				"url": "/", "timestamp": bubbleStart.UnixMilli()})})
			w.produce(list...)
			w.pass(time.Minute)
			if seen := w.stats(sinks.Keys{}.HourStats("other", bubbleStart.UnixMilli()), sinks.AttrEvents); seen < int64(round-1) {
				late++
			}
		}
		w.settled()
		p.drain()
		each := meter.units / float64(hours*rounds)
		t.Logf("%.2f write units an event: %v", each, meter.kinds)
		if each > 10 || meter.kinds[sinks.EntityLate] == 0 {
			t.Errorf("an event to a filled hour costs %.1f write units, want 10 at most; by type of item %v", each, meter.kinds)
		}
		if late > 0 {
			t.Errorf("another site of the partition was older than three intervals %d times", late)
		}
		w.recounted()
	})
}

// TestJournalChangesNoAnswer: merging an hour at every step, at every seventh or never gives equal answers, also where rows are
// evicted and breakdowns are trimmed.
func TestJournalChangesNoAnswer(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	answers := make(map[string]string)
	for name, rule := range map[string]aggregate.Journal{"always": {MinItem: math.MaxInt}, "every seventh": {MinItem: 1, Entries: 7},
		"never": {MinItem: 1, Entries: math.MaxInt}} {
		inWorld(t, 1, func(t *testing.T, w *world) {
			o := w.options()
			o.Limits.Journal, o.StatsInterval = rule, 2*time.Second
			o.Settings.Breakdowns, o.Settings.BreakdownBytes = 6, 3000
			p := w.start(o)
			for i, r := range traffic(1, 1, 400, bubbleStart.Add(-3*time.Hour)) {
				w.produce(r)
				w.pass(200 * time.Millisecond)
				if i == 200 { // A new owner goes on from items and journal.
					p.drain()
					p = w.start(o)
				}
			}
			w.settled()
			p.drain()
			r := query.New(w.table, sinks.Keys{}, time.Now)
			var all strings.Builder
			sites, err := r.Sites(t.Context(), query.SitesParams{})
			if err != nil || len(sites.Sites) == 0 {
				t.Fatal(sites, err)
			}
			for _, s := range sites.Sites {
				for _, d := range sketch.Dimensions() {
					a, err := r.Top(t.Context(), query.TopParams{Site: s.SiteID, Dimension: d.String(), From: bubbleStart.Add(-72 * time.Hour),
						To: bubbleStart.Add(72 * time.Hour)})
					if err != nil {
						t.Fatal(err)
					}
					text, _ := json.Marshal(a)
					fmt.Fprintf(&all, "%s\n", text)
				}
				u, err := r.Uniques(t.Context(), query.UniquesParams{Site: s.SiteID, From: bubbleStart.Add(-72 * time.Hour),
					To: bubbleStart.Add(72 * time.Hour)})
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&all, "%+v\n", u)
			}
			answers[name] = all.String()
			if rep, err := verifyWorld(w, o); err != nil || rep.ExitCode() != 0 {
				t.Errorf("%s: verify: %+v, %v", name, rep, err)
			}
		})
	}
	for name, a := range answers {
		if a != answers["always"] {
			t.Errorf("merged %s: other answers than merged always:\n%s\nand\n%s", name, a, answers["always"])
		}
	}
}
