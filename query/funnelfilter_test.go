package query_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
)

// testFunnelFilterBound: what a funnel under filters by whole sessions keeps is bounded. It keeps the events since the oldest session that
// has not ended, not those of the whole range.
func testFunnelFilterBound(t *testing.T, w *world) {
	w.site(shop, 16)
	w.funnel(shop, "buy", false, "page:/", "page:/cart")
	n := 0
	visit := func(from time.Time, visits int) {
		for range visits {
			n++
			visitor, at := fmt.Sprint("visitor ", n), from.Add(time.Duration(n)*time.Second)
			w.view(visitor, "/", at, 2*n, nil)
			w.view(visitor, "/cart", at.Add(time.Minute), 2*n+1, nil)
		}
	}
	for hour := range 12 {
		visit(at(hour), 3)
	}
	ask := func() (query.FunnelReportAnswer, error) {
		return w.FunnelReport(t.Context(), query.FunnelReportParams{Site: shop, Funnel: "buy", From: at(0), To: at(14), Consistent: true,
			Where: must[[]query.Condition](t)(query.ParseConditions([]string{"exit=/cart"}))})
	}
	query.BoundWaitingEvents(t, 60)
	if a, err := ask(); err != nil || visitorsOf(a) != "36 36" {
		t.Errorf("3 visits an hour: %v, visitors %s; want 36 36", err, visitorsOf(a))
	}
	visit(at(12), 11) // An event that waits for its session and for the funnel takes as much as three.
	_, err := ask()
	const remedy = "more than 20 events would have to be kept until the exit pages or goals of their sessions are known: ask for a " +
		"shorter range"
	if wrong, ok := errors.AsType[*query.ParamError](err); !ok || wrong.Param != "where" || wrong.Remedy != remedy {
		t.Errorf("11 visits at once: %v, want it to say %s", err, remedy)
	}
}
