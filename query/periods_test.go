package query

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
)

// clockZones: clocks that change in spring and autumn on both halves of the earth, by half an hour, at midnight, and never; and a zone
// that is half an hour off.
var clockZones = []string{"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "America/Santiago", "UTC"}

// A wall is what a calendar on the wall and a clock beside it show, quarter of an hour by quarter of an hour. It is a reckoning of days
// that shares nothing with the rest of the package: its only rules of calendars are those of time.Time.
type wall struct {
	zone   *time.Location
	begins map[string]time.Time // the first instant of a date
	rules  *sites.Rules         // of a site with this zone
}

func newWall(t *testing.T, zone string, from, to time.Time) wall {
	rules, err := sites.ParseRules(fmt.Sprintf(`{"zones":[{"zone":%q}]}`, zone))
	if err != nil {
		t.Fatal(err)
	}
	w := wall{zoneOf(t, zone), make(map[string]time.Time), rules}
	for at := from; at.Before(to); at = at.Add(15 * time.Minute) {
		date := at.In(w.zone).Format(time.DateOnly)
		if _, seen := w.begins[date]; !seen {
			w.begins[date] = at
		}
	}
	return w
}

// A date is noon in UTC, so that a day is always 24 hours.
func noon(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 12, 0, 0, 0, time.UTC) }

func (w wall) begin(t *testing.T, date time.Time) time.Time {
	t.Helper()
	at, ok := w.begins[date.Format(time.DateOnly)]
	if !ok {
		t.Fatalf("%s has no %s", w.zone, date.Format(time.DateOnly))
	}
	return at
}

// asked is the instant at which questions are asked.
var asked = time.Date(2026, 5, 12, 14, 35, 20, 0, time.UTC)

const oneDay = 24 * time.Hour

// back goes back day by day, from a date, to one that is as it should be; on goes on to the next.
func back(date time.Time, is func(time.Time) bool) time.Time {
	for !is(date) {
		date = date.Add(-oneDay)
	}
	return date
}

func on(date time.Time, is func(time.Time) bool) time.Time {
	for date = date.Add(oneDay); !is(date); {
		date = date.Add(oneDay)
	}
	return date
}

func monday(d time.Time) bool   { return d.Weekday() == time.Monday }
func first1st(d time.Time) bool { return d.Day() == 1 }
func newYear(d time.Time) bool  { return d.YearDay() == 1 }

// period returns the first date of a period and the one after its last.
func (w wall) period(name string, today time.Time) (from, to time.Time) {
	running := func(is func(time.Time) bool) (time.Time, time.Time) { return back(today, is), on(today, is) }
	last := func(is func(time.Time) bool) (time.Time, time.Time) {
		end := back(today, is)
		return back(end.Add(-oneDay), is), end
	}
	var days int
	switch name {
	case "today":
		return today, today.Add(oneDay)
	case "yesterday":
		return today.Add(-oneDay), today
	case "week":
		return running(monday)
	case "last-week":
		return last(monday)
	case "month":
		return running(first1st)
	case "last-month":
		return last(first1st)
	case "year":
		return running(newYear)
	case "last-year":
		return last(newYear)
	}
	if _, err := fmt.Sscanf(name, "%dd", &days); err != nil {
		panic(name)
	}
	return today.Add(-time.Duration(days) * oneDay), today
}

// eachMoment calls f for several times of each of 400 days. make test takes the days beside one that is shorter or longer, and of the
// others the ends of months and every 19th, at one time each.
func (w wall) eachMoment(t *testing.T, f func(now, today time.Time)) {
	fewer := slow.Fewer(t)
	hours := func(day time.Time) time.Duration { return w.begin(t, day.Add(oneDay)).Sub(w.begin(t, day)) }
	some := 0
	for i, day := 0, noon(2025, 9, 1); i < 400; i, day = i+1, day.Add(oneDay) {
		begin, end := w.begin(t, day), w.begin(t, day.Add(oneDay))
		times := []time.Time{begin, begin.Add(2*time.Hour + 30*time.Minute), begin.Add(3*time.Hour + 30*time.Minute),
			begin.Add(14*time.Hour + 35*time.Minute + 20*time.Second),
			end.Add(-time.Millisecond)}
		if fewer && hours(day) == oneDay && hours(day.Add(oneDay)) == oneDay && hours(day.Add(-oneDay)) == oneDay {
			if i%19 != 0 && day.Day() != 1 && day.Day() != 31 {
				continue
			}
			times, some = times[some%len(times):][:1], some+1
		}
		for _, now := range times {
			f(now, day)
		}
	}
}

var (
	wallFrom = time.Date(2022, 12, 25, 0, 0, 0, 0, time.UTC)
	wallTo   = time.Date(2027, 2, 1, 0, 0, 0, 0, time.UTC)
)

