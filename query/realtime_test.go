package query_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

func testRealtime(t *testing.T, w *world) {
	w.site(shop, 16)
	minute := func(n int) time.Time { return time.Date(2026, 5, 12, 14, n, 0, 0, time.UTC) }
	fresh := func(from, to int) sinks.Value { return visitors(sketch.NewMinute(), from, to) }
	w.minute(shop, minute(25), past, tp0, 9, fresh(50, 59), map[string]int{"/gone": 9})
	w.minute(shop, minute(30), future, tp0, 5, fresh(40, 45), map[string]int{"/old": 5})
	w.minute(shop, minute(31), future, tp0, 4, fresh(0, 3), map[string]int{"/": 2, "/cart": 1})
	w.minute(shop, minute(31), future, tp1, 3, fresh(2, 5), map[string]int{"/": 3})
	w.minute(shop, minute(35), future, tp1, 2, fresh(0, 2), map[string]int{"/cart": 2})
	a := must[query.RealtimeAnswer](t)(w.Realtime(t.Context(), query.RealtimeParams{Site: shop}))
	const want = `{"siteId":"shop#1","from":"2026-05-12T14:31:00Z","to":"2026-05-12T14:36:00Z","pageViews":8,"events":9,` +
		`"currentVisitors":5,"botEvents":0,"botPageViews":0,"includesBots":false,"activePages":[{"page":"/","pageViews":5,"maxUndercount":0},{"page":"/cart","pageViews":3,"maxUndercount":0}],` +
		`"series":[{"start":"2026-05-12T14:30:00Z","pageViews":5,"events":5,"visitors":5,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T14:31:00Z","pageViews":6,"events":7,"visitors":5,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T14:32:00Z","pageViews":0,"events":0,"visitors":0,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T14:33:00Z","pageViews":0,"events":0,"visitors":0,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T14:34:00Z","pageViews":0,"events":0,"visitors":0,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T14:35:00Z","pageViews":2,"events":2,"visitors":2,"botEvents":0,"botPageViews":0}],` +
		`"expiredCount":1,"switchedOff":false}`
	if got := compact(t, a); got != want {
		t.Errorf("realtime:\n got %s\nwant %s", got, want)
	}
	a = must[query.RealtimeAnswer](t)(w.Realtime(t.Context(), query.RealtimeParams{Site: shop, At: minute(35), Pages: 1}))
	if a.Events != 12 || len(a.ActivePages) != 1 || !a.To.Equal(minute(35)) {
		t.Errorf("realtime before 14:35: %s; want 12 events of 14:30 to 14:34 and one page", compact(t, a))
	}
}
