package query_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// testStored: an answer without data says where the site has some, and whether that of the range has expired.
func testStored(t *testing.T, w *world) {
	w.site(shop, 16)
	day := at(0)
	keep := func(start time.Time, days int) time.Time { return start.AddDate(0, 0, days) }
	for _, ago := range []int{12, 3} {
		start := day.AddDate(0, 0, -ago)
		w.day(shop, start, keep(start.AddDate(0, 0, 1), 30), 4, 4, 1)
		w.hour(shop, start.Add(9*time.Hour), keep(start.Add(10*time.Hour), 20), 4, 4, 1, map[sinks.TP]sinks.Value{tp0: small(0, 4)})
	}
	want := query.Stored{From: day.AddDate(0, 0, -12), To: day.AddDate(0, 0, -2)}
	for _, c := range []struct {
		from, to int // days ago
		by       query.By
		expired  bool
	}{{40, 38, query.Day, true}, {40, 38, query.Hour, true}, {25, 24, query.Day, false}, {25, 24, query.Hour, true},
		{8, 6, query.Day, false}} {
		from, to := day.AddDate(0, 0, -c.from), day.AddDate(0, 0, -c.to)
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: from, To: to, By: c.by}))
		want.Expired = c.expired
		if a.Stored == nil || *a.Stored != want || a.Incomplete != c.expired {
			t.Errorf("%+v: stored %+v, incomplete %v; want %+v", c, a.Stored, a.Incomplete, want)
		}
		if c.by != query.Hour {
			continue
		}
		u := must[query.UniquesAnswer](t)(w.Uniques(t.Context(), query.UniquesParams{Site: shop, From: from, To: to}))
		top := must[query.TopAnswer](t)(w.Top(t.Context(), query.TopParams{Site: shop, Dimension: "page", From: from, To: to}))
		if u.Stored == nil || *u.Stored != want || top.Stored == nil || *top.Stored != want {
			t.Errorf("%+v: uniques %+v, top %+v; want %+v", c, u.Stored, top.Stored, want)
		}
	}
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: day.AddDate(0, 0, -4), By: query.Day}))
	if a.Stored != nil || a.Incomplete {
		t.Errorf("a range with data: stored %+v, incomplete %v", a.Stored, a.Incomplete)
	}
}

// testSitesFigures: each site has its figures, their change, its days and the hour of its last event.
func testSitesFigures(t *testing.T, w *world) {
	w.site("empty", 16)
	w.site(shop, 16)
	day := at(0)
	w.site("young", 16)
	for ago, views := range map[int]int64{1: 6, 2: 3, 9: 4, 20: 1} {
		for _, site := range []string{shop, "young"} {
			if start := day.AddDate(0, 0, -ago); site == shop || ago < 20 {
				w.day(site, start, future, views, views+1, 1)
				w.hour(site, start.Add(9*time.Hour), future, views, views+1, 1, map[sinks.TP]sinks.Value{tp0: small(0, 4-ago%2)})
			}
		}
	}
	a := must[query.SitesFiguresAnswer](t)(w.SitesFigures(t.Context(), query.SitesFiguresParams{From: day.AddDate(0, 0, -7), To: day}))
	if len(a.Sites) != 3 {
		t.Fatalf("%d sites, want 3", len(a.Sites))
	}
	empty, s, young := a.Sites[0], a.Sites[1], a.Sites[2]
	first := day.AddDate(0, 0, -9)
	if young.PageViews != 9 || young.PageViewsChange != nil || young.PreviousDataFrom == nil || !young.PreviousDataFrom.Equal(first) {
		t.Errorf("site that is newer than the earlier range: %s, want no change and data from %v on", compact(t, young), first)
	}
	if s.PreviousDataFrom != nil {
		t.Errorf("site that is older: %s, want it compared", compact(t, s))
	}
	if empty.SiteID != "empty" || empty.PageViews != 0 || empty.PageViewsChange != nil ||
		empty.LastEvents != nil || *empty.UniqueVisitors != 0 {
		t.Errorf("site without events: %s", compact(t, empty))
	}
	if s.SiteID != shop || s.PageViews != 9 || *s.UniqueVisitors != 4 || s.PageViewsChange == nil || *s.PageViewsChange != 1.25 {
		t.Errorf("site: %s, want 9 page views by 4 visitors, after 4", compact(t, s))
	}
	var views []int64
	for _, d := range s.Days {
		views = append(views, d.PageViews)
	}
	if compact(t, views) != "[0,0,0,0,0,3,6]" || !s.Days[0].Start.Equal(day.AddDate(0, 0, -7)) {
		t.Errorf("days %s, want seven, the last of 6", compact(t, s.Days))
	}
	last := day.AddDate(0, 0, -1).Add(9 * time.Hour)
	if s.LastEvents == nil || !s.LastEvents.From.Equal(last) || !s.LastEvents.To.Equal(last.Add(time.Hour)) {
		t.Errorf("last event within %+v, want the hour from %v", s.LastEvents, last)
	}
}

