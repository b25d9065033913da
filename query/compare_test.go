package query_test

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
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
		if !was.To.Equal(a.From) || !was.From.Before(was.To) {
			t.Errorf("%s: [%s, %s) is compared with [%s, %s)", what, a.From, a.To, was.From, was.To)
		}
		checkChange(t, what, within(a.From, a.To), within(was.From, was.To), *a.Totals, *was.Totals, *was.Change)

		now, before := labels(a.By, a.From, a.To), labels(a.By, was.From, was.To)
		if was.ByBucket != (len(now) == len(before)) {
			t.Errorf("%s: compared by bucket %v, of %d and %d buckets", what, was.ByBucket, len(now), len(before))
		}
		if !was.ByBucket {
			uneven++
		}
		rows := make(map[string]query.Bucket)
		for _, b := range a.Buckets {
			rows[label(a.By, b.Start)] = b
			if (b.Previous != nil) != was.ByBucket || (b.Change != nil) != was.ByBucket {
				t.Errorf("%s: row %s is compared %v, the ranges by bucket %v", what, b.Start, b.Previous != nil, was.ByBucket)
			}
		}
		for i := 0; was.ByBucket && i < len(now); i++ {
			b, shown := rows[now[i]]
			bucket := func(name string, from, to time.Time) counts {
				return recount(slices.DeleteFunc(slices.Clone(events), func(e seen) bool {
					return label(a.By, e.at.In(a.From.Location())) != name || e.at.Before(from) || !e.at.Before(to)
				}))
			}
			is, had := bucket(now[i], a.From, a.To), bucket(before[i], was.From, was.To)
			if shown != (is.events+had.events > 0) {
				t.Errorf("%s: row %s, of %d events and %d before, is shown: %v", what, now[i], is.events, had.events, shown)
			}
			if shown {
				checkChange(t, what+" "+now[i], is, had, b.Figures, b.Previous.Figures, *b.Change)
			}
		}
	}
	if uneven != 1 {
		t.Errorf("%d ranges have other numbers of buckets than those before, want 1", uneven)
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
