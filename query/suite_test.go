package query_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/rules"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// suite is what must hold on every table. Each test gets a world of its own.
var suite = []struct {
	name string
	test func(*testing.T, *world)
}{
	{"StatsMergeVisitorsOfPartitionsAndPlaces", testStatsMergeVisitors},
	{"StatsByDayMergeTheHours", testStatsByDay},
	{"StatsPagesAddUp", testStatsPages},
	{"VisitorsOfADayAreUnknownOnceItsHoursExpired", testExpiredHours},
	{"StatsOfAnyRangeEqualARecount", testStatsOfAnyRange},
	{"StatsPagesOfAnySizeAddUp", testStatsPagesOfAnySize},
	{"RowsOfExpiredHoursAreIncomplete", testStatsOfExpiredHours},
	{"RowsOfExpiredDaysAreIncomplete", testStatsOfExpiredDays},
	{"StatsAreComparedWithTheRangeBefore", testStatsCompared},
	{"UniquesOfDatesInAZone", testUniquesOfAZone},
	{"UniquesAreMergedNotAdded", testUniques},
	{"TopValuesAreMergedOverHoursPartitionsAndSites", testTop},
	{"SealedAnswersAreThoseOfTheHours", testSealed},
	{"SealedAnswersOutliveTheHours", testSealedSourcesExpire},
	{"LateEventsTakeNothingFromWhatIsSealed", testSealedLateAfterExpiry},
	{"SealedSumsOutliveTheDays", testSealedSumsOutliveDays},
	{"LateEventsOfAMonthWhoseDaysExpiredAreAdded", testSealedLateAfterDaysExpired},
	{"RealtimeMergesMinutesAndPartitions", testRealtime},
	{"BotsAreAddedWhereAskedFor", testBots},
	{"RecentSessionsComeNewestFirst", testRecentSessions},
	{"SessionsOfUserAndVisitor", testIndexedSessions},
	{"SessionSeenByTwoPartitionsHasTwoParts", testSession},
	{"EventsOfASession", testSessionEvents},
	{"VisitIsFoundByItsIDAlone", testVisit},
	{"EventsOfAllShardsAreMergedByTime", testEvents},
	{"StatsOfASiteWithItsOwnZone", testStatsOfOwnZone},
	{"EventsAreFoundWhereverShardsHaveChanged", testEventsOfChangedShards},
	{"SitesOfAllListsAndOwners", testSites},
	{"GoalsComeByID", testGoals},
	{"GoalsAreCountedByBucket", testGoalStats},
	{"ConversionsOfAllShardsAreMergedByTime", testConversions},
	{"DeletedSitesAreLeftOutOfTheList", testDeletedSites},
	{"WhatIsSwitchedOffIsSaid", testSwitchedOff},
	{"UnknownSiteIsAnEmptyAnswer", testUnknownSite},
	{"SitesNeverMeet", testSitesNeverMeet},
	{"ExportedEventsComeInOrder", testExportEvents},
	{"ExportReadsAllPagesAndShards", testExportPages},
	{"FunnelsOfASite", testFunnels},
	{"FunnelReportIsOfEachVisitorsBestAttempt", testFunnelReport},
	{"FunnelReportReadsAllPagesAndShards", testFunnelPages},
	{"FunnelReportIsRefusedWithoutRawEvents", testFunnelRefused},
}

func TestSQLite(t *testing.T) {
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) { s.test(t, newWorld(t)) })
	}
}

func at(hour int) time.Time { return time.Date(2026, 5, 12, hour, 0, 0, 0, time.UTC) }

func small(from, to int) sinks.Value { return visitors(sketch.NewHour(), from, to) }

