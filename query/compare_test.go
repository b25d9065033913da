package query_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// labels lists the buckets of a range, hour by hour.
func labels(by query.By, from, to time.Time) []string {
	var all []string
	for at := from; at.Before(to); at = at.Add(time.Hour) {
		if name := label(by, at); len(all) == 0 || all[len(all)-1] != name {
			all = append(all, name)
		}
	}
	return all
}

func testStatsCompared(t *testing.T, w *world) {
	events := history(4)
	w.record(shop, events, kept{})
	date := func(month time.Month, day int) time.Time { return time.Date(2026, month, day, 0, 0, 0, 0, time.UTC) }
	uneven := 0
	for _, c := range []struct {
		zone     string
		by       query.By
		from, to time.Time
	}{
		{"UTC", query.Hour, at(-30), at(12)}, {"UTC", query.Day, date(4, 28), date(5, 8)}, {"Europe/Berlin", query.Day, date(3, 25), date(4, 9)},
		{"Europe/Berlin", query.Week, date(4, 13), date(5, 10)}, {"UTC", query.Week, date(4, 15), date(5, 12)},
		{"UTC", query.Month, date(3, 1), date(5, 1)}, {"UTC", query.Month, date(3, 20), date(4, 12)}, {"Africa/Cairo", query.Month, date(4, 1),
			now},
		{"UTC", query.Month, date(3, 25), date(4, 5)}, // In two months; the days before are in one.
		{"UTC", query.Year, date(1, 1), now}, {"America/Havana", "", date(1, 15), date(3, 2)},
	} {
		what := fmt.Sprintf("%s by %s from %s", c.zone, c.by, c.from.Format(time.DateOnly))
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: c.from, To: c.to, By: c.by,
			Zone:    location(t, c.zone),
			Compare: true, Paging: query.Paging{Limit: query.MaxLimit}}))
		was := a.Previous
		within := func(from, to time.Time) counts {
			return recount(slices.DeleteFunc(slices.Clone(events), func(e seen) bool { return e.at.Before(from) || !e.at.Before(to) }))
		}
		if was.To.After(a.From) || !was.From.Before(was.To) {
			t.Errorf("%s: [%s, %s) is compared with [%s, %s)", what, a.From, a.To, was.From, was.To)
		}
		checkChange(t, what, within(a.From, a.To), within(was.From, was.To), *a.Totals, *was.Totals, *was.Change)

		now, before := labels(a.By, a.From, a.To), labels(a.By, was.From, was.To)
		if each := a.By == query.Hour || a.By == query.Day; was.ByBucket != (each || len(now) == len(before)) {
			t.Errorf("%s: compared by bucket %v, of %d and %d buckets", what, was.ByBucket, len(now), len(before))
		}
		if !was.ByBucket {
			uneven++
		}
		bucket := func(name string, from, to time.Time) counts {
			return recount(slices.DeleteFunc(slices.Clone(events), func(e seen) bool {
				return label(a.By, e.at.In(a.From.Location())) != name || e.at.Before(from) || !e.at.Before(to)
			}))
		}
		rows, partners := make(map[string]bool), make(map[string]bool)
		for _, b := range a.Buckets {
			name := label(a.By, b.Start)
			rows[name] = true
			if was.ByBucket != (b.Previous != nil) || was.ByBucket != (b.Change != nil) {
				t.Errorf("%s: row %s is compared %v, the ranges by bucket %v", what, b.Start, b.Previous != nil, was.ByBucket)
			}
			if b.Previous != nil {
				partner := label(a.By, b.Previous.Start)
				partners[partner] = true
				checkChange(t, what+" "+name, bucket(name, a.From, a.To), bucket(partner, was.From, was.To), b.Figures, b.Previous.Figures, *b.Change)
			}
		}
		for i := 0; was.ByBucket && i < max(len(now), len(before)); i++ {
			if i < len(now) && !rows[now[i]] && bucket(now[i], a.From, a.To).events > 0 {
				t.Errorf("%s: row %s, which has events, is not shown", what, now[i])
			}
			if i < len(before) && !partners[before[i]] && bucket(before[i], was.From, was.To).events > 0 {
				t.Errorf("%s: no row is compared with %s, which has events", what, before[i])
			}
		}
	}
	if uneven != 1 {
		t.Errorf("%d ranges have other numbers of buckets than those before, want 1", uneven)
	}
}

