package calendar

import (
	"strings"

	"github.com/footfall/footfall/query/ranges"
)

// Span reads a range in one word.
func (d Dating) Span(text string) (Span, error) {
	first, last, ends := strings.Cut(text, "..")
	if !ends {
		r, err := d.Period(text)
		return Span{r.From.UnixMilli(), r.To.UnixMilli()}, err
	}
	from, err := d.ParseStart(first)
	if err != nil {
		return Span{}, err
	}
	to, err := d.Parse(last)
	if err != nil {
		return Span{}, err
	}
	return NewSpan(from, to)
}

// Period reads the name of a period.
func (d Dating) Period(name string) (ranges.Range, error) {
	first, end, unit, ok := d.periodDays(name)
	if !ok && spelledDate.MatchString(name) {
		return ranges.Range{}, &ranges.ParamError{Param: "period", Value: name, Remedy: "there is no such date"}
	}
	if !ok {
		return ranges.Range{}, &ranges.ParamError{Param: "period", Value: name,
			Remedy: "not a period: choose " + strings.Join(ranges.Periods, ", ") +
				", another number of days (1d or more), or name a day (2026-05-12), a month (2026-05) or a year (2026)"}
	}
	r := ranges.Range{From: d.start(first), To: Instant(d.begin(end)), Unit: unit}
	if unit == ranges.Day && r.From.Equal(r.To) {
		return ranges.Range{}, &ranges.ParamError{Param: "period", Value: name,
			Remedy: "there is no such day: the time zone changes then, and skips it"}
	}
	if !nameable(r.From) || !nameable(r.To) || !r.From.Before(r.To) {
		return ranges.Range{}, &ranges.ParamError{Param: "period", Value: name,
			Remedy: "not within the years 1970 to 9999 (UTC): name a later or an earlier one"}
	}
	return r, nil
}

// periodDays returns the first day of a period and the one after its last.
func (d Dating) periodDays(name string) (first, end int64, unit ranges.By, ok bool) {
	today := d.today()
	unitOf := func(by ranges.By, day, back int64) (first, end int64, unit ranges.By, ok bool) {
		c := Calendar{By: by}
		n := c.number(day) - back
		return c.first(n), c.first(n + 1), by, true
	}
	switch name {
	case "today":
		return today, today + 1, ranges.Day, true
	case "yesterday":
		return today - 1, today, ranges.Day, true
	}
	size, last := strings.CutPrefix(name, "last-")
	for _, by := range []ranges.By{ranges.Week, ranges.Month, ranges.Year} {
		switch {
		case size != string(by):
		case last:
			return unitOf(by, today, 1)
		default:
			return unitOf(by, today, 0)
		}
	}
	if date, by, ok := parseDate(name); ok {
		return unitOf(by, DayNumber(date), 0)
	}
	if n, ok := days("-" + name); ok && n < 0 && strings.HasSuffix(name, "d") {
		return today + n, today, ranges.Days, true
	}
	return 0, 0, "", false
}