// testSitesSorted: sites come by a figure, the greatest first, those without it last. A sorted list has no further page.
func testSitesSorted(t *testing.T, w *world) {
	day := at(0)
	for site, views := range map[string][2]int64{"calm": {0, 5}, "down": {2, 8}, "new": {0, 0}, "up": {9, 3}} {
		w.site(site, 16)
		for i, ago := range []int{1, 8, 20} {
			start := day.AddDate(0, 0, -ago)
			if n := append(views[:], 1)[i]; site != "new" && n > 0 {
				w.day(site, start, future, n, n, 1)
				w.hour(site, start.Add(9*time.Hour), future, n, n, 1, map[sinks.TP]sinks.Value{tp0: small(0, int(n))})
			}
		}
	}
	p := query.SitesFiguresParams{From: day.AddDate(0, 0, -7), To: day}
	for by, want := range map[string]string{"pageViews": "up down calm new", "uniqueVisitors": "up down calm new",
		"pageViewsChange": "up down calm new", "lastEvent": "down up calm new"} {
		for _, limit := range []int{4, 2} {
			p.Sort, p.Limit = by, limit
			a := must[query.SitesFiguresAnswer](t)(w.SitesFigures(t.Context(), p))
			var ids []string
			for _, s := range a.Sites {
				ids = append(ids, s.SiteID)
			}
			if got := strings.Join(ids, " "); got != strings.Join(strings.Fields(want)[:limit], " ") || a.Cursor != "" {
				t.Errorf("by %s, %d sites: %s, cursor %q; want %s", by, limit, got, a.Cursor, want)
			}
		}
	}
	p.Sort = "pageViewsChang"
	if _, err := w.SitesFigures(t.Context(), p); err == nil || !strings.Contains(err.Error(), "pageViewsChange") {
		t.Errorf("sorted by what is no figure: %v, want an error that names one", err)
	}
	p.Sort, p.Owner = "", "nobody"
	if a := must[query.SitesFiguresAnswer](t)(w.SitesFigures(t.Context(), p)); !a.UnknownSite() {
		t.Error("an owner without sites is known")
	}
}