// shopHours puts three hours. Visitors 0..29 in hour 10, seen by two partitions of which one has outgrown the
// stats item and left its first part there; 20..34 in hour 11; hour 12 has expired.
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
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: at(10).Add(time.Minute), To: at(13).Add(time.Minute), Consistent: true}))
	const want = `{"siteId":"shop#1","siteKnown":true,"by":"hour","timeZone":"UTC","from":"2026-05-12T10:00:00Z","to":"2026-05-12T14:00:00Z","buckets":[` +
		`{"start":"2026-05-12T10:00:00Z","end":"2026-05-12T11:00:00Z","partial":false,"incomplete":false,"pageViews":60,"events":80,"uniqueVisitors":30,"uniqueVisitorsError":0,"sessions":20,"bounces":6,"bounceRate":0.3,` +
		`"engaged":10,"engagementRate":0.5,"durationMs":1200000,"avgDurationMs":60000,"pagesPerSession":3,"values":20,"valueSum":"50","conversions":0,"foreignEvents":0,"overBudgetEvents":0,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T11:00:00Z","end":"2026-05-12T12:00:00Z","partial":false,"incomplete":false,"pageViews":0,"events":15,"uniqueVisitors":15,"uniqueVisitorsError":0,"sessions":0,"bounces":0,"bounceRate":null,` +
		`"engaged":0,"engagementRate":null,"durationMs":0,"avgDurationMs":null,"pagesPerSession":null,"values":0,"valueSum":"0","conversions":0,"foreignEvents":0,"overBudgetEvents":0,"botEvents":0,"botPageViews":0}],` +
		`"totals":{"pageViews":60,"events":95,"uniqueVisitors":35,"uniqueVisitorsError":0,"sessions":20,"bounces":6,"bounceRate":0.3,` +
		`"engaged":10,"engagementRate":0.5,"durationMs":1200000,"avgDurationMs":60000,"pagesPerSession":3,"values":20,"valueSum":"50","conversions":0,"foreignEvents":0,"overBudgetEvents":0,"botEvents":0,"botPageViews":0},` +
		`"incomplete":false,"includesBots":false,"expiredOmitted":2,"cursor":""}`
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
	// Hours are kept for 10 days. The day 12 days ago has none left; that of 11 days ago nothing but its evening, in
	// which all its events were; that of 10 days ago has lost its morning. Yesterday is whole, and its counts are
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

func testRealtime(t *testing.T, w *world) {
	w.site(shop, 16)
	minute := func(n int) time.Time { return time.Date(2026, 5, 12, 14, n, 0, 0, time.UTC) }
	fresh := func(from, to int) sinks.Value { return visitors(sketch.NewMinute(), from, to) }
	w.minute(shop, minute(25), past, tp0, 9, fresh(50, 59), map[string]int{"/gone": 9})
	w.minute(shop, minute(30), future, tp0, 5, fresh(40, 45), map[string]int{"/old": 5})
	w.minute(shop, minute(31), future, tp0, 4, fresh(0, 3), map[string]int{"/": 2, "/cart": 1})
	w.minute(shop, minute(31), future, tp1, 3, fresh(2, 5), map[string]int{"/": 3})
	w.minute(shop, minute(35), future, tp1, 2, fresh(0, 2), map[string]int{"/cart": 2})
	a := must[query.RealtimeAnswer](t)(w.Realtime(t.Context(), query.RealtimeParams{Site: shop}))
	const want = `{"siteId":"shop#1","siteKnown":true,"from":"2026-05-12T14:31:00Z","to":"2026-05-12T14:36:00Z","pageViews":8,"events":9,` +
		`"currentVisitors":5,"botEvents":0,"botPageViews":0,"includesBots":false,"activePages":[{"page":"/","pageViews":5,"uncertain":0},{"page":"/cart","pageViews":3,"uncertain":0}],` +
		`"series":[{"start":"2026-05-12T14:30:00Z","pageViews":5,"events":5,"visitors":5,"botEvents":0,"botPageViews":0},` +
		`{"start":"2026-05-12T14:31:00Z","pageViews":6,"events":7,"visitors":5,"botEvents":0,"botPageViews":0},{"start":"2026-05-12T14:35:00Z","pageViews":2,"events":2,"visitors":2,"botEvents":0,"botPageViews":0}],` +
		`"expiredOmitted":1,"switchedOff":false}`
	if got := compact(t, a); got != want {
		t.Errorf("realtime:\n got %s\nwant %s", got, want)
	}
	a = must[query.RealtimeAnswer](t)(w.Realtime(t.Context(), query.RealtimeParams{Site: shop, At: minute(35), Pages: 1}))
	if a.Events != 12 || len(a.ActivePages) != 1 || !a.To.Equal(minute(35)) {
		t.Errorf("realtime before 14:35: %s; want 12 events of 14:30 to 14:34 and one page", compact(t, a))
	}
}

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
			a, err := w.Sessions(t.Context(), query.SessionsParams{Site: shop, Consistent: true, Paging: query.Paging{Limit: limit, Desc: true, Cursor: cursor}})
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
	a := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, From: at(14).Add(90 * time.Second), To: at(14).Add(3 * time.Minute)}))
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
	a := must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop, Session: "s1", From: at(9).Add(4 * time.Second), To: at(9).Add(8 * time.Second)}))
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
				a, err := w.Events(t.Context(), query.EventsParams{Site: shop, From: at(9), To: at(10), Paging: query.Paging{Limit: limit, Desc: desc, Cursor: cursor}})
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
				t.Errorf("limit %d desc %v: %d pages, %d expired, events %q; want %d pages, 10 expired, %q", limit, desc, count, expired, got, (90+limit-1)/limit, want)
			}
		}
	}
	a := must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop, From: at(9), To: at(10), Type: "click"}))
	if len(a.Events) != 20 {
		t.Errorf("%d clicks, want 20", len(a.Events))
	}
}

