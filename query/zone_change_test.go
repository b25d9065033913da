package query_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
)

// A changed wall is what people at a site see whose zone changes: the date on the clocks of the zone that holds, which never steps back.
// It goes a quarter of an hour at a time and shares nothing with the product.
type changedWall struct {
	old, new *time.Location
	change   time.Time
	dates    []string
	begins   map[string]time.Time
}

func newChangedWall(old, new *time.Location, change time.Time) changedWall {
	w := changedWall{old: old, new: new, change: change, begins: make(map[string]time.Time)}
	date := ""
	for at := change.AddDate(0, 0, -40); at.Before(change.AddDate(0, 0, 40)); at = at.Add(15 * time.Minute) {
		if shown := at.In(w.zone(at)).Format(time.DateOnly); shown > date {
			date = shown
			w.dates, w.begins[date] = append(w.dates, date), at
		}
	}
	return w
}

func (w changedWall) zone(at time.Time) *time.Location {
	if at.Before(w.change) {
		return w.old
	}
	return w.new
}

// date returns the date of an instant.
func (w changedWall) date(at time.Time) string {
	n := slices.IndexFunc(w.dates, func(d string) bool { return w.begins[d].After(at) })
	return w.dates[n-1]
}

// buckets returns when the hour of an instant begins, and its date in UTC.
func (w changedWall) buckets(at time.Time) (hour, day time.Time) {
	local := at.In(w.zone(at))
	hour = at.Add(-time.Duration(local.Minute())*time.Minute - time.Duration(local.Second())*time.Second).Truncate(time.Second).UTC()
	if !at.Before(w.change) && hour.Before(w.change) {
		hour = w.change.UTC()
	}
	day, err := time.Parse(time.DateOnly, w.date(at))
	if err != nil {
		panic(err)
	}
	return hour, day
}

// TestDaysOverAChangeOfZone asks by the site's own days, the one that a change of zone made shorter or longer among them.
func TestDaysOverAChangeOfZone(t *testing.T) {
	for _, c := range []struct {
		old, new, change string
		date             string // of the day that runs at the change
		hours            float64
	}{
		{"Europe/Berlin", "Asia/Kolkata", "2026-04-14T18:30:00Z", "2026-04-14", 20.5},
		{"Asia/Kolkata", "America/New_York", "2026-04-15T04:00:00Z", "2026-04-15", 33.5},
		{"America/New_York", "Pacific/Auckland", "2026-04-14T12:00:00Z", "2026-04-14", 8},
		{"Pacific/Auckland", "Pacific/Honolulu", "2026-04-15T10:00:00Z", "2026-04-15", 46},
		{"Pacific/Pago_Pago", "Pacific/Kiritimati", "2026-04-15T10:00:00Z", "2026-04-14", 23},
	} {
		t.Run(c.old+" to "+c.new, func(t *testing.T) {
			change, err := time.Parse(time.RFC3339, c.change)
			if err != nil {
				t.Fatal(err)
			}
			wall := newChangedWall(location(t, c.old), location(t, c.new), change)
			dice := rand.New(rand.NewPCG(3, 4))
			var events []seen
			for range 1200 {
				events = append(events, seen{change.Add(time.Duration(dice.IntN(20*24*60)-10*24*60) * time.Minute), dice.IntN(60), dice.IntN(3) > 0,
					dice.IntN(4) == 0})
			}
			w := newWorld(t)
			w.rules(shop, &sites.Rules{Zones: []sites.Zone{{Name: c.old}, {From: change.UnixMilli(), Name: c.new}}})
			w.recordBy(wall.buckets, shop, events, kept{})
			at := slices.Index(wall.dates, c.date)
			first, end := wall.begins[wall.dates[at-1]], wall.begins[wall.dates[at+2]]
			a := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: first, To: end, By: query.Day,
				Compare: true, Align: query.AlignWeekday, Fill: true}))
			var got, want []string
			for _, b := range a.Buckets {
				got = append(got, fmt.Sprint(b.Start.UTC(), b.End.UTC(), b.Start.Format(time.DateOnly), b.Events, b.Hours, *b.UniqueVisitors))
				if b.Previous == nil || b.Previous.Events != wall.count(events, b.Start.AddDate(0, 0, -7).Format(time.DateOnly)) {
					t.Errorf("%v is compared with %+v", b.Start, b.Previous)
				}
			}
			for i := at - 1; i <= at+1; i++ {
				date, hours := wall.dates[i], 0.0
				if i == at {
					hours = c.hours
				}
				of := recount(slices.DeleteFunc(slices.Clone(events), func(e seen) bool { return wall.date(e.at) != date }))
				want = append(want, fmt.Sprint(wall.begins[date].UTC(), wall.begins[wall.dates[i+1]].UTC(), date, of.events, hours, len(of.visitors)))
			}
			if !slices.Equal(got, want) {
				t.Errorf("days\n%q, want\n%q", got, want)
			}
			month := must[query.StatsAnswer](t)(w.Stats(t.Context(), query.StatsParams{Site: shop, From: first, To: end, By: query.Month}))
			if len(month.Buckets) != 1 || month.Buckets[0].Events != a.Totals.Events || month.Buckets[0].Hours == 0 {
				t.Errorf("the month %+v, want the events of its days, and its hours", month.Buckets)
			}
			u := must[query.UniquesAnswer](t)(w.Uniques(t.Context(), query.UniquesParams{Site: shop, From: first, To: end}))
			if u.UniqueVisitors != *a.Totals.UniqueVisitors || u.Events != a.Totals.Events {
				t.Errorf("uniques %+v, want those of the days: %+v", u, a.Totals)
			}
		})
	}
}

// count returns how many events a date has.
func (w changedWall) count(events []seen, date string) (n int64) {
	for _, e := range events {
		if w.date(e.at) == date {
			n++
		}
	}
	return n
}
