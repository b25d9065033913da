package query_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// zones: two that change their clocks, one that does not, one without midnight in spring, one with two in autumn and
// none in spring, one that shows UTC in winter, and one far ahead.
var zones = []string{"UTC", "Europe/Berlin", "Asia/Tokyo", "Africa/Cairo", "America/Havana", "Europe/London", "Pacific/Kiritimati"}

func location(t testing.TB, name string) *time.Location {
	t.Helper()
	return must[*time.Location](t)(query.ParseZone(name))
}

// ranges begin and end within hours, days, weeks, months and years.
var ranges = [][2]time.Time{
	{time.Date(2025, 10, 20, 5, 30, 0, 0, time.UTC), time.Date(2025, 11, 12, 22, 15, 0, 0, time.UTC)},
	{time.Date(2026, 3, 2, 23, 10, 0, 0, time.UTC), time.Date(2026, 4, 29, 0, 0, 0, 0, time.UTC)},
	{time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), now},
}

func testStatsOfAnyRange(t *testing.T, w *world) {
	fewer := slow.Fewer(t)
	events := history(1)
	w.record(shop, events, kept{})
	for i, name := range zones {
		loc := location(t, name)
		for j, by := range query.Sizes {
			for k, r := range ranges {
				if fewer && (i+j)%len(ranges) != k {
					continue // Each zone and each size has each range.
				}
				by := query.By(by)
				p := query.StatsParams{Site: shop, From: r[0], To: r[1], By: by, Zone: loc, Paging: query.Paging{Limit: query.MaxLimit}}
				a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
				checkStats(t, fmt.Sprintf("%s by %s from %s", name, by, r[0].Format(time.DateOnly)), a, modelOf(loc, by, r[0], r[1]), events)
			}
		}
	}
}

// checkStats compares an answer, of which no item has expired, with the model.
func checkStats(t *testing.T, what string, a query.StatsAnswer, m model, events []seen) {
	t.Helper()
	want := m.rows(events)
	if got, want := said(*a.Totals), recount(m.in(events)).String(); got != want || a.Incomplete {
		t.Errorf("%s: totals %s, incomplete %v; want %s", what, got, a.Incomplete, want)
	}
	if len(a.Buckets) != len(want) {
		t.Errorf("%s: %d rows, want %d", what, len(a.Buckets), len(want))
	}
	for i, b := range a.Buckets {
		name := label(m.by, b.Start)
		if want[name] == nil {
			t.Errorf("%s: a row for %s, in which nothing happened", what, name)
			continue
		}
		if got := said(b.Figures); got != want[name].String() || b.Incomplete {
			t.Errorf("%s: %s has %s, incomplete %v; want %s", what, name, got, b.Incomplete, want[name])
		}
		const ms = time.Millisecond
		before, last, behind := label(m.by, b.Start.Add(-ms)), label(m.by, b.End.Add(-ms)), label(m.by, b.End)
		if before == name || last != name || behind == name {
			t.Errorf("%s: %s is [%s, %s): has %s before it, ends with %s and has %s behind it", what, name, b.Start, b.End, before, last, behind)
		}
		if cut := label(m.by, a.From.Add(-time.Millisecond)) == name || label(m.by, a.To) == name && !a.To.After(now); b.Partial != cut {
			t.Errorf("%s: %s of [%s, %s) partial %v, want %v", what, name, a.From, a.To, b.Partial, cut)
		}
		if b.InProgress != (b.End.After(now) && a.To.After(now)) {
			t.Errorf("%s: %s ends at %s, in progress %v of a range that ends at %s", what, name, b.End, b.InProgress, a.To)
		}
		if i > 0 && !a.Buckets[i-1].Start.Before(b.Start) {
			t.Errorf("%s: %s comes after %s", what, name, a.Buckets[i-1].Start)
		}
	}
}

