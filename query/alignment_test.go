package query

import (
	"context"
	"errors"
	"sort"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// empty is a table without items.
type empty struct{ sinks.Table }

func (empty) Query(context.Context, sinks.Query) (sinks.Page, error) { return sinks.Page{}, nil }

// askedAt is the question of a site whose own zone is the wall's, as it is put at an instant.
func (w wall) askedAt(t *testing.T, now time.Time, p StatsParams) (statsQuestion, error) {
	t.Helper()
	p.Site, p.Compare = "x", true
	q, err := newStatsQuestion(p, sitetable.Table{Store: &sitetable.Store{Table: empty{}, Now: func() time.Time { return now }}, Site: p.Site,
		Clock: calendar.Clock{Rules: w.rules}})
	if err == nil {
		err = q.Shorten(t.Context())
	}
	return q, err
}

// partners finds the date that each date of a range is compared with, by going through the calendar day by day. It returns a function
// from dates to dates, the zero time where there is none, and the ends of the earlier range.
func partners(name string, first, end time.Time, align Align) (partner func(time.Time) time.Time, from, to time.Time) {
	var days int
	for d := first; d.Before(end); d = d.Add(oneDay) {
		days++
	}
	back7 := 7
	for back7 < days {
		back7 += 7
	}
	byDays := func(n int) (func(time.Time) time.Time, time.Time, time.Time) {
		before := func(d time.Time) time.Time { return d.Add(-time.Duration(n) * oneDay) }
		return before, before(first), before(end)
	}
	if align == AlignYear {
		return func(d time.Time) time.Time {
			if before := d.AddDate(-1, 0, 0); before.Day() == d.Day() { // The year before may have no 29 February.
				return before
			}
			return time.Time{}
		}, first.AddDate(-1, 0, 0), end.AddDate(-1, 0, 0)
	}
	begins := map[string]func(time.Time) bool{"month": first1st, "last-month": first1st, "year": newYear, "last-year": newYear}[name]
	switch {
	case align == AlignWeekday || begins == nil && days > 1:
		return byDays(back7)
	case begins == nil:
		return byDays(1)
	}
	from = back(first.Add(-oneDay), begins)
	return func(d time.Time) time.Time {
		if !d.Before(end) {
			return first
		}
		for b := from; b.Before(first); b = b.Add(oneDay) {
			if b.Day() == d.Day() && (name[len(name)-4:] != "year" || b.Month() == d.Month()) {
				return b
			}
		}
		return time.Time{}
	}, from, first
}

// full rounds an instant up to the next at which clocks show a full hour, or are set.
func (w wall) full(at time.Time) time.Time {
	up := at.Truncate(15 * time.Minute)
	if up.Before(at) {
		up = up.Add(15 * time.Minute)
	}
	for ; ; up = up.Add(15 * time.Minute) {
		_, before := up.Add(-time.Millisecond).In(w.zone).Zone()
		if _, after := up.In(w.zone).Zone(); up.In(w.zone).Minute() == 0 || before != after {
			return up
		}
	}
}

func TestComparedRangesAreThoseOfTheWall(t *testing.T) {
	t.Parallel()
	slow.Unraced(t)
	for _, zone := range clockZones {
		w, checked, years := newWall(t, zone, wallFrom, wallTo), 0, 0
		w.eachMoment(t, func(now, today time.Time) {
			for _, name := range []string{"today", "yesterday", "7d", "28d", "30d", "week", "last-week", "month", "last-month", "year", "last-year",
				"-7d", "-28d", "-1d"} {
				for _, align := range []Align{AlignPeriod, AlignWeekday, AlignYear} {
					first, end, p := w.asked(t, name, now, today)
					partner, from, to := partners(name, first, end, align)
					p.By, p.Align, p.Zone = Day, align, w.zone
					q, err := w.askedAt(t, now, p)
					if err != nil {
						t.Fatalf("%s at %s: %v", name, now.In(w.zone), err)
					}
					wantFrom, wantTo := w.begin(t, from), w.begin(t, to)
					if p := partner(today); !today.Before(first) && today.Before(end) && !p.IsZero() {
						cut := w.full(w.begin(t, p).Add(max(now.Sub(w.begin(t, today)), time.Millisecond)))
						if wantTo = w.begin(t, p.Add(oneDay)); cut.Before(wantTo) {
							wantTo = cut
						}
					}
					if !calendar.Instant(q.Before.From).Equal(wantFrom) || !calendar.Instant(q.Before.To).Equal(wantTo) || !q.Paired {
						t.Fatalf("%s at %s, aligned by %q, is compared with [%s, %s), row by row: %v; want [%s, %s)", name, now.In(w.zone), align,
							q.Cal.Instant(q.Before.From), q.Cal.Instant(q.Before.To), q.Paired, wantFrom.In(w.zone), wantTo.In(w.zone))
					}
					checked++
					if !now.Equal(w.begin(t, today)) || end.Sub(first) > 40*oneDay && today.Day()%10 != 0 && slow.Asked() {
						continue // The dates of a range are compared with the same ones all day.
					}
					if end.Sub(first) > 40*oneDay {
						years++
					}
					for d := first; d.Before(end); d = d.Add(oneDay) {
						n := calendar.DayNumber(d)
						before, ok := q.Pairing.Before(n)
						if want := partner(d); ok == want.IsZero() || ok && before != calendar.DayNumber(want) {
							t.Fatalf("%s at %s, aligned by %q: %s is compared with %s, %v; want %s", name, now.In(w.zone), align, d.Format(time.DateOnly),
								calendar.Instant(before*calendar.DayMs), ok, want)
						}
						if after, back := q.Pairing.After(before); ok && (!back || after != n) {
							t.Fatalf("%s: the partner of %s has another partner", name, d.Format(time.DateOnly))
						}
					}
				}
			}
		})
		if years == 0 {
			t.Errorf("%s: no dates of a year are compared: the test has lost its point", zone)
		}
		t.Logf("%s: %d comparisons by day, %d of them of years", zone, checked, years)
	}
}

// asked returns the dates of a period or of the days from an offset on, and the question for it.
func (w wall) asked(t *testing.T, name string, now, today time.Time) (first, end time.Time, p StatsParams) {
	t.Helper()
	var err error
	if name[0] == '-' {
		first, end = w.period(name[1:], today)
		first, end = first.Add(oneDay), end.Add(oneDay)
		p.From, err = ParseTimeIn(name, now, w.zone)
		p.To = now.Add(time.Millisecond) // An instant later: at the first of a day there is no day until now.
	} else {
		first, end = w.period(name, today)
		var r Range
		r, err = ParsePeriodIn(name, now, w.zone)
		p.From, p.To, p.Unit = r.From, r.To, r.Unit
	}
	if err != nil {
		t.Fatal(err)
	}
	return first, end, p
}

// An hour on the wall: what clocks show, and whether it is the second hour that shows it.
type wallHour struct {
	date   string
	hour   int
	second bool
}

// hours lists the hours of a range, with their beginnings.
func (w wall) hours(from, to time.Time) (names []wallHour, at map[wallHour]time.Time) {
	at = make(map[wallHour]time.Time)
	for q := from; q.Before(to); q = q.Add(15 * time.Minute) {
		name := wallHour{q.In(w.zone).Format(time.DateOnly), q.In(w.zone).Hour(), false}
		if begun, ok := at[name]; ok && q.Sub(begun) < time.Hour {
			continue
		} else if ok {
			name.second = true
		}
		if _, ok := at[name]; !ok {
			names, at[name] = append(names, name), q
		}
	}
	return names, at
}

// Hours are compared with those of the same time: also where clocks were set in one of the ranges, and in the range from -24h on.
func TestComparedHoursAreThoseOfTheWall(t *testing.T) {
	t.Parallel()
	slow.Unraced(t)
	for _, zone := range clockZones {
		w, checked, refused, alone := newWall(t, zone, wallFrom, wallTo), 0, 0, 0
		all, at := w.hours(wallFrom, wallTo)
		w.eachMoment(t, func(now, today time.Time) {
			for _, name := range []string{"today", "yesterday", "-24h", "-48h"} {
				for _, align := range []Align{AlignPeriod, AlignWeekday} {
					p := StatsParams{By: Hour, Align: align, Zone: w.zone}
					if name[0] == '-' {
						p.From, _ = ParseStartIn(name, now, w.zone)
						p.To = now
					} else {
						_, _, p = w.asked(t, name, now, today)
						p.By, p.Align, p.Zone = Hour, align, w.zone
					}
					q, err := w.askedAt(t, now, p)
					if errors.As(err, new(*ParamError)) && zone == "Australia/Lord_Howe" {
						refused++ // Where clocks are set by half an hour, hours have no numbers.
						continue
					}
					if err != nil {
						t.Fatalf("%s at %s: %v", name, now.In(w.zone), err)
					}
					days := 1
					if align == AlignWeekday || name == "-48h" {
						days = 7
					}
					begin := func(i int) int64 { return at[all[i]].UnixMilli() }
					names := all[sort.Search(len(all), func(i int) bool { return begin(i) >= q.Span.From }):sort.Search(len(all),
						func(i int) bool { return begin(i) >= q.Span.To })]
					last := -1
					for i, h := range names {
						n := q.Cal.Bucket(at[h].UnixMilli()).N
						partner := wallHour{noonOf(h.date).Add(-time.Duration(days) * oneDay).Format(time.DateOnly), h.hour, h.second}
						want, ok := at[partner]
						got, paired := q.Pairing.Before(n)
						if paired != ok || ok && q.Cal.At(got).From != want.UnixMilli() {
							t.Fatalf("%s at %s: the hour of %s is compared with that of %s, %v; want %s, %v", name, now.In(w.zone), at[h].In(w.zone),
								q.Cal.Instant(q.Cal.At(got).From), paired, want.In(w.zone), ok)
						}
						if !ok {
							alone++
						} else if after, back := q.Pairing.After(got); !back || after != n {
							t.Fatalf("%s at %s: the partner of the hour of %s has another partner", name, now.In(w.zone), at[h].In(w.zone))
						}
						if ok && !at[h].After(now) {
							last = i
							if midnight := w.begin(t, noonOf(h.date)); i == 0 && at[h].Equal(midnight) {
								want = w.begin(t, noonOf(partner.date)) // Which may have an hour more at its beginning.
							}
							if i == 0 && q.Before.From != want.UnixMilli() {
								t.Fatalf("%s at %s: the earlier range begins at %s, want %s", name, now.In(w.zone), q.Cal.Instant(q.Before.From), want)
							}
						}
					}
					// The running hour is the last one, unless it has no partner.
					if last >= 0 {
						got, _ := q.Pairing.Before(q.Cal.Bucket(at[names[last]].UnixMilli()).N)
						running := last == len(names)-1 || at[names[last+1]].After(now)
						end := q.Cal.At(got).To
						if running && end != q.Before.To && end != q.Before.To-calendar.HourMs && end != q.Before.To+calendar.HourMs {
							// An hour comes twice.
							t.Fatalf("%s at %s: the earlier range ends at %s, want %s", name, now.In(w.zone), q.Cal.Instant(q.Before.To),
								q.Cal.Instant(end))
						}
					}
					checked++
				}
			}
		})
		t.Logf("%s: %d comparisons by hour, %d hours without a partner, %d refused", zone, checked, alone, refused)
	}
}

// Thirty days are compared by weekday also when they are a month, and are shown by month; two months are compared with two.
func TestDaysThatAreAMonth(t *testing.T) {
	w := newWall(t, "Europe/Berlin", asked, asked.Add(time.Hour))
	now := time.Date(2025, 12, 1, 8, 0, 0, 0, time.UTC)
	r, err := ParsePeriodIn("30d", now, w.zone)
	if err != nil {
		t.Fatal(err)
	}
	for unit, want := range map[By]string{r.Unit: "2025-09-27", "": "2025-10-01"} {
		q, err := w.askedAt(t, now, StatsParams{From: r.From, To: r.To, Unit: unit, By: Month, Zone: w.zone})
		if got := q.Cal.Instant(q.Before.From).Format(time.DateOnly); err != nil || got != want {
			t.Errorf("30 days of November, unit %q, are compared with those from %s on, %v; want %s", unit, got, err, want)
		}
	}
}

func noonOf(date string) time.Time {
	d, err := time.Parse(time.DateOnly, date)
	if err != nil {
		panic(err)
	}
	return d.Add(oneDay / 2)
}
