package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// ids are the ids of sessions, with the partition of those of tp1.
func ids(sessions []query.Session) []string {
	var ids []string
	for _, s := range sessions {
		id := s.SessionID
		if s.Partition == tp1.String() {
			id += "@" + s.Partition
		}
		ids = append(ids, id)
	}
	return ids
}

func testRecentSessions(t *testing.T, w *world) {
	w.site(shop, 16)
	var want []string
	for i := range 60 { // Three sessions a minute from 14:00 on, in items of two partitions.
		opened := at(14).Add(time.Duration(i/3)*time.Minute + time.Duration(i%3)*time.Second)
		id, tp, ttl := fmt.Sprintf("s#%02d", i), tp0, future
		if i%3 == 2 {
			tp = tp1
		}
		if i == 31 {
			ttl = past
		} else if tp == tp1 {
			want = append(want, id+"@1_17")
		} else {
			want = append(want, id)
		}
		w.session(shop, id, opened, ttl, tp, "", "")
	}
	for i := 0; i < 60; i += 3 {
		m := at(14).Add(time.Duration(i/3) * time.Minute)
		w.recent(shop, m, future, tp0, 7, fmt.Sprintf("s#%02d", i), fmt.Sprintf("s#%02d", i+1))
		w.recent(shop, m, past, sinks.TP{Topic: 1, Partition: 9}, 7, "expired with its list")
		w.recent(shop, m, future, tp1, 7, fmt.Sprintf("s#%02d", i+2), fmt.Sprintf("lost %d", i)) // Not written yet.
	}
	slices.Reverse(want)
	for _, limit := range []int{3, 100} {
		rows, expired, count := pages(t, limit, func(cursor string) ([]query.Session, int, string, error) {
			a, err := w.Sessions(t.Context(), query.SessionsParams{Site: shop, Consistent: true, Paging: query.Paging{Limit: limit, Desc: true,
				Cursor: cursor}})
			return a.Sessions, a.ExpiredOmitted, a.Cursor, err
		})
		got := ids(rows)
		if limit == 3 { // Within a minute the order holds on a page only.
			if count < 20 {
				t.Errorf("%d pages of 59 sessions, 3 a page", count)
			}
			for i := range rows[1:] {
				if rows[i+1].OpenedAt.Truncate(time.Minute).After(rows[i].OpenedAt.Truncate(time.Minute)) {
					t.Errorf("%s comes before %s, of a later minute", rows[i].SessionID, rows[i+1].SessionID)
				}
			}
			slices.SortFunc(got, func(a, b string) int { return strings.Compare(b, a) })
		}
		if !slices.Equal(got, want) || expired != 21 {
			t.Errorf("limit %d: sessions %q, %d expired; want %q, 21 expired", limit, got, expired, want)
		}
	}
	a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, From: at(14).Add(90 * time.Second),
		To: at(14).Add(3 * time.Minute)}))
	if got, want := ids(a.Sessions), []string{"s#03", "s#04", "s#05@1_17", "s#06", "s#07", "s#08@1_17"}; !slices.Equal(got, want) {
		t.Errorf("sessions of two minutes, oldest first: %q, want %q", got, want)
	}
}

func testIndexedSessions(t *testing.T, w *world) {
	w.site(shop, 16)
	var want []string
	for i := range 25 {
		id, ttl := fmt.Sprintf("s%02d", i), future
		if i == 4 {
			ttl = past
		} else {
			want = append(want, id)
		}
		w.session(shop, id, at(i), ttl, tp0, "v#1", "u%1")
	}
	w.session(shop, "other", at(1), future, tp0, "v", "u")
	for _, p := range []query.SessionsParams{{User: "u%1"}, {Visitor: "v#1"}} {
		for _, desc := range []bool{false, true} {
			rows, expired, _ := pages(t, 10, func(cursor string) ([]query.Session, int, string, error) {
				p.Site, p.Paging = shop, query.Paging{Limit: 10, Desc: desc, Cursor: cursor}
				a, err := w.Sessions(t.Context(), p)
				return a.Sessions, a.ExpiredOmitted, a.Cursor, err
			})
			got := ids(rows)
			if desc {
				slices.Reverse(got)
			}
			if !slices.Equal(got, want) || expired != 1 {
				t.Errorf("user %q visitor %q desc %v: sessions %q, %d expired; want %q, 1 expired", p.User, p.Visitor, desc, got, expired, want)
			}
		}
	}
	a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, User: "u%1", From: at(2), To: at(6)}))
	if got, want := ids(a.Sessions), []string{"s02", "s03", "s05"}; !slices.Equal(got, want) {
		t.Errorf("sessions of a user in [2:00, 6:00): %q, want %q", got, want)
	}
}