func testStatsPagesOfAnySize(t *testing.T, w *world) {
	fewer := slow.Fewer(t)
	events := history(2)
	w.record(shop, events, usual)
	for i, c := range []struct {
		zone  string
		by    query.By
		limit int
	}{
		{"UTC", query.Week, 7}, {"Europe/Berlin", query.Day, 30}, {"America/Havana", query.Month, 1}, {"Africa/Cairo", "", 2},
		{"Europe/Berlin", query.Hour, 100}, {"UTC", query.Year, 1},
	} {
		for _, compare := range []bool{false, true} {
			if fewer && compare == (i%2 == 0) {
				continue
			}
			p := query.StatsParams{Site: shop, From: ranges[2][0], To: ranges[2][1], By: c.by, Zone: location(t, c.zone), Compare: compare,
				Paging: query.Paging{Limit: query.MaxLimit}}
			whole := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
			for _, desc := range []bool{false, true} {
				rows, _, count := pages(t, c.limit, func(cursor string) ([]query.Bucket, int, string, error) {
					p.Paging = query.Paging{Limit: c.limit, Desc: desc, Cursor: cursor}
					if cursor != "" {
						p.From, p.To = now, now.Add(time.Hour) // The first page's range holds.
					} else {
						p.From, p.To = ranges[2][0], ranges[2][1]
					}
					a, err := w.Stats(t.Context(), p)
					if err == nil && cursor == "" && compact(t, a.Totals) != compact(t, whole.Totals) {
						t.Errorf("%s by %s, desc %v: totals %s, want %s", c.zone, c.by, desc, compact(t, a.Totals), compact(t, whole.Totals))
					}
					if cursor != "" && (a.Totals != nil || a.Previous != nil && a.Previous.Totals != nil) {
						t.Errorf("%s by %s: totals on a page that is not the first", c.zone, c.by)
					}
					return a.Buckets, a.ExpiredOmitted, a.Cursor, err
				})
				if desc {
					slices.Reverse(rows)
				}
				if got, want := compact(t, rows), compact(t, whole.Buckets); got != want || count != (len(rows)+c.limit-1)/c.limit ||
					len(rows) <= c.limit {
					t.Errorf("%s by %s, desc %v, compare %v: %d pages of %d rows\n got %s\nwant %s", c.zone, c.by, desc, compare, count, len(rows), got,
						want)
				}
			}
		}
	}
}

func testStatsOfExpiredHours(t *testing.T, w *world) {
	fewer := slow.Fewer(t)
	events := history(3)
	w.record(shop, events, usual)
	gone := func(e seen) bool { return !e.at.Truncate(time.Hour).Add(time.Hour + usual.hour).After(now) }
	left := slices.DeleteFunc(slices.Clone(events), gone)
	for i, name := range zones {
		for j, by := range []query.By{query.Day, query.Week, query.Month, query.Year} {
			if fewer && (i+j)%2 == 1 {
				continue
			}
			loc := location(t, name)
			p := query.StatsParams{Site: shop, From: time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC), To: now, By: by, Zone: loc,
				Paging: query.Paging{Limit: query.MaxLimit}}
			a := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
			m := modelOf(loc, by, p.From, p.To)
			all, still := m.rows(events), m.rows(left)
			complete := true
			for _, b := range a.Buckets {
				row := label(by, b.Start)
				from, to := latest(b.Start, a.From), earliest(b.End, a.To)
				// Whole days of UTC are kept by day.
				byDay := from.Equal(from.Truncate(24*time.Hour)) && to.Equal(to.Truncate(24*time.Hour))
				had, has := counts{}, counts{}
				if all[row] != nil {
					had = *all[row]
				}
				if still[row] != nil {
					has = *still[row]
				}
				delete(all, row)
				lost, old := has.events < had.events, from.Add(time.Hour+usual.hour).Before(now)
				if unknown := b.UniqueVisitors == nil; lost && !unknown || unknown && !old {
					t.Errorf("%s by %s: %s, which lost %d events, has visitors %v", name, by, row, had.events-has.events, b.UniqueVisitors)
				}
				want := has
				if byDay {
					want.views, want.events, want.sessions = had.views, had.events, had.sessions
				}
				if got, want := said(b.Figures), want.String(); got != want && (b.UniqueVisitors != nil || !sameButVisitors(got, want)) {
					t.Errorf("%s by %s: %s has %s, want %s", name, by, row, got, want)
				}
				if byDay && b.Incomplete || !byDay && b.Incomplete != (b.UniqueVisitors == nil) {
					t.Errorf("%s by %s: %s, with visitors %v, incomplete %v", name, by, row, b.UniqueVisitors, b.Incomplete)
				}
				complete = complete && !b.Incomplete
			}
			if len(all) != 0 {
				t.Errorf("%s by %s: no rows for %q, which had something", name, by, slices.Sorted(maps.Keys(all)))
			}
			if a.Incomplete == complete || a.Totals.UniqueVisitors != nil || a.ExpiredOmitted == 0 || name == "UTC" && !complete {
				t.Errorf("%s by %s: incomplete %v, visitors %v, %d expired; want %v, unknown, and some", name, by,
					a.Incomplete, a.Totals.UniqueVisitors, a.ExpiredOmitted, !complete)
			}
		}
	}
}