// A running period is compared with as much of the one before, by hours while these are kept and by days after that.
func testStatsComparedSoFar(t *testing.T, w *world) {
	events := history(5)
	w.record(shop, events, kept{})
	for _, c := range []struct {
		unit             query.By
		from, to         string
		wantFrom, wantTo string
	}{
		{query.Day, "2026-05-12", "2026-05-13", "2026-05-11T00:00:00Z", "2026-05-11T15:00:00Z"},
		{query.Week, "2026-05-11", "2026-05-18", "2026-05-04T00:00:00Z", "2026-05-05T15:00:00Z"},
		{query.Month, "2026-05-01", "2026-06-01", "2026-04-01T00:00:00Z", "2026-04-12T15:00:00Z"},
		{"", "2026-04-25", "2026-05-13", "2026-04-04T00:00:00Z", "2026-04-21T15:00:00Z"},
	} {
		for _, by := range []query.By{query.Hour, query.Day, query.Week, query.Month} {
			p := query.StatsParams{Site: shop, From: must[time.Time](t)(query.ParseTime(c.from, now)),
				To: must[time.Time](t)(query.ParseTime(c.to, now)), By: by, Unit: c.unit, Compare: true, Paging: query.Paging{Limit: query.MaxLimit}}
			a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
			was := a.Previous
			if from, to := was.From.Format(time.RFC3339), was.To.Format(time.RFC3339); from != c.wantFrom || to != c.wantTo || !a.InProgress {
				t.Errorf("%s by %s: compared with [%s, %s), want [%s, %s)", c.from, by, from, to, c.wantFrom, c.wantTo)
			}
			had := recount(slices.DeleteFunc(slices.Clone(events), func(e seen) bool { return e.at.Before(was.From) || !e.at.Before(was.To) }))
			if got := said(*was.Totals); got != had.String() || was.Incomplete {
				t.Errorf("%s by %s: before that %s, expired %v; want %s", c.from, by, got, was.Incomplete, had)
			}
		}
	}

	old := time.Date(2025, 5, 12, 0, 0, 0, 0, time.UTC)
	w.site("old", 16)
	w.day("old", old, time.Time{}, 10, 10, 0)
	w.day("old", old.AddDate(0, 0, -1), time.Time{}, 20, 20, 0)
	year := query.StatsParams{Site: "old", From: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC),
		Unit: query.Year, Compare: true}
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), year))
	if a.By != query.Month || !a.Previous.To.Equal(old.AddDate(0, 0, 1)) || a.Previous.Totals.Events != 30 || a.Previous.Incomplete {
		t.Errorf("the year before, whose hours have expired: %s; want it until the end of the day, 30 events", compact(t, a))
	}
	w.hour("old", old.Add(14*time.Hour), time.Time{}, 8, 8, 0, map[sinks.TP]sinks.Value{tp0: small(0, 1)})
	w.hour("old", old.Add(15*time.Hour), time.Time{}, 2, 2, 0, map[sinks.TP]sinks.Value{tp0: small(0, 1)})
	a = must[query.StatsAnswer](t)(w.Stats(t.Context(), year))
	if !a.Previous.To.Equal(old.Add(15*time.Hour)) || a.Previous.Totals.Events != 28 || a.Previous.Incomplete {
		t.Errorf("the year before: %s; want it until three o'clock, 28 events", compact(t, a))
	}
}