// testStoredOfOneKind: where only hours or only days of a range are left, figures come from what is left, and an answer that needs the rest
// says that it has expired.
func testStoredOfOneKind(t *testing.T, w *world) {
	day := at(0)
	past := day.AddDate(0, 0, -1)
	ask := func(site string, ago int, by query.By) query.StatsAnswer {
		from := day.AddDate(0, 0, -ago)
		return must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: site, From: from, To: from.AddDate(0, 0, 2), By: by}))
	}
	const hoursOnly, daysOnly = "hours.example", "days.example"
	for _, site := range []string{hoursOnly, daysOnly} {
		w.site(site, 16)
		for _, ago := range []int{20, 12} {
			start := day.AddDate(0, 0, -ago)
			hourTTL, dayTTL := start.AddDate(0, 0, 30), past
			if site == daysOnly {
				hourTTL, dayTTL = past, start.AddDate(0, 0, 30)
			}
			w.day(site, start, dayTTL, 4, 4, 1)
			w.hour(site, start.Add(9*time.Hour), hourTTL, 4, 4, 1, map[sinks.TP]sinks.Value{tp0: small(0, 4)})
		}
	}
	for _, by := range []query.By{query.Hour, query.Day, query.Week} {
		if a := ask(hoursOnly, 12, by); a.Totals.PageViews != 4 || len(a.Buckets) != 1 || a.Incomplete {
			t.Errorf("hours only, by %s: %s, want the 4 page views of the hours", by, compact(t, a))
		}
	}
	whole := query.Stored{From: day.AddDate(0, 0, -20), To: day.AddDate(0, 0, -11)}
	for _, c := range []struct {
		site    string
		ago     int
		by      query.By
		expired bool
	}{{hoursOnly, 40, query.Day, true}, {hoursOnly, 15, query.Day, false}, {hoursOnly, 5, query.Day, false}, {daysOnly, 12, query.Hour, true},
		{daysOnly, 40, query.Hour, true}, {daysOnly, 5, query.Hour, false}} {
		want := whole
		want.Expired = c.expired
		if a := ask(c.site, c.ago, c.by); a.Totals.PageViews != 0 || a.Stored == nil || *a.Stored != want || a.Incomplete != c.expired {
			t.Errorf("%+v: %s; want none, and data of %+v", c, compact(t, a), want)
		}
	}
}

// testComparedWithoutData: a range that is compared with one that begins before the site's first day has changes in numbers, but none in
// percent, and neither have its rows of days before.
func testComparedWithoutData(t *testing.T, w *world) {
	w.site(shop, 16)
	day := at(0)
	for ago, views := range map[int]int64{1: 7, 8: 2, 9: 4} {
		w.day(shop, day.AddDate(0, 0, -ago), future, views, views+1, 1)
	}
	w.hour(shop, day.AddDate(0, 0, -9), future, 4, 5, 1, nil) // All of its first day is counted.
	for _, c := range []struct {
		days int
		by   query.By
		from int // days ago; 0: the earlier range is covered
	}{{7, query.Day, 9}, {2, query.Day, 0}, {7, query.Week, 9}} {
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: day.AddDate(0, 0, -c.days), To: day, By: c.by,
			Unit: query.Days, Compare: true}))
		change := a.Previous.Change.PageViews
		if c.from == 0 {
			if a.Previous.DataFrom != nil || change.Relative == nil {
				t.Errorf("%+v: %s, want a change in percent", c, compact(t, a.Previous))
			}
			continue
		}
		if from := day.AddDate(0, 0, -c.from); a.Previous.DataFrom == nil || !a.Previous.DataFrom.Equal(from) || change.Relative != nil ||
			change.Absolute == 0 {
			t.Errorf("%+v: %s, want data from %v on, and a change in numbers alone", c, compact(t, a.Previous), from)
		}
		for _, b := range a.Buckets {
			covered := b.Previous != nil && b.Previous.PageViews > 0
			if c.by == query.Day && b.Change != nil && covered != (b.Change.PageViews.Relative != nil) {
				t.Errorf("%+v: row %s", c, compact(t, b))
			}
		}
	}
}

