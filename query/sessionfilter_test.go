package query_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// testSessionsOfUnknownValues: an empty value selects sessions without a value. A session whose value is unknown does not pass.
func testSessionsOfUnknownValues(t *testing.T, w *world) {
	w.site(shop, 16)
	booked := state.Session{OpenedAt: at(3).UnixMilli(), StartedAt: at(3).UnixMilli(), EndedAt: at(3).UnixMilli(), PageViews: 1, Events: 1}
	bookedNowhere, erased, direct := booked, booked, booked
	bookedNowhere.Booked = state.NotBooked
	bookedNowhere.Entry = state.PageVisit{Page: "/", At: booked.OpenedAt}
	bookedNowhere.Exit = bookedNowhere.Entry
	erased.Erase()
	direct.First = &state.Values{sketch.Country: "DE"}
	for name, s := range map[string]state.Session{"silent": booked, "nowhere": bookedNowhere, "erased": erased, "direct": direct} {
		w.listed(shop, "zoe", name, s.OpenedAt, future, tp0)
		w.put(w.keys.Session(shop, name, tp0, sinks.DefaultShards), future, sinks.Item{
			sinks.AttrVisitorID: sinks.Str(sinks.CompactID("zoe")), sinks.AttrCur: sinks.Bytes(s.AppendBinary(nil, &state.Session{}))})
	}
	for where, want := range map[string]string{
		"referrer=": "direct silent", "referrer!=": "", "country=": "silent", "country!=": "direct", "entry=": "direct silent",
		"entry!=": "nowhere", "exit=": "direct silent", "exit!=": "nowhere", "country!=FR": "direct erased nowhere silent",
		`referrer="",x`: "direct silent", `country="",FR`: "silent", "country=FR,DE": "direct", `country!="",FR`: "direct",
		"country!=FR,IT": "direct erased nowhere silent",
	} {
		a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "zoe", From: at(0), To: now,
			Where: must[[]query.Condition](t)(query.ParseConditions([]string{where}))}))
		var ids []string
		for _, s := range a.Sessions {
			ids = append(ids, s.SessionID)
		}
		if have := strings.Join(slices.Sorted(slices.Values(ids)), " "); have != want {
			t.Errorf("%s: sessions %q, want %q", where, have, want)
		}
	}
}