func TestPeriodsAreThoseOfTheWall(t *testing.T) {
	for _, zone := range clockZones {
		w, checked := newWall(t, zone, wallFrom, wallTo), 0
		w.eachMoment(t, func(now, today time.Time) {
			for _, name := range Periods {
				first, end := w.period(name, today)
				r, err := ParsePeriodIn(name, now, w.zone)
				if err != nil || !r.From.Equal(w.begin(t, first)) || !r.To.Equal(w.begin(t, end)) {
					t.Fatalf("%s at %s is [%s, %s), %v; want [%s, %s)", name, now.In(w.zone), r.From.In(w.zone), r.To.In(w.zone), err,
						w.begin(t, first).In(w.zone), w.begin(t, end).In(w.zone))
				}
				checked++
			}
			for _, days := range []int{1, 2, 7, 28, 30, 365} {
				text := fmt.Sprintf("-%dd", days)
				at, err := ParseTimeIn(text, now, w.zone)
				if want := w.begin(t, today.Add(-time.Duration(days-1)*oneDay)); err != nil || !at.Equal(want) {
					t.Fatalf("%s at %s is %s, %v; want %s", text, now.In(w.zone), at.In(w.zone), err, want.In(w.zone))
				}
				checked++
			}
			for text, days := range map[string]int{"today": 0, "yesterday": 1, "-1w": 6, "-4w": 27} {
				at, err := ParseTimeIn(text, now, w.zone)
				if want := w.begin(t, today.Add(-time.Duration(days)*oneDay)); err != nil || !at.Equal(want) {
					t.Fatalf("%s at %s is %s, %v; want %s", text, now.In(w.zone), at.In(w.zone), err, want.In(w.zone))
				}
			}
		})
		t.Logf("%s: %d periods and offsets", zone, checked)
	}
}

func TestNamedPeriods(t *testing.T) {
	berlin := zoneOf(t, "Europe/Berlin")
	for name, want := range map[string]string{
		"2026-03-29": "day 2026-03-28T23:00:00Z 2026-03-29T22:00:00Z",
		"2026-03":    "month 2026-02-28T23:00:00Z 2026-03-31T22:00:00Z",
		"2026":       "year 2025-12-31T23:00:00Z 2026-12-31T23:00:00Z",
		"2027":       "year 2026-12-31T23:00:00Z 2027-12-31T23:00:00Z",
		"today":      "day 2026-05-11T22:00:00Z 2026-05-12T22:00:00Z",
		"week":       "week 2026-05-10T22:00:00Z 2026-05-17T22:00:00Z",
		"month":      "month 2026-04-30T22:00:00Z 2026-05-31T22:00:00Z",
		"91d":        "days 2026-02-09T23:00:00Z 2026-05-11T22:00:00Z",
	} {
		r, err := ParsePeriodIn(name, asked, berlin)
		got := fmt.Sprint(r.Unit, " ", r.From.UTC().Format(time.RFC3339), " ", r.To.UTC().Format(time.RFC3339))
		if err != nil || got != want {
			t.Errorf("%s is %s, %v; want %s", name, got, err, want)
		}
	}
	for _, name := range []string{"", "-7d", "0d", "d", "7", "7h", "4w", "last-7d", "last-today", "Today", "tomorrow", "2026-13", "1969",
		"10000",
		"9999999d", "99999999999d"} {
		if r, err := ParsePeriodIn(name, asked, berlin); err == nil {
			t.Errorf("%q is %v, want an error", name, r)
		}
	}
}

// The range from -24h until now has 24 hours, in zones whose hours begin at half past as well.
func TestHoursUntilNow(t *testing.T) {
	for _, zone := range clockZones {
		loc := zoneOf(t, zone)
		for _, at := range []time.Time{asked, asked.Truncate(time.Hour), asked.Truncate(time.Hour).Add(30 * time.Minute)} {
			from, err := ParseStartIn("-24h", at, loc)
			_, offset := at.In(loc).Zone()
			shown := at.Add(time.Duration(offset) * time.Second).UTC() // What clocks show.
			want := shown.Truncate(time.Hour)
			if !want.Equal(shown) {
				want = want.Add(time.Hour)
			}
			if want = want.Add(-24*time.Hour - time.Duration(offset)*time.Second); err != nil || !from.Equal(want) {
				t.Errorf("-24h at %s is %s, %v; want %s", at.In(loc), from.In(loc), err, want.In(loc))
			}
		}
		if from, err := ParseStartIn("-90m", asked, loc); err != nil || !from.Equal(asked.Add(-90*time.Minute)) {
			t.Errorf("-90m is %s, %v; want an hour and a half ago", from, err)
		}
	}
}

func zoneOf(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := ParseZone(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}
