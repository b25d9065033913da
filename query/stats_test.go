package query_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// shopHours puts three hours. Hour 10 has visitors 0..29, seen by two partitions. One of the two has outgrown the stats item and left its
// first part there. Hour 11 has visitors 20..34, and hour 12 has expired.
func (w *world) shopHours() {
	w.site(shop, 16)
	w.hour(shop, at(10), future, 60, 80, 20, map[sinks.TP]sinks.Value{tp0: small(0, 10), tp1: small(0, 16)})
	w.part(shop, at(10), future, tp1, small(0, 30))
	w.hour(shop, at(11), future, 0, 15, 0, map[sinks.TP]sinks.Value{tp0: small(20, 35)})
	w.hour(shop, at(12), past, 7, 7, 7, map[sinks.TP]sinks.Value{tp0: small(90, 97)})
	w.part(shop, at(12), past, tp0, small(90, 120))
}

func testStatsMergeVisitors(t *testing.T, w *world) {
	w.shopHours()
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: at(10).Add(time.Minute),
		To: at(13).Add(time.Minute), Consistent: true}))
	const want = `{"siteId":"shop#1","by":"hour","timeZone":"UTC","from":"2026-05-12T10:00:00Z","to":"2026-05-12T14:00:00Z","buckets":[` +
		`{"start":"2026-05-12T10:00:00Z","end":"2026-05-12T11:00:00Z","clippedByRange":false,"inProgress":false,"dataExpired":false,"completeThrough":null,"final":false,"pageViews":60,"events":80,"uniqueVisitors":30,"uniqueVisitorsError":0,"newVisitors":null,"returningVisitors":null,"returningVisitorsError":0,"sessions":20,"bounces":6,"bounceRate":0.3,` +
		`"engaged":10,"engagementRate":0.5,"durationMs":1200000,"avgDurationMs":60000,"pagesPerSession":3,"values":20,"valueSum":"50","valueMin":"-0.5","valueMax":"12","conversions":0,"foreignEvents":0,"overBudgetEvents":0,"excludedEvents":0,"excludedPageViews":0,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T11:00:00Z","end":"2026-05-12T12:00:00Z","clippedByRange":false,"inProgress":false,"dataExpired":false,"completeThrough":null,"final":false,"pageViews":0,"events":15,"uniqueVisitors":15,"uniqueVisitorsError":0,"newVisitors":null,"returningVisitors":null,"returningVisitorsError":0,"sessions":0,"bounces":0,"bounceRate":null,` +
		`"engaged":0,"engagementRate":null,"durationMs":0,"avgDurationMs":null,"pagesPerSession":null,"values":0,"valueSum":"0","valueMin":null,"valueMax":null,"conversions":0,"foreignEvents":0,"overBudgetEvents":0,"excludedEvents":0,"excludedPageViews":0,"botEvents":0,"botPageViews":0}],` +
		`"inProgress":false,"totals":{"pageViews":60,"events":95,"uniqueVisitors":35,"uniqueVisitorsError":0,"newVisitors":null,"returningVisitors":null,"returningVisitorsError":0,"sessions":20,"bounces":6,"bounceRate":0.3,` +
		`"engaged":10,"engagementRate":0.5,"durationMs":1200000,"avgDurationMs":60000,"pagesPerSession":3,"values":20,"valueSum":"50","valueMin":"-0.5","valueMax":"12","conversions":0,"foreignEvents":0,"overBudgetEvents":0,"excludedEvents":0,"excludedPageViews":0,"botEvents":0,"botPageViews":0},` +
		`"dataExpired":false,"includesBots":false,"expiredCount":2,"cursor":"","completeThrough":null,"final":false,"warnings":[]}`
	if got := compact(t, a); got != want {
		t.Errorf("stats:\n got %s\nwant %s", got, want)
	}
}