func testSites(t *testing.T, w *world) {
	var want []string
	for i := range 40 {
		id := fmt.Sprintf("site#%02d", i)
		want = append(want, id)
		w.site(id, sinks.DefaultShards)
		if i%4 == 0 {
			w.metadata(id, "acme%", 1+i%64)
		}
	}
	w.metadata("elsewhere", "acme", 4)
	want = append([]string{"elsewhere"}, want...)
	for _, desc := range []bool{false, true} {
		rows, _, count := pages(t, 9, func(cursor string) ([]query.Site, int, string, error) {
			a, err := w.Sites(t.Context(), query.SitesParams{Paging: query.Paging{Limit: 9, Desc: desc, Cursor: cursor}})
			return a.Sites, 0, a.Cursor, err
		})
		var got []string
		for _, s := range rows {
			got = append(got, s.SiteID)
			if s.Created != strings.Contains("where#00#04#08#12#16#20#24#28#32#36#", s.SiteID[4:]+"#") {
				t.Errorf("site %s: created %v", s.SiteID, s.Created)
			}
		}
		if desc {
			slices.Reverse(got)
		}
		if !slices.Equal(got, want) || count != 5 {
			t.Errorf("desc %v: %d pages of %q, want 5 of %q", desc, count, got, want)
		}
	}
	rows, _, count := pages(t, 4, func(cursor string) ([]query.Site, int, string, error) {
		a, err := w.Sites(t.Context(), query.SitesParams{Owner: "acme%", Paging: query.Paging{Limit: 4, Cursor: cursor}})
		return a.Sites, 0, a.Cursor, err
	})
	if len(rows) != 10 || count != 3 || rows[1].SiteID != "site#04" || rows[1].Shards != 5 || rows[1].Owner != "acme%" || rows[1].Name != "Name of site#04" {
		t.Errorf("%d sites of the owner on %d pages: %s", len(rows), count, compact(t, rows))
	}
	a := must[query.SiteAnswer](t)(w.Site(t.Context(), query.SiteParams{Site: "site#04", Consistent: true}))
	if compact(t, a.Site) != compact(t, rows[1]) || !a.SiteKnown {
		t.Errorf("site %s, want %s", compact(t, a), compact(t, rows[1]))
	}
}

// metadata puts what site create would.
func (w *world) metadata(id, owner string, shards int) {
	w.t.Helper()
	w.rules(id, &rules.Site{Name: "Name of " + id, Domains: []string{"www.example", "example"}, Owner: owner, CreatedAt: at(8).UnixMilli(),
		Shards: []rules.Shards{{N: shards}}})
}

