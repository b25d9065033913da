package answers_test

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// TestHostsAreCountedInOneForm: a host counts as one however it is spelled, a referrer without "www." whatever follows, and a site's own
// pages are no spam. A table of an earlier release counts hosts as they are spelled. A recount of either finds no difference.
func TestHostsAreCountedInOneForm(t *testing.T) {
	t.Parallel()
	const spelled, coded = "münchen.example", "xn--mnchen-3ya.example"
	var records []record
	for i, e := range [][2]string{{"https://" + spelled + "/a", "https://" + coded + "/b"}, {"https://" + coded, "https://MÜNCHEN.example/"},
		{"https://shop.example/a", "http://www.intranet/x"}, {"https://shop.example/", "https://пример.рф"},
		{"https://blog.semalt.com/", "https://semalt.com/"}, {"/a", "https://" + spelled + "/b"}} {
		records = append(records, record{Key: "s", At: bubbleStart.Add(time.Minute), Value: mustJSON(map[string]any{"siteId": "s",
			"type": "page_view", "timestamp": bubbleStart.UnixMilli(), "id": fmt.Sprint(i), "visitorId": fmt.Sprint("v", i),
			"sessionId": fmt.Sprint("s", i), "url": e[0], "referrer": e[1]})})
	}
	for name, c := range map[string]struct {
		earlier       bool
		hosts, from   map[string]int64
		bots, foreign int64
	}{
		"the latest format": {false, map[string]int64{coded: 2, "shop.example": 2, "blog.semalt.com": 1},
			map[string]int64{"intranet": 1, "xn--e1afmkfd.xn--p1ai": 1, "semalt.com": 1}, 0, 3},
		"the first format": {true, map[string]int64{spelled: 1, coded: 1, "shop.example": 2},
			map[string]int64{coded: 1, "mÜnchen.example": 1, "www.intranet": 1, "пример.рф": 1}, 2, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 1, func(t *testing.T, w *world) {
				if c.earlier {
					testpipeline.MakeEarlier(t, w.Table)
				}
				w.Decide("s", &sites.Rules{Domains: []string{spelled}, Referrers: []string{spelled}})
				o := w.Options()
				w.Folded(o, records)
				for dimension, want := range map[string]map[string]int64{"hostname": c.hosts, "referrer": c.from} {
					a, err := query.New(w.Table, time.Now).Top(t.Context(), query.TopParams{Site: "s", Dimension: dimension, From: bubbleStart,
						To: bubbleStart.Add(time.Hour)})
					have := make(map[string]int64)
					for _, r := range a.Rows {
						have[r.Value] = r.Events
					}
					if err != nil || !maps.Equal(have, want) {
						t.Errorf("%s: %v, %v; want %v", dimension, have, err, want)
					}
				}
				for filter, want := range map[string]int64{"hostname=" + spelled: 2, "referrer=пример.рф": 1} {
					where, err := query.ParseConditions([]string{filter})
					if err != nil {
						t.Fatal(err)
					}
					reader, from, to := query.New(w.Table, time.Now), bubbleStart, bubbleStart.Add(time.Hour)
					for _, exact := range []bool{false, true} {
						a, err := reader.FilteredStats(t.Context(), query.FilteredStatsParams{Site: "s", From: from, To: to, By: query.Hour,
							FilterParams: query.FilterParams{Where: where, Exact: exact}})
						if err != nil || a.Totals.Events != want {
							t.Errorf("%s, exact %t: %+v, %v; want %d events", filter, exact, a.Totals, err, want)
						}
					}
					a, err := reader.Sessions(t.Context(), query.SessionsParams{Site: "s", From: from, To: to, Where: where})
					if err != nil || int64(len(a.Sessions)) != want {
						t.Errorf("%s: %d sessions, %v; want %d", filter, len(a.Sessions), err, want)
					}
				}
				day := sinks.Keys{}.DayStats("s", bubbleStart.UnixMilli())
				if bots, foreign := w.Stats(day, sinks.AttrBotEvents), w.Stats(day, sinks.AttrForeignEvents); bots != c.bots || foreign != c.foreign {
					t.Errorf("%d events of bots, %d elsewhere; want %d, %d", bots, foreign, c.bots, c.foreign)
				}
				w.Exact(o)
			})
		})
	}
}
