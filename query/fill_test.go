package query_test

import (
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/query"
)

// Every bucket up to the current one has a row, and those with events have the same one as without filling.
func testStatsFilled(t *testing.T, w *world) {
	fewer := slow.Fewer(t)
	events := history(6)
	w.record(shop, events, kept{})
	for i, c := range []struct {
		zone     string
		by       query.By
		from, to time.Time
	}{
		{"UTC", query.Hour, at(-30), at(22)}, {"Europe/Berlin", query.Day, date(3, 20), date(6, 1)},
		{"America/Havana", query.Week, date(1, 7), now},
		{"UTC", query.Month, date(1, 1), now.AddDate(1, 0, 0)}, {"Europe/London", query.Hour, date(3, 28), date(3, 30)},
		{"Asia/Tokyo", query.Year, date(1, 1).AddDate(-3, 0, 0), now}, {"UTC", query.Day, now.AddDate(0, 1, 0), now.AddDate(0, 2, 0)},
	} {
		for _, compare := range []bool{false, true} {
			if compare && c.from.After(now) {
				continue // Rows of what lies ahead are those of the earlier range.
			}
			if fewer && compare == (i%2 == 1) && !c.from.After(now) {
				continue
			}
			p := query.StatsParams{Site: shop, From: c.from, To: c.to, By: c.by, Zone: location(t, c.zone), Compare: compare,
				Paging: query.Paging{Limit: query.MaxLimit}}
			plain := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
			p.Fill = true
			filled := must[query.StatsAnswer](t)(w.Stats(t.Context(), p))
			if compact(t, plain.Totals) != compact(t, filled.Totals) || compact(t, plain.Previous) != compact(t, filled.Previous) {
				t.Errorf("%s by %s: filling changes the totals", c.zone, c.by)
			}
			end := filled.To
			if now.Before(end) {
				end = now.Add(time.Millisecond)
			}
			var got []string
			for _, b := range filled.Buckets {
				got = append(got, label(c.by, b.Start))
			}
			if want := labels(c.by, filled.From, end); !slices.Equal(got, want) {
				t.Errorf("%s by %s from %s: rows %q, want %q", c.zone, c.by, c.from, got, want)
			}
			rest := slices.DeleteFunc(slices.Clone(filled.Buckets), func(b query.Bucket) bool {
				return b.Events == 0 && (b.Previous == nil || b.Previous.Events == 0)
			})
			if got, want := compact(t, rest), compact(t, plain.Buckets); got != want && len(plain.Buckets) > 0 {
				t.Errorf("%s by %s from %s: rows with events\n got %s\nwant %s", c.zone, c.by, c.from, got, want)
			}
			for _, b := range filled.Buckets {
				if b.Events == 0 && (b.Incomplete || b.UniqueVisitors == nil || *b.UniqueVisitors != 0 || b.ValueSum != "0") {
					t.Errorf("%s by %s: a row without events is %s", c.zone, c.by, compact(t, b))
				}
			}
			for _, desc := range []bool{false, true} {
				rows, _, _ := pages(t, 3, func(cursor string) ([]query.Bucket, int, string, error) {
					p.Paging = query.Paging{Limit: 3, Desc: desc, Cursor: cursor}
					a, err := w.Stats(t.Context(), p)
					return a.Buckets, a.ExpiredOmitted, a.Cursor, err
				})
				if desc {
					slices.Reverse(rows)
				}
				if got, want := compact(t, rows), compact(t, filled.Buckets); got != want && len(filled.Buckets) > 0 {
					t.Errorf("%s by %s, desc %v, compare %v: pages of three rows\n got %s\nwant %s", c.zone, c.by, desc, compare, got, want)
				}
			}
		}
	}
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: "unknown", From: date(5, 1), To: now,
		By: query.Day, Fill: true}))
	if a.SiteKnown || len(a.Buckets) != 12 {
		t.Errorf("a site without events is known %v, with %d rows; want an unknown one with 12", a.SiteKnown, len(a.Buckets))
	}
}

// What has no items, and is older than items are kept, may have had some.
func testFilledRowsExpire(t *testing.T, w *world) {
	w.site(shop, 16)
	first := date(4, 29)
	for i := range 14 {
		if day := first.AddDate(0, 0, i); i != 8 {
			w.day(shop, day, day.AddDate(0, 0, 1+9), 1, 1, 0)
		}
	}
	a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: first, To: now, By: query.Day, Fill: true}))
	for i, b := range a.Buckets {
		if gone := i < 4; b.Incomplete != gone || gone && b.UniqueVisitors != nil || b.Events > 0 != (!gone && i != 8) {
			t.Errorf("%s: %s; want data expired: %v", b.Start.Format(time.DateOnly), compact(t, b), gone)
		}
	}
	if len(a.Buckets) != 14 {
		t.Errorf("%d rows, want 14", len(a.Buckets))
	}
}