// Where no day of the earlier month has the number, a row is not compared, and an hour that is not over has no change.
func testStatsComparedRows(t *testing.T, w *world) {
	w.site(shop, 16)
	for day := time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC); day.Before(now); day = day.AddDate(0, 0, 1) {
		w.day(shop, day, future, 1, 1, 0)
		w.hour(shop, day.Add(14*time.Hour), future, 1, 1, 0, map[sinks.TP]sinks.Value{tp0: small(0, 1)})
	}
	ask := func(p query.StatsParams) query.StatsAnswer {
		p.Site, p.Compare = shop, true
		return must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
	}
	a := ask(query.StatsParams{From: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC),
		Unit: query.Month})
	for _, b := range a.Buckets {
		day, before := b.Start.Day(), b.Previous
		if (before == nil) != (day > 28) || before != nil && (before.Start.Day() != day || before.Events != 1) {
			t.Errorf("the %d of March is compared with %s", day, compact(t, b.Previous))
		}
	}
	if len(a.Buckets) != 31 || a.Previous.Totals.Events != 28 || !a.Previous.ByBucket {
		t.Errorf("March has %d rows, February %d events; want 31 and 28", len(a.Buckets), a.Previous.Totals.Events)
	}
	a = ask(query.StatsParams{From: time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC),
		Unit: query.Month})
	if len(a.Buckets) != 30 || a.Previous.Totals.Events != 31 {
		t.Errorf("April has %d rows, March %d events; want 30, and 31 with the last", len(a.Buckets), a.Previous.Totals.Events)
	}
	a = ask(query.StatsParams{From: at(0), To: now, Unit: query.Day})
	if b := a.Buckets[0]; len(a.Buckets) != 1 || !b.InProgress || b.Change != nil || b.Previous == nil || b.Previous.InProgress ||
		b.Previous.Start.Format(time.RFC3339) != "2026-05-11T14:00:00Z" {
		t.Errorf("today: %s; want the running hour beside that of yesterday, without a change", compact(t, a))
	}
}

// checkChange compares two counts and what an answer says of them and of how they differ.
func checkChange(t *testing.T, what string, is, had counts, now, before query.Figures, change query.Changes) {
	t.Helper()
	if said(now) != is.String() || said(before) != had.String() {
		t.Errorf("%s: %s, before %s; want %s, before %s", what, said(now), said(before), is, had)
	}
	for _, c := range []struct {
		figure   string
		is, had  int64
		absolute int64
		relative *float64
	}{
		{"events", is.events, had.events, change.Events.Absolute, change.Events.Relative},
		{"page views", is.views, had.views, change.PageViews.Absolute, change.PageViews.Relative},
		{"sessions", is.sessions, had.sessions, change.Sessions.Absolute, change.Sessions.Relative},
		{"visitors", int64(len(is.visitors)), int64(len(had.visitors)), *change.UniqueVisitors.Absolute, change.UniqueVisitors.Relative},
	} {
		if c.absolute != c.is-c.had || (c.relative == nil) != (c.had == 0) {
			t.Errorf("%s: %d %s after %d is a change of %d, in relation %v", what, c.is, c.figure, c.had, c.absolute, c.relative)
		}
		if c.relative != nil && math.Abs(*c.relative-(float64(c.is)/float64(c.had)-1)) > 1e-6 {
			t.Errorf("%s: %d %s after %d is a change of %f in relation", what, c.is, c.figure, c.had, *c.relative)
		}
	}
	if value := fmt.Sprint(float64(is.sessions-had.sessions) * 2.5); change.ValueSum.Absolute != value {
		t.Errorf("%s: the sum of values changes by %s, want %s", what, change.ValueSum.Absolute, value)
	}
}

func TestChangeOfRatesAndSums(t *testing.T) {
	rate := func(f float64) *float64 { return &f }
	change := query.Figures{BounceRate: rate(0.3), ValueSum: "5.000001"}.Since(
		query.Figures{BounceRate: rate(0.1), EngagementRate: rate(0.5), ValueSum: "-10"})
	if c := change.BounceRate; *c.Absolute != 0.2 || *c.Relative != 2 {
		t.Errorf("from 0.1 to 0.3 is %v, %v in relation; want 0.2 and 2", *c.Absolute, *c.Relative)
	}
	if c := change.EngagementRate; c.Absolute != nil || c.Relative != nil {
		t.Errorf("from 0.5 to nothing is %v, %v in relation; want neither", c.Absolute, c.Relative)
	}
	if c := change.ValueSum; c.Absolute != "15.000001" || *c.Relative != 1.5 {
		t.Errorf("from -10 to 5.000001 is %s, %v in relation; want growth of 15.000001, 1.5", c.Absolute, *c.Relative)
	}
	if c := change.Events; c.Absolute != 0 || c.Relative != nil {
		t.Errorf("from 0 to 0 is %d, %v in relation; want 0 and none", c.Absolute, c.Relative)
	}
}

