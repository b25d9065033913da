package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// flushed are sessions of an hour that a flush saw first, by id.
type flushed map[string]time.Time

// news puts the item of new sessions of a flush.
func (w *world) news(site, visitor string, tp sinks.TP, step int64, sessions flushed) {
	w.t.Helper()
	var entries []state.ListedSession
	last := int64(0)
	for id, opened := range sessions {
		entries = append(entries, state.ListedSession{Visitor: sinks.VisitorHash(visitor), OpenedAt: opened.UnixMilli(), Session: id})
		last = max(last, opened.UnixMilli())
	}
	slices.SortFunc(entries, state.ListedSession.Compare)
	w.put(w.keys.NewSessions(site, last, tp, step), future, sinks.Item{
		sinks.AttrListed: sinks.Bytes(state.AppendListed(nil, entries, last-last%time.Hour.Milliseconds(), tp))})
}

// TestNewSessionsAreAmongTheRecent: sessions of two partitions, a third of the flushes with items of recent sessions, come once each, in
// the order of minutes, on pages of any size in both directions. A visitor's are found in the same items.
func TestNewSessionsAreAmongTheRecent(t *testing.T) {
	for seed := range uint64(slow.Of(t, 1, 6)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		w := newWorld(t)
		w.site(shop, 4)
		opened := make(map[string]time.Time)
		for step := range int64(60) {
			tp := []sinks.TP{tp0, tp1}[rng.IntN(2)]
			minute := at(14 + rng.IntN(3)).Add(time.Duration(rng.IntN(60)) * time.Minute)
			sessions := make(flushed)
			for i := range 1 + rng.IntN(4) {
				when := minute.Add(-time.Duration(rng.IntN(10))*time.Minute + time.Duration(rng.IntN(60_000))*time.Millisecond)
				if when.Hour() != minute.Hour() {
					when = minute
				}
				id := fmt.Sprintf("s-%02d-%d", step, i)
				sessions[id], opened[id] = when, when
				w.session(shop, id, when, future, tp, "v", "")
			}
			if rng.IntN(3) > 0 {
				w.news(shop, "v", tp, step, sessions)
				continue
			}
			for id, when := range sessions {
				w.recent(shop, when.Truncate(time.Minute), future, tp, 100*step+int64(id[len(id)-1]), id)
				w.listed(shop, "v", id, when.UnixMilli(), future, tp)
			}
		}
		for _, visitor := range []string{"", "v"} {
			for _, desc := range []bool{false, true} {
				for _, limit := range []int{1, 7, 1000} {
					p := query.SessionsParams{Site: shop, Visitor: visitor, Paging: query.Paging{Limit: limit, Desc: desc}}
					w.inOrder(fmt.Sprintf("seed %d, visitor %q, descending %v, limit %d", seed, visitor, desc, limit), p, opened)
				}
			}
		}
		from, to := at(14).Add(7*time.Minute), at(15).Add(3*time.Minute)
		within := make(map[string]time.Time)
		for id, when := range opened {
			if !when.Before(from) && when.Before(to) {
				within[id] = when
			}
		}
		for _, desc := range []bool{false, true} {
			w.inOrder(fmt.Sprintf("seed %d, a range, descending %v", seed, desc), query.SessionsParams{Site: shop, From: from, To: to,
				Paging: query.Paging{Limit: 5, Desc: desc}}, within)
		}
	}
}

// inOrder checks that the pages of a list have each session once, in the order of minutes.
func (w *world) inOrder(what string, p query.SessionsParams, opened map[string]time.Time) {
	w.t.Helper()
	rows, _, _ := pages(w.t, p.Limit, func(cursor string) ([]query.Session, int, string, error) {
		p.Cursor = cursor
		a, err := w.Sessions(w.t.Context(), p)
		return a.Sessions, a.ExpiredOmitted, a.Cursor, err
	})
	seen := make(map[string]bool)
	for i, row := range rows {
		if seen[row.SessionID] || opened[row.SessionID].IsZero() {
			w.t.Errorf("%s: session %s is there twice, or should not be there", what, row.SessionID)
		}
		seen[row.SessionID] = true
		if i == 0 {
			continue
		}
		a, b := rows[i-1].OpenedAt.Truncate(time.Minute), row.OpenedAt.Truncate(time.Minute)
		if p.Desc {
			a, b = b, a
		}
		if a.After(b) {
			w.t.Errorf("%s: session %s comes before %s", what, rows[i-1].SessionID, row.SessionID)
		}
	}
	if len(rows) != len(opened) {
		w.t.Errorf("%s: %d sessions, want %d", what, len(rows), len(opened))
	}
}

