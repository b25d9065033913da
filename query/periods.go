package query

import (
	"errors"
	"strings"
	"time"
)

// Range is a range of time, half-open.
type Range struct {
	From, To time.Time
	// Unit is the unit of the calendar that the range is: Day, Week, Month or Year, or Days.
	Unit By
}

// Days is the Unit of a range of several days. It is no size of a bucket.
const Days By = "days"

// Periods are the names that [ParsePeriodIn] takes, besides those of several days (28d), dates, months and years.
var Periods = []string{"today", "yesterday", "7d", "28d", "30d", "90d", "week", "last-week", "month", "last-month", "year", "last-year"}

// ParsePeriodIn reads the name of a period of a zone's calendar:
//
//   - today and yesterday;
//   - 7d, 28d, 90d or any other number of days: that many whole days up to yesterday, as Plausible counts;
//   - week, month and year: the current one, from Monday on (ISO 8601), the 1st, and the 1st of January;
//   - last-week, last-month and last-year: the one before;
//   - 2026-05-12, 2026-05 or 2026: that day, month or year.
//
// A period that is not over ends in the future, where its last day does. Any other name is a [ParamError], and so is a period that
// does not lie in the years 1970 to 9999.
func ParsePeriodIn(name string, now time.Time, loc *time.Location) (Range, error) {
	return datingIn(now, loc).period(name)
}

// ParseRangeIn reads a range in one word: FROM..TO, both as [ParseStartIn] reads them, or a period as of [ParsePeriodIn].
func ParseRangeIn(text string, now time.Time, loc *time.Location) (Range, error) {
	s, err := datingIn(now, loc).span(text)
	return Range{From: instant(s.from), To: instant(s.to)}, err
}

// span reads a range in one word.
func (d dating) span(text string) (span, error) {
	first, last, ends := strings.Cut(text, "..")
	if !ends {
		r, err := d.period(text)
		return span{r.From.UnixMilli(), r.To.UnixMilli()}, err
	}
	from, err := d.parseStart(first)
	if err != nil {
		return span{}, err
	}
	to, err := d.parse(last)
	if err != nil {
		return span{}, err
	}
	return newSpan(from, to)
}

// remedy returns what an error of a parameter says to do.
func remedy(err error) string {
	if wrong, ok := errors.AsType[*ParamError](err); ok {
		return wrong.Remedy
	}
	return err.Error()
}

func (d dating) period(name string) (Range, error) {
	first, end, unit, ok := d.periodDays(name)
	if !ok && spelledDate.MatchString(name) {
		return Range{}, &ParamError{"period", name, "there is no such date"}
	}
	if !ok {
		return Range{}, &ParamError{"period", name, "not a period: choose " + strings.Join(Periods, ", ") +
			", another number of days (1d or more), or name a day (2026-05-12), a month (2026-05) or a year (2026)"}
	}
	r := Range{d.start(first), instant(d.begin(end)), unit}
	if unit == Day && r.From.Equal(r.To) {
		return Range{}, &ParamError{"period", name, "there is no such day: the time zone changes then, and skips it"}
	}
	if !nameable(r.From) || !nameable(r.To) || !r.From.Before(r.To) {
		return Range{}, &ParamError{"period", name, "not within the years 1970 to 9999 (UTC): name a later or an earlier one"}
	}
	return r, nil
}

// periodDays returns the first day of a period and the one after its last.
func (d dating) periodDays(name string) (first, end int64, unit By, ok bool) {
	today := d.today()
	unitOf := func(by By, day, back int64) (first, end int64, unit By, ok bool) {
		c := calendar{by: by}
		n := c.number(day) - back
		return c.first(n), c.first(n + 1), by, true
	}
	switch name {
	case "today":
		return today, today + 1, Day, true
	case "yesterday":
		return today - 1, today, Day, true
	}
	size, last := strings.CutPrefix(name, "last-")
	for _, by := range []By{Week, Month, Year} {
		switch {
		case size != string(by):
		case last:
			return unitOf(by, today, 1)
		default:
			return unitOf(by, today, 0)
		}
	}
	if date, by, ok := parseDate(name); ok {
		return unitOf(by, dayNumber(date), 0)
	}
	if n, ok := days("-" + name); ok && n < 0 && strings.HasSuffix(name, "d") {
		return today + n, today, Days, true
	}
	return 0, 0, "", false
}