// A range is compared with the year before and with any other, row by row where both have as many. The other range has the figures that it
// has alone, and pages agree.
func testStatsAgainst(t *testing.T, w *world) {
	var events []seen
	for _, e := range history(2) {
		events = append(events, e)
		e.at = e.at.AddDate(-1, 0, 0)
		events = append(events, e)
	}
	slices.SortFunc(events, func(a, b seen) int { return a.at.Compare(b.at) })
	w.record(shop, events, kept{})
	day := func(s string) time.Time { return must[time.Time](t)(time.Parse(time.DateOnly, s)) }
	for _, c := range []struct {
		from, to, against string
		by                query.By
		align             query.Align
		zone              string
		wantFrom, wantTo  string
		paired            bool
	}{
		{"2026-04-01", "2026-05-01", "year", query.Day, "", "UTC", "2025-04-01", "2025-05-01", true},
		{"2026-04-06", "2026-04-13", "year", query.Day, query.AlignWeekday, "UTC", "2025-04-07", "2025-04-14", true},
		{"2026-04-01", "2026-05-01", "year", query.Week, "", "Europe/Berlin", "2025-04-01", "2025-05-01", true},
		{"2026-03-28", "2026-03-30", "year", query.Hour, "", "Europe/Berlin", "2025-03-28", "2025-03-30", true},
		{"2026-04-01", "2026-05-01", "2025-12", query.Day, "", "UTC", "2025-12-01", "2026-01-01", false},
		{"2026-04-01", "2026-05-01", "2025-11-10..2025-12-10", query.Day, "", "Europe/Berlin", "2025-11-10", "2025-12-10", true},
		{"2026-04-01", "2026-05-01", "2026-05-01..2026-05-31", query.Day, "", "UTC", "2026-05-01", "2026-05-31", true},
		{"2026-04-01", "2026-04-03", "-2d..now", query.Hour, "", "UTC", "2026-05-11", "2026-05-12", false},
		{"2026-01-01", "2026-04-01", "2025-10-01..2026-01-01", query.Month, "", "UTC", "2025-10-01", "2026-01-01", true},
	} {
		zone := location(t, c.zone)
		local := func(s string) time.Time {
			at := day(s)
			return time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, zone)
		}
		p := query.StatsParams{Site: shop, From: local(c.from), To: local(c.to), By: c.by, Zone: zone, Compare: true, Against: c.against,
			Align: c.align, Paging: query.Paging{Limit: query.MaxLimit}}
		a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
		if was := a.Previous; was.From.Format(time.DateOnly) != c.wantFrom || was.To.Format(time.DateOnly) != c.wantTo ||
			was.ByBucket != c.paired {
			t.Errorf("%s to %s against %s: compared with [%s, %s), by bucket %v; want [%s, %s), %v", c.from, c.to, c.against, was.From, was.To,
				was.ByBucket, c.wantFrom, c.wantTo, c.paired)
			continue
		}
		alone := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: a.Previous.From, To: a.Previous.To, By: c.by,
			Zone: zone, Paging: query.Paging{Limit: query.MaxLimit}}))
		if got, want := compact(t, a.Previous.Totals), compact(t, alone.Totals); got != want || alone.Totals.Events == 0 {
			t.Errorf("against %s: %s, alone it has %s", c.against, got, want)
		}
		sum := int64(0)
		for _, b := range a.Buckets {
			if b.Previous != nil {
				sum += b.Previous.Events
			}
		}
		if c.paired && c.by != query.Hour && sum != alone.Totals.Events { // In March, Berlin has no hour of 2:00 on another date.
			t.Errorf("against %s: rows have %d events of the other range, which has %d", c.against, sum, alone.Totals.Events)
		}
		p.Limit = 7
		rows, _, _ := pages(t, p.Limit, func(cursor string) ([]query.Bucket, int, string, error) {
			p.Cursor = cursor
			a, err := w.Stats(t.Context(), p)
			return a.Buckets, 0, a.Cursor, err
		})
		if got, want := compact(t, rows), compact(t, a.Buckets); got != want {
			t.Errorf("against %s, pages of 7:\n%s\nwant\n%s", c.against, got, want)
		}
	}
}