// TestNewSessionsOfTwoDaysAreRecent: items of new sessions are kept as long as sessions are. The list of recent sessions ends after two
// days all the same.
func TestNewSessionsOfTwoDaysAreRecent(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 4)
	end := now.Truncate(time.Minute).Add(-48 * time.Hour)
	for i, when := range []time.Time{end.Add(-time.Minute), end.Add(time.Second), end.Add(time.Minute)} {
		id := fmt.Sprint("s", i)
		w.session(shop, id, when, future, tp0, "v", "")
		w.news(shop, "v", tp0, int64(i), flushed{id: when})
	}
	a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop}))
	if got, want := ids(a.Sessions), []string{"s1", "s2"}; !slices.Equal(got, want) {
		t.Errorf("recent sessions %q, want %q", got, want)
	}
	a = must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "v"}))
	if got, want := ids(a.Sessions), []string{"s0", "s1", "s2"}; !slices.Equal(got, want) {
		t.Errorf("sessions of the visitor %q, want %q", got, want)
	}
}

// TestSessionInBothKindsOfItemsComesOnce: a flush that is repeated after an erasure may list in another item what it had listed before.
func TestSessionInBothKindsOfItemsComesOnce(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 4)
	w.session(shop, "s", at(9), future, tp0, "v", "")
	w.session(shop, "t", at(9).Add(time.Second), future, tp0, "v", "")
	w.recent(shop, at(9), future, tp0, 7, "s", "t")
	w.news(shop, "v", tp0, 7, flushed{"s": at(9), "t": at(9).Add(time.Second)})
	w.news(shop, "v", tp0, 7, flushed{"s": at(9), "u": at(9).Add(time.Minute)})
	for _, desc := range []bool{false, true} {
		a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Paging: query.Paging{Desc: desc}}))
		got := ids(a.Sessions)
		slices.Sort(got)
		if want := "s t"; strings.Join(got, " ") != want {
			t.Errorf("descending %v: recent sessions %q, want %q", desc, got, want)
		}
	}
}

// countingAtOnce counts the queries that reach a table, several at a time.
type countingAtOnce struct {
	sinks.Table
	queries atomic.Int64
}

func (c *countingAtOnce) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	c.queries.Add(1)
	return c.Table.Query(ctx, q)
}

// TestNewestSessionsReadLittle: the page of a dashboard reads no more items of new sessions than it has to, however many a day has.
func TestNewestSessionsReadLittle(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 4)
	for i := range 600 { // One a minute, in the flush of that minute.
		when := at(10).Add(time.Duration(i) * time.Minute)
		w.session(shop, fmt.Sprint("s", i), when, future, tp0, "v", "")
		w.news(shop, "v", tp0, int64(i), flushed{fmt.Sprint("s", i): when})
	}
	asked := &countingAtOnce{Table: w.table}
	r := query.NewOf(asked, w.keys, func() time.Time { return now })
	a := must[query.SessionsAnswer](t)(r.Sessions(t.Context(), query.SessionsParams{Site: shop, Paging: query.Paging{Limit: 5, Desc: true}}))
	if got, want := ids(a.Sessions), []string{"s599", "s598", "s597", "s596", "s595"}; !slices.Equal(got, want) {
		t.Errorf("sessions %q, want %q", got, want)
	}
	if n := asked.queries.Load(); n != 2 {
		t.Errorf("%d queries, want one of either kind of items", n)
	}
}