func testStatsByDay(t *testing.T, w *world) {
	w.shopHours()
	day := at(0)
	w.hour(shop, day, future, 0, 2, 0, map[sinks.TP]sinks.Value{tp1: small(36, 38)})
	w.day(shop, day, future, 60, 97, 20)
	// The day before: one visitor of today's, and one who came twice that day.
	w.hour(shop, day.Add(-3*time.Hour), future, 2, 2, 1, map[sinks.TP]sinks.Value{tp0: small(34, 36)})
	w.hour(shop, day.Add(-time.Hour), future, 1, 1, 1, map[sinks.TP]sinks.Value{tp1: small(35, 36)})
	w.day(shop, day.AddDate(0, 0, -1), future, 3, 3, 2)
	for _, desc := range []bool{false, true} {
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: day.AddDate(0, 0, -2), By: query.Day,
			Paging: query.Paging{Desc: desc}}))
		var got []string
		for _, b := range a.Buckets {
			got = append(got, fmt.Sprint(b.Start.Format(time.DateOnly), " events ", b.Events, " visitors ", *b.UniqueVisitors))
		}
		want := []string{"2026-05-11 events 3 visitors 2", "2026-05-12 events 97 visitors 37"}
		if desc {
			slices.Reverse(want)
		}
		if !slices.Equal(got, want) {
			t.Errorf("desc %v: days %q, want %q", desc, got, want)
		}
		if a.Totals.Events != 100 || *a.Totals.UniqueVisitors != 38 || a.ExpiredOmitted != 2 {
			t.Errorf("desc %v: totals %s, %d expired; want 100 events of 38 visitors, 2 expired", desc, compact(t, a.Totals), a.ExpiredOmitted)
		}
	}
}

func testStatsPages(t *testing.T, w *world) {
	w.site(shop, 16)
	var want []string
	for i := range 30 {
		start := at(0).Add(time.Duration(i-30) * time.Hour)
		if i%4 != 3 { // Hours in which nothing happened have no row.
			w.hour(shop, start, future, 1, int64(i+1), 1, map[sinks.TP]sinks.Value{tp0: small(i, i+2)})
			want = append(want, fmt.Sprint(start.Format("2006-01-02T15"), " ", i+1))
		}
	}
	for _, desc := range []bool{false, true} {
		rows, _, count := pages(t, 7, func(cursor string) ([]query.Bucket, int, string, error) {
			p := query.StatsParams{Site: shop, From: at(-31), To: now, Paging: query.Paging{Limit: 7, Desc: desc, Cursor: cursor}}
			if cursor != "" {
				p.From, p.To = now, now.Add(time.Hour) // The first page's range holds.
			}
			a, err := w.Stats(t.Context(), p)
			if (a.Totals != nil) != (cursor == "") {
				t.Errorf("desc %v: totals %v on the page of cursor %q: want them on the first page only", desc, a.Totals, cursor)
			}
			if a.Totals != nil && (a.Totals.Sessions != 23 || *a.Totals.UniqueVisitors != 31) {
				t.Errorf("desc %v: totals %s: want those of the range, 23 sessions of 31 visitors", desc, compact(t, a.Totals))
			}
			return a.Buckets, 0, a.Cursor, err
		})
		var got []string
		for _, b := range rows {
			got = append(got, fmt.Sprint(b.Start.Format("2006-01-02T15"), " ", b.Events))
		}
		if desc {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) || count != 4 {
			t.Errorf("desc %v: %d pages of rows %q, want 4 of %q", desc, count, got, want)
		}
	}
}

func testExpiredHours(t *testing.T, w *world) {
	w.site(shop, 16)
	day := at(0)
	// Hours are kept for 10 days. The day 12 days ago has none left. The day 11 days ago has only its evening, with all
	// of its events. The day 10 days ago has lost its morning. Yesterday is whole, and its counts are
	// ahead of its hours by a step that is being written.
	gone, evening, half, whole := day.AddDate(0, 0, -12), day.AddDate(0, 0, -11), day.AddDate(0, 0, -10), day.AddDate(0, 0, -1)
	keep := func(start time.Time) time.Time { return start.Add(time.Hour).AddDate(0, 0, 10) }
	w.day(shop, gone, future, 5, 5, 5)
	w.day(shop, evening, future, 3, 3, 1)
	w.hour(shop, evening.Add(23*time.Hour), keep(half.Add(20*time.Hour)), 3, 3, 1, map[sinks.TP]sinks.Value{tp0: small(0, 3)})
	w.day(shop, half, future, 9, 9, 2)
	w.hour(shop, half.Add(20*time.Hour), keep(half.Add(20*time.Hour)), 4, 4, 1, map[sinks.TP]sinks.Value{tp0: small(0, 4)})
	w.day(shop, whole, future, 7, 7, 2)
	w.hour(shop, whole.Add(9*time.Hour), keep(whole.Add(9*time.Hour)), 4, 4, 1, map[sinks.TP]sinks.Value{tp0: small(2, 6)})
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: day.AddDate(0, 0, -20), By: query.Day}))
	var got []string
	for _, b := range a.Buckets {
		got = append(got, compact(t, b.UniqueVisitors))
	}
	if want := []string{"null", "3", "null", "4"}; !slices.Equal(got, want) || a.Totals.UniqueVisitors != nil || a.Totals.Events != 24 {
		t.Errorf("visitors by day %q, totals %s; want %q and 24 events of visitors not known", got, compact(t, a.Totals), want)
	}
}
