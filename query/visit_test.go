package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// testVisit: everything about a visit is found by its id alone, in its visitor's shard.
func testVisit(t *testing.T, w *world) {
	w.site(shop, 4)
	w.topic("events", tp0.Topic)
	w.topic("others", 2)
	visit := sinks.VisitID{Visitor: sinks.VisitorHash("v#1"), TP: tp0, Position: 4711}.String()
	w.session(shop, visit, at(9), future, tp0, "v#1", "")
	w.recent(shop, at(9), future, tp0, 7, visit)
	put := func(n int, when time.Time, ttl time.Time, more sinks.Item) {
		more[sinks.AttrVisitorID] = sinks.Str("v#1")
		if more[sinks.AttrSessionID].Kind() == sinks.None {
			more[sinks.AttrSessionID] = sinks.Value{}
		}
		w.event(shop, 4, "v#1", when, ttl, n, more)
	}
	for i := range 31 { // Every third second of the visit's 90.
		put(i, at(9).Add(time.Duration(i)*3*time.Second), future, sinks.Item{})
	}
	put(100, at(9).Add(time.Second), past, sinks.Item{})
	put(101, at(9).Add(-time.Second), future, sinks.Item{}) // Before the visit.
	put(102, at(9).Add(91*time.Second), future, sinks.Item{})
	put(103, at(9).Add(time.Second), future, sinks.Item{sinks.AttrSessionID: sinks.Str("s")}) // In a session.
	put(104, at(9).Add(time.Second), future, sinks.Item{"source": sinks.Str("events/1/17")})  // Another partition's.
	put(106, at(9).Add(time.Second), future, sinks.Item{"source": sinks.Str("others/0/17")})  // Another topic's.
	for i, bot := range []string{"agent", "referrer", "rate"} {                               // By whatever list.
		put(107+i, at(9).Add(time.Second), future, sinks.Item{sinks.AttrBot: sinks.Str(bot)})
	}
	w.event(shop, 4, "v#1", at(9).Add(time.Second), future, 105, sinks.Item{sinks.AttrSessionID: {}, // Another visitor's.
		sinks.AttrVisitorID: sinks.Str("v#2")})
	rows, expired, count := pages(t, 6, func(cursor string) ([]query.Event, int, string, error) {
		a, err := w.Events(t.Context(), query.EventsParams{Site: shop, Session: visit, Paging: query.Paging{Limit: 6, Cursor: cursor}})
		return a.Events, a.ExpiredOmitted, a.Cursor, err
	})
	if len(rows) != 31 || expired != 1 || count != 6 {
		t.Errorf("%d events on %d pages, %d expired; want 31 on 6 pages, 1 expired", len(rows), count, expired)
	}
	for i, e := range rows {
		if e.ID != fmt.Sprint("e", i) {
			t.Errorf("event %d is %s", i, e.ID)
		}
	}
	a := must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop, Session: visit, From: at(8),
		To: at(9).Add(4 * time.Second)}))
	if len(a.Events) != 2 {
		t.Errorf("events of the visit in [8:00, 9:00:04): %s, want e0 and e1", compact(t, a.Events))
	}
	one := must[query.SessionAnswer](t)(w.Session(t.Context(), query.SessionParams{Site: shop, Session: visit}))
	recent := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, From: at(9), To: at(10)}))
	ofVisitor := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "v#1"}))
	for where, got := range map[string][]query.Session{"by its id": one.Parts, "as recent": recent.Sessions,
		"of the visitor": ofVisitor.Sessions} {
		if !slices.Equal(ids(got), []string{visit}) || got[0].VisitorID != "v#1" {
			t.Errorf("%s: %s, want the visit", where, compact(t, got))
		}
	}
	unknown := sinks.VisitID{Visitor: sinks.VisitorHash("v#1"), TP: sinks.TP{Topic: 9}, Position: 4711}
	w.session(shop, unknown.String(), at(9), future, unknown.TP, "v#1", "")
	if a = must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop, Session: unknown.String()})); len(a.Events) > 0 {
		t.Errorf("events of a visit of a topic that the table does not know: %s", compact(t, a.Events))
	}
	if a = must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop,
		Session: sinks.VisitID{TP: tp0}.String()})); len(a.Events) > 0 {
		t.Errorf("events of a visit that is not there: %s", compact(t, a.Events))
	}
}