// questions asks everything that can be asked about a site.
func questions(t *testing.T, w *world, site string) map[string]query.Answer {
	ctx := t.Context()
	return map[string]query.Answer{
		"stats":            must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: site, From: at(-48)})),
		"stats by month":   must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: site, From: at(-48), By: query.Month, Zone: location(t, "Asia/Tokyo"), Compare: true})),
		"stats by day":     must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: site, From: at(-48), By: query.Day})),
		"uniques":          must[query.UniquesAnswer](t)(w.Uniques(ctx, query.UniquesParams{Site: site, From: at(-48)})),
		"realtime":         must[query.RealtimeAnswer](t)(w.Realtime(ctx, query.RealtimeParams{Site: site})),
		"sessions":         must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: site})),
		"user's sessions":  must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: site, User: "u1"})),
		"visitor's":        must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: site, Visitor: "v1"})),
		"session":          must[query.SessionAnswer](t)(w.Session(ctx, query.SessionParams{Site: site, Session: "s1"})),
		"events":           must[query.EventsAnswer](t)(w.Events(ctx, query.EventsParams{Site: site, From: at(-48)})),
		"session's events": must[query.EventsAnswer](t)(w.Events(ctx, query.EventsParams{Site: site, Session: "s1"})),
		"goals":            must[query.GoalsAnswer](t)(w.Goals(ctx, query.GoalsParams{Site: site, Deleted: true})),
		"goal":             must[query.GoalAnswer](t)(w.Goal(ctx, query.GoalParams{Site: site, Goal: "bought"})),
		"goal stats":       must[query.GoalStatsAnswer](t)(w.GoalStats(ctx, query.StatsParams{Site: site, From: at(-48)})),
		"conversions":      must[query.ConversionsAnswer](t)(w.Conversions(ctx, query.ConversionsParams{Site: site, Goal: "bought"})),
		"site":             must[query.SiteAnswer](t)(w.Site(ctx, query.SiteParams{Site: site})),
	}
}

func testUnknownSite(t *testing.T, w *world) {
	for name, a := range questions(t, w, "nowhere") {
		if got := compact(t, a); !strings.Contains(got, `"siteKnown":false`) {
			t.Errorf("%s of an unknown site: %s, want siteKnown false", name, got)
		}
	}
	w.site("quiet", 16)
	for name, a := range questions(t, w, "quiet") {
		if got := compact(t, a); !strings.Contains(got, `"siteKnown":true`) {
			t.Errorf("%s of a site without events: %s, want siteKnown true", name, got)
		}
	}
}

// everything puts one item of each kind for a site.
func (w *world) everything(site string) {
	w.site(site, 16)
	w.hour(site, at(10), future, 6, 8, 2, map[sinks.TP]sinks.Value{tp0: small(0, 5)})
	w.part(site, at(10), future, tp1, small(3, 20))
	w.day(site, at(0), future, 6, 8, 2)
	w.minute(site, at(14).Add(35*time.Minute), future, tp0, 3, visitors(sketch.NewMinute(), 0, 2), map[string]int{"/": 2})
	w.session(site, "s1", at(10), future, tp0, "v1", "u1")
	w.recent(site, at(10), future, tp0, 1, "s1")
	w.event(site, 16, "s1", at(10), future, 1, nil)
	w.goal(site, bought, false)
	w.conversion(site, bought.N, "s1", at(10), future, tp0, nil)
}

func testSitesNeverMeet(t *testing.T, w *world) {
	w.site("a", 16)
	before := compact(t, questions(t, w, "a"))
	for _, other := range []string{"a#SHARD#00", "a#RECENT", "a#UNIQUES", "a#USER#u1", "a#GOAL#2", "a#GOAL#2#00", "a#", "a%", "A"} {
		w.everything(other)
	}
	if after := compact(t, questions(t, w, "a")); after != before {
		t.Errorf("answers of a site changed with the items of others:\nbefore %s\nafter  %s", before, after)
	}
}