// testTiedSessions: sessions that share a sort key of an index come on one page, however short that is.
func testTiedSessions(t *testing.T, w *world) {
	w.site(shop, 16)
	want := []string{"0", "1", "2", "3", "4"}
	for i, id := range want {
		w.session(shop, id, at(i/2), future, tp0, "", "twin")
		set := []sinks.Attr{{Name: sinks.AttrGSI1SK, Value: sinks.Str(sinks.InstantBound(at(i/2).UnixMilli()) + "#AAAAAAAA")}}
		if _, err := w.table.Update(t.Context(), sinks.Update{Key: w.keys.Session(shop, id, tp0, sinks.DefaultShards), Set: set}); err != nil {
			t.Fatal(err)
		}
	}
	for _, desc := range []bool{false, true} {
		for limit, wanted := range map[int]int{1: 3, 3: 2, 100: 1} {
			rows, _, count := pages(t, len(want), func(cursor string) ([]query.Session, int, string, error) {
				a, err := w.Sessions(t.Context(), query.SessionsParams{Site: shop, User: "twin", Paging: query.Paging{Limit: limit, Desc: desc,
					Cursor: cursor}})
				return a.Sessions, 0, a.Cursor, err
			})
			got := ids(rows)
			slices.Sort(got)
			if !slices.Equal(got, want) || count != wanted {
				t.Errorf("%d sessions a page, desc %v: %q on %d pages, want %q on %d", limit, desc, got, count, want, wanted)
			}
		}
	}
}

// testListedSessions: lists by visitor may name a session again, one whose item is gone, and one of another visitor with the same hash.
func testListedSessions(t *testing.T, w *world) {
	w.site(shop, 16)
	for i := range 3 {
		w.session(shop, fmt.Sprint("s", i), at(9).Add(time.Duration(i)*time.Minute), future, tp0, "v", "")
	}
	w.session(shop, "s1", at(9).Add(time.Second), future, tp1, "v", "")
	w.session(shop, "stranger", at(9), future, tp0, "w", "")
	for id, opened := range map[string]time.Time{"s1": at(9).Add(time.Minute), "lost": at(9), "stranger": at(9)} {
		w.listed(shop, "v", id, opened.UnixMilli(), past, tp0) // A list that has expired may name what has not.
	}
	for limit, want := range map[int]string{1: "s0 s1@1_17 s1 s2", 2: "s0 s1@1_17 s1 s2", 9: "s0 s1@1_17 s1 s2"} {
		rows, _, _ := pages(t, limit, func(cursor string) ([]query.Session, int, string, error) {
			a, err := w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "v", From: at(9), To: at(10), Paging: query.Paging{
				Limit: limit, Cursor: cursor}})
			return a.Sessions, 0, a.Cursor, err
		})
		if got := strings.Join(ids(rows), " "); got != want {
			t.Errorf("limit %d: sessions %s, want %s", limit, got, want)
		}
	}
	a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "v", From: at(9).Add(time.Second),
		To: at(9).Add(2 * time.Minute)}))
	if got := strings.Join(ids(a.Sessions), " "); got != "s1@1_17 s1" {
		t.Errorf("sessions within two minutes: %s, want s1@1_17 s1", got)
	}
}

func testSession(t *testing.T, w *world) {
	w.site(shop, 16)
	w.session(shop, "s#1", at(9), future, tp0, "v1", "")
	w.session(shop, "s#1", at(9).Add(time.Minute), future, tp1, "v1", "u1")
	w.session(shop, "s#1", at(8), past, sinks.TP{Topic: 2}, "v1", "")
	w.session(shop, "s", at(7), future, tp0, "v1", "")
	w.session(shop, "s#11", at(7), future, tp0, "v1", "")
	a := must[query.SessionAnswer](t)(w.Session(t.Context(), query.SessionParams{Site: shop, Session: "s#1"}))
	if got := ids(a.Parts); !slices.Equal(got, []string{"s#1", "s#1@1_17"}) || a.ExpiredOmitted != 1 {
		t.Errorf("parts %q, %d expired; want two parts, 1 expired", got, a.ExpiredOmitted)
	}
	if !a.Found || !a.StartedAt.Equal(at(9)) || a.DurationMs != 150_000 || a.PageViews != 4 || a.Events != 6 {
		t.Errorf("session %s; want 4 page views and 6 events in the 150 s from 9:00 on", compact(t, a))
	}
	a = must[query.SessionAnswer](t)(w.Session(t.Context(), query.SessionParams{Site: shop, Session: "nobody"}))
	if a.Found || !a.SiteKnown || a.StartedAt != nil {
		t.Errorf("unknown session: %s; want it not found at a known site", compact(t, a))
	}
}