// testFirstDayIsAPart: the first day with data is a part of a day if its first hour has none, and nothing since that day or earlier has a
// change in percent. A sealed month is no day.
func testFirstDayIsAPart(t *testing.T, w *world) {
	w.site(shop, 16)
	day := at(0)
	first := day.AddDate(0, 0, -9)
	for ago, views := range map[int]int64{1: 7, 2: 3, 8: 2, 9: 4} {
		start := day.AddDate(0, 0, -ago)
		w.day(shop, start, future, views, views+1, 1)
		w.hour(shop, start.Add(9*time.Hour), future, views, views+1, 1, nil)
		w.hour(shop, start.Add(10*time.Hour), future, views, views+1, 1, nil)
	}
	month := sinks.Keys{}.MonthStats(shop, time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	w.put(month, time.Time{}, figures(13, 16, 3))
	ask := func(from, to time.Time, by query.By) query.StatsAnswer {
		return must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: from, To: to, By: by, Compare: true,
			Align: query.AlignWeekday}))
	}
	for _, c := range []struct {
		from, to time.Time
		by       query.By
		rows     []bool // whether a row has a change in percent
		whole    bool   // the earlier range lies after what is a part
	}{
		{day.AddDate(0, 0, -7), day, query.Day, []bool{false, true}, false},
		{day.AddDate(0, 0, -2), day, query.Day, []bool{false, true}, false},
		{day.AddDate(0, 0, -1), day, query.Day, []bool{true}, true},
		{day.AddDate(0, 0, -2), day.AddDate(0, 0, -1), query.Hour, []bool{false, true}, false},
	} {
		a := ask(c.from, c.to, c.by)
		if known := a.Previous.Change.PageViews.Relative != nil; known != c.whole || (a.Previous.DataFrom == nil) != c.whole ||
			!c.whole && !a.Previous.DataFrom.Equal(first) {
			t.Errorf("by %s from %v: data from %v, change in percent %v; want data from %v", c.by, c.from, a.Previous.DataFrom, known, first)
		}
		var rows []bool
		for _, b := range a.Buckets {
			if b.Change != nil && b.Previous.Events > 0 {
				rows = append(rows, b.Change.PageViews.Relative != nil)
			}
		}
		if want := c.rows[max(0, len(c.rows)-len(rows)):]; len(rows) == 0 || !slices.Equal(rows, want) {
			t.Errorf("by %s from %v: rows in percent %v, want %v", c.by, c.from, rows, want)
		}
	}
}

// testNothingExpiredOfANewSite: a range that begins before the site's data is complete, as far as a site of that age can have lost nothing.
func testNothingExpiredOfANewSite(t *testing.T, w *world) {
	day := at(0)
	for site, ago := range map[string]int{"new.example": 35, "old.example": 700} {
		w.site(site, 16)
		start := day.AddDate(0, 0, -ago)
		w.day(site, start, start.AddDate(0, 0, 731), 4, 5, 1)
		w.hour(site, start, start.AddDate(0, 0, 91), 4, 5, 1, nil)
		for _, by := range []query.By{query.Day, query.Hour, query.Year} {
			p := query.StatsParams{Site: site, From: day.AddDate(-6, 0, 0), By: by}
			a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
			if a.Incomplete != (ago == 700) {
				t.Errorf("%s by %s: expired %v, after %d days of two years", site, by, a.Incomplete, ago)
			}
		}
	}
}

// testEmptyListsSayWhereDataLies: a list of sessions or events that is empty says which days of the site have data.
func testEmptyListsSayWhereDataLies(t *testing.T, w *world) {
	w.site(shop, 16)
	start := at(0).AddDate(0, 0, -12)
	w.day(shop, start, future, 4, 4, 1)
	want := query.Stored{From: start, To: start.AddDate(0, 0, 1)}
	sessions := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop}))
	events := must[query.EventsAnswer](t)(w.Events(t.Context(), query.EventsParams{Site: shop, From: at(-1)}))
	if sessions.Stored == nil || *sessions.Stored != want || events.Stored == nil || *events.Stored != want {
		t.Errorf("sessions %+v, events %+v, want %+v", sessions.Stored, events.Stored, want)
	}
	of := must[query.SessionsAnswer](t)(w.Sessions(t.Context(), query.SessionsParams{Site: shop, User: "u"}))
	if of.Stored != nil {
		t.Errorf("sessions of a user: %+v, want nothing about the site", of.Stored)
	}
}
