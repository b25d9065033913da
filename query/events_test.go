package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

func testSessionEvents(t *testing.T, w *world) {
	w.site(shop, 4)
	w.session(shop, "s1", at(9), future, tp0, "v1", "")
	for i := range 40 { // Every other event is of a session in the same shard, if there is one.
		session := "s1"
		if i%2 == 1 {
			session = fmt.Sprint("other ", i)
		}
		w.event(shop, 4, session, at(9).Add(time.Duration(i)*2*time.Second), future, i, nil)
	}
	w.event(shop, 4, "s1", at(9).Add(81*time.Second), past, 100, nil)
	w.event(shop, 4, "s1", at(9).Add(91*time.Second), future, 101, nil) // Behind the session's end.
	rows, expired, count := pages(t, 6, func(cursor string) ([]query.Event, int, string, error) {
		a, err := w.Events(t.Context(), query.EventsParams{Site: shop, Session: "s1", Paging: query.Paging{Limit: 6, Cursor: cursor}})
		return a.Events, a.ExpiredOmitted, a.Cursor, err
	})
	if len(rows) != 20 || expired != 1 || count != 4 {
		t.Errorf("%d events on %d pages, %d expired; want 20 on 4 pages, 1 expired", len(rows), count, expired)
	}
	for i, e := range rows {
		if e.SessionID != "s1" || e.ID != fmt.Sprint("e", 2*i) {
			t.Errorf("event %d is %s of session %s", i, e.ID, e.SessionID)
		}
	}
	a := must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop, Session: "s1", From: at(9).Add(4 * time.Second),
		To: at(9).Add(8 * time.Second)}))
	if len(a.Events) != 1 || a.Events[0].ID != "e2" {
		t.Errorf("events of s1 in [9:00:04, 9:00:08): %s, want e2", compact(t, a.Events))
	}
}

func testEvents(t *testing.T, w *world) {
	w.site(shop, 16)
	var want []string
	for i := range 100 {
		ttl := future
		if i%10 == 3 {
			ttl = past
		} else {
			want = append(want, fmt.Sprint("e", i))
		}
		more := sinks.Item{}
		if i%5 == 0 {
			more["type"] = sinks.Str("click")
		}
		w.event(shop, 16, fmt.Sprint("session ", i%23), at(9).Add(time.Duration(i)*time.Second), ttl, i, more)
	}
	w.event(shop, 16, "s", at(9).Add(-time.Millisecond), future, 200, nil)
	w.event(shop, 16, "s", at(10), future, 201, nil)
	for _, limit := range []int{7, 90, 1000} {
		for _, desc := range []bool{false, true} {
			rows, expired, count := pages(t, limit, func(cursor string) ([]query.Event, int, string, error) {
				a, err := w.Events(t.Context(), query.EventsParams{Site: shop, From: at(9), To: at(10), Paging: query.Paging{Limit: limit, Desc: desc,
					Cursor: cursor}})
				return a.Events, a.ExpiredOmitted, a.Cursor, err
			})
			var got []string
			for _, e := range rows {
				got = append(got, e.ID)
			}
			if desc {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) || expired != 10 || count != (90+limit-1)/limit {
				t.Errorf("limit %d desc %v: %d pages, %d expired, events %q; want %d pages, 10 expired, %q", limit, desc, count, expired, got,
					(90+limit-1)/limit, want)
			}
		}
	}
	a := must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop, From: at(9), To: at(10), Type: "click"}))
	if len(a.Events) != 20 {
		t.Errorf("%d clicks, want 20", len(a.Events))
	}
}
