package query_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/query"
)

func testUniques(t *testing.T, w *world) {
	w.shopHours()
	ask := func(from, to time.Time) query.UniquesAnswer {
		return must[query.UniquesAnswer](t)(w.Uniques(t.Context(), query.UniquesParams{Site: shop, From: from, To: to}))
	}
	if a := ask(at(10), at(13)); a.UniqueVisitors != 35 || !a.Exact || a.Hours != 2 || a.Events != 95 || a.ExpiredOmitted != 2 {
		t.Errorf("uniques %s, want exactly 35 in 2 hours with 95 events, 2 items expired", compact(t, a))
	}
	if a := ask(at(11).Add(time.Minute), at(11).Add(2*time.Minute)); a.UniqueVisitors != 15 || !a.From.Equal(at(11)) || !a.To.Equal(at(12)) {
		t.Errorf("uniques %s, want 15 in the one hour that holds the range", compact(t, a))
	}
	// Many visitors over few events: estimates may not pass the events.
	w.part(shop, at(13), future, tp0, small(1000, 6000))
	w.hour(shop, at(13), future, 0, 4000, 0, nil)
	if a := ask(at(13), at(14)); a.UniqueVisitors != 4000 || a.Exact {
		t.Errorf("uniques %s, want an estimate of 4000, the number of events", compact(t, a))
	}
}
