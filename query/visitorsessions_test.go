package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sinktest"
)

// TestPageOfAVisitorIsBounded: lists name the sessions of all visitors, so a page ends after the hour in which it has read 10,000 items,
// and the next begins with the hour that follows.
func TestPageOfAVisitorIsBounded(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 4)
	var want []string
	for i, when := range []time.Time{at(5), at(6).Add(-time.Millisecond), at(6), at(7).Add(-time.Millisecond), at(7), at(8)} {
		want = append(want, fmt.Sprint("s", i))
		w.session(shop, want[i], when, future, tp0, "v", "")
	}
	for hour := 5; hour < 8; hour++ {
		w.listsOfOthers(hour, 6000)
	}
	for _, desc := range []bool{false, true} {
		var sizes []int
		all, _, count := pages(t, 100, func(cursor string) ([]query.Session, int, string, error) {
			a, err := w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "v", Paging: query.Paging{Desc: desc, Cursor: cursor}})
			sizes = append(sizes, len(a.Sessions))
			return a.Sessions, a.ExpiredOmitted, a.Cursor, err
		})
		if !slices.Equal(ids(all), want) {
			t.Errorf("descending %v: %q, want %q", desc, ids(all), want)
		}
		if count != 2 { // Two hours of 6,000 items, and the rest.
			t.Errorf("descending %v: pages of %v sessions, want 2 pages", desc, sizes)
		}
		slices.Reverse(want)
	}
	for hour := 9; hour < 11; hour++ { // None of the visitor.
		w.listsOfOthers(hour, 6000)
	}
	a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, Visitor: "v", From: at(9), To: at(12)}))
	if len(a.Sessions) > 0 || a.Cursor != "" { // The range ends with the second hour.
		t.Errorf("an empty range has %q and cursor %q", ids(a.Sessions), a.Cursor)
	}
}

// listsOfOthers puts a number of items that list sessions of another visitor as opened in an hour.
func (w *world) listsOfOthers(hour, n int) {
	w.t.Helper()
	ms := at(hour).UnixMilli()
	entries := []state.ListedSession{{Visitor: sinks.VisitorHash("another"), OpenedAt: ms, Session: "other"}}
	var items []sinks.Item
	for i := range n {
		key := w.keys.VisitorSessions(shop, sinks.VisitorBucket{}, ms, tp0, 1000+int64(i), 0)
		items = append(items, sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrListed: sinks.Bytes(state.AppendListed(nil, entries, ms, tp0))})
	}
	for some := range slices.Chunk(items, sinks.MaxBatchPut) {
		if _, err := w.table.BatchPut(w.t.Context(), sinktest.Batch(some...)); err != nil {
			w.t.Fatal(err)
		}
	}
}
