package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// TestSiteThatFillsItsPastOf600Hours: a site fills 600 past hours with rows of every dimension that an event names, and then sends
// 50 tiny events a second to them for ten minutes. It pays for itself, and other sites of the partition do not wait.
func TestSiteThatFillsItsPastOf600Hours(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	const hours, fill, minutes, perSecond = 600, 40, 10, 50
	inWorld(t, 1, func(t *testing.T, w *world) {
		meter := &unitMeter{Table: w.Table, kinds: make(map[string]float64)}
		o := w.Options()
		o.Table, o.Settings.LateMs = meter, (1000 * time.Hour).Milliseconds()
		p := w.Start(o)
		text := func(n int) string { // Hardly compressible.
			x := uint64(n+1) * 0x9e3779b97f4a7c15
			return fmt.Sprintf("%016x%016x%016x", x, x*0xd1342543de82ef95, (x^x>>29)*0xbf58476d1ce4e5b9)
		}
		in := func(hour, second int) int64 {
			return bubbleStart.Add(-time.Duration(hour+2)*time.Hour + time.Duration(second%3600)*time.Second).UnixMilli()
		}
		n := 0
		for h := range hours {
			list := make([]record, fill)
			for i := range list {
				e := map[string]any{"siteId": "filler", "type": "page_view", "visitorId": fmt.Sprint("v", i%20), "timestamp": in(h, 60*i)}
				for _, name := range []string{"browser", "os", "device", "country", "region", "city"} {
					n++
					e[name] = text(n)
				}
				e["url"] = fmt.Sprintf("https://filler.example/%s?utm_source=%s&utm_medium=%s&utm_campaign=%s", text(n), text(-n), text(2*n), text(3*n))
				list[i] = record{At: time.Now(), Value: mustJSON(e)}
			}
			w.Produce(list...)
			if h%20 == 19 {
				w.Pass(time.Second)
			}
		}
		w.Settled()
		meter.reset()
		oldest, shown := time.Duration(0), 0
		for second := range minutes * 60 {
			list := make([]record, 0, perSecond+1)
			for i := range perSecond {
				k := perSecond*second + i
				list = append(list, record{At: time.Now(), Value: mustJSON(map[string]any{"siteId": "filler", "type": "ping",
					"visitorId": fmt.Sprint("late", k),
					"timestamp": in(k%hours, k)})})
			}
			list = append(list, record{At: time.Now(), Value: mustJSON(map[string]any{"siteId": "other", "type": "page_view",
				"visitorId": fmt.Sprint("v", second), "url": "/",
				"timestamp": bubbleStart.UnixMilli()})})
			w.Produce(list...)
			w.Pass(time.Second)
			if second%5 == 4 { // The other site has one event a second, so the number of missing events is their age in seconds.
				shown = int(w.Stats(sinks.Keys{}.HourStats("other", bubbleStart.UnixMilli()), sinks.AttrEvents))
				oldest = max(oldest, time.Duration(second+1-shown)*time.Second)
			}
		}
		w.Settled()
		p.Drain()
		each := meter.units / (minutes * 60 * perSecond)
		t.Logf("%.2f write units an event; the other site was %v old at most; %v", each, oldest, meter.kinds)
		if each > 10 || meter.kinds[sinks.EntityLate] == 0 {
			t.Errorf("an event to a filled hour costs %.1f write units, want 10 at most; by type of item %v", each, meter.kinds)
		}
		if oldest > 3*time.Minute || shown == 0 {
			t.Errorf("another site of the partition was %v old, want three intervals at most", oldest)
		}
		w.recounts(hours*fill + minutes*60*(perSecond+1))
	})
}