// sameButVisitors compares what String and said say.
func sameButVisitors(a, b string) bool {
	return a[:strings.LastIndex(a, ", ")] == b[:strings.LastIndex(b, ", ")]
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func earliest(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func testStatsOfExpiredDays(t *testing.T, w *world) {
	w.site(shop, 16)
	first := time.Date(2026, 4, 29, 0, 0, 0, 0, time.UTC)
	const days = 14 // until now, of which a day outlives its end by 9 and an hour by 2
	for i := range days {
		day := first.AddDate(0, 0, i)
		w.day(shop, day, day.AddDate(0, 0, 1+9), 0, 10, 0)
		w.hour(shop, day, day.Add(49*time.Hour), 0, 10, 0, map[sinks.TP]sinks.Value{tp0: small(i, i+2)})
	}
	ask := func(by query.By, from int) query.StatsAnswer {
		return must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: first.AddDate(0, 0, from), To: now, By: by}))
	}
	// The 3rd of May is the first day that is there: the week of the 27th of April has lost days, April has all.
	if a := ask(query.Week, 0); len(a.Buckets) != 3 || !a.Incomplete || !a.Buckets[0].Incomplete || a.Buckets[0].Events != 10 ||
		a.Buckets[1].Incomplete {
		t.Errorf("by week: %s; want the first of 3 weeks incomplete, with the 10 events of a day", compact(t, a))
	}
	if a := ask(query.Month, 0); len(a.Buckets) != 1 || !a.Buckets[0].Incomplete || a.Buckets[0].Events != 100 {
		t.Errorf("by month: %s; want May, incomplete, with 100 events of ten days", compact(t, a))
	}
	// From the 3rd on, nothing is missing but visitors.
	if a := ask(query.Month, 4); a.Buckets[0].Incomplete || a.Incomplete || a.Totals.Events != 100 || a.Totals.UniqueVisitors != nil {
		t.Errorf("by month from the 3rd on: %s; want 100 events of unknown visitors, complete", compact(t, a))
	}
	// Of the range before nothing is left, which is not the same as nothing having happened.
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: first.AddDate(0, 0, 4), To: now,
		By: query.Day, Compare: true}))
	if a.Incomplete || !a.Previous.Incomplete || a.Previous.Totals.Events != 0 {
		t.Errorf("compared: %s; want the range before incomplete, and this one not", compact(t, a))
	}
	// Four days have expired, and twelve hours.
	if hours, all := ask(query.Hour, 0).ExpiredOmitted, ask(query.Month, 0).ExpiredOmitted; hours != 12 || all != hours+4 {
		t.Errorf("%d items are left out by hour, %d by month; want 12, and the 4 days as well", hours, all)
	}
	if a := ask(query.Month, 12); a.Totals.Events != 20 || *a.Totals.UniqueVisitors != 3 {
		t.Errorf("by month from the 11th on: %s; want 20 events of 3 visitors", compact(t, a))
	}
}

func testUniquesOfAZone(t *testing.T, w *world) {
	events := history(5)
	w.record(shop, events, kept{})
	loc := location(t, "Africa/Cairo")
	from := must[time.Time](t)(query.ParseTimeIn("2026-04-24", now, loc)) // It begins at one o'clock.
	to := must[time.Time](t)(query.ParseTimeIn("2026-04-30", now, loc))
	a := must[query.UniquesAnswer](t)(w.Uniques(t.Context(), query.UniquesParams{Site: shop, From: from, To: to, Zone: loc}))
	want := recount(modelOf(loc, query.Day, from, to).in(events))
	if a.UniqueVisitors != uint64(len(want.visitors)) || a.Events != want.events ||
		a.From.Format(time.RFC3339) != "2026-04-24T01:00:00+03:00" {
		t.Errorf("uniques %s; want %d events of %d visitors from one o'clock on", compact(t, a), want.events, len(want.visitors))
	}
}
