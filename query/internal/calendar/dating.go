package calendar

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/query/ranges"
)

// A Dating reads what depends on a calendar: the words for instants and periods. Days are counted from 1970-01-01.
type Dating struct {
	now   time.Time
	loc   *time.Location
	begin func(day int64) int64 // the first instant of a day
	day   func(ms int64) int64  // the day that holds an instant
	hour  func(ms int64) Span
}

// DatingIn reads dates in a zone.
func DatingIn(now time.Time, loc *time.Location) Dating {
	c := Calendar{By: ranges.Day, Loc: loc}
	return Dating{now: now, loc: loc, begin: c.begin, day: c.day,
		hour: func(ms int64) Span { return Calendar{By: ranges.Hour, Loc: loc}.Bucket(ms).Span }}
}

// today is the day of now.
func (d Dating) today() int64 { return d.day(d.now.UnixMilli()) }

// start returns the first instant of a day that keys can name.
func (d Dating) start(day int64) time.Time {
	t := Instant(d.begin(day))
	if day == 0 && t.Before(Instant(0)) {
		return Instant(0) // The day from which on there are keys, which has begun before where clocks are ahead.
	}
	return t
}

// Parse reads an instant that keys can name.
func (d Dating) Parse(s string) (time.Time, error) {
	t, ok := d.read(s)
	switch {
	case !ok && spelledDate.MatchString(s):
		return time.Time{}, &ranges.ParamError{Param: "time", Value: s, Remedy: "there is no such date"}
	case !ok:
		return time.Time{}, &ranges.ParamError{Param: "time", Value: s,
			Remedy: "not an instant: write RFC 3339 (2026-05-12T14:00:00Z), a date (2026-05-12), a month " +
				"(2026-05), a year (2026), today, yesterday, an offset (-24h, -7d, -4w) or now"}
	case !nameable(t):
		return time.Time{}, &ranges.ParamError{Param: "time", Value: s, Remedy: unnameable}
	}
	return t, nil
}

// ParseStart is parse for the start of a range of whole hours.
func (d Dating) ParseStart(s string) (time.Time, error) {
	t, err := d.Parse(s)
	if by, short := offset(s); err == nil && short && by < 0 && by%time.Hour == 0 {
		if h := d.hour(t.UnixMilli()); h.From != t.UnixMilli() {
			t = Instant(h.To)
		}
	}
	return t, err
}

// spelledDate matches what is spelled as a date or a month, whether there is one or not.
var spelledDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$`)

func (d Dating) read(s string) (t time.Time, ok bool) {
	switch s {
	case "now":
		return d.now, true
	case "today":
		return d.start(d.today()), true
	case "yesterday":
		return d.start(d.today() - 1), true
	}
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, true
	}
	if date, _, ok := parseDate(s); ok {
		return d.start(DayNumber(date)), true
	}
	if n, ok := days(s); ok {
		if n < 0 {
			return d.start(d.today() + n + 1), true
		}
		return d.now.In(d.loc).AddDate(0, 0, int(n)), true
	}
	if by, ok := offset(s); ok {
		return d.now.Add(by), true
	}
	return time.Time{}, false
}

// parseDate reads a date, a month or a year, and returns its first date in UTC and its size.
func parseDate(s string) (first time.Time, size ranges.By, ok bool) {
	for _, form := range []struct {
		layout string
		size   ranges.By
	}{{time.DateOnly, ranges.Day}, {"2006-01", ranges.Month}, {"2006", ranges.Year}} {
		if t, err := time.Parse(form.layout, s); err == nil {
			return t, form.size, true
		}
	}
	return time.Time{}, "", false
}

// days reads a number of days or weeks with its sign: -7d, +4w. Weeks have seven days.
func days(s string) (n int64, ok bool) {
	if s == "" || s[0] != '-' && s[0] != '+' {
		return 0, false
	}
	number, unit := s[:len(s)-1], int64(1)
	switch s[len(s)-1] {
	case 'd':
	case 'w':
		unit = 7
	default:
		return 0, false
	}
	if strings.ContainsAny(number[1:], "+-") {
		return 0, false
	}
	n, err := strconv.ParseInt(number, 10, 24) // 8 million days reach beyond the year 9999.
	return n * unit, err == nil
}

// offset reads a duration with its sign: -24h, -90m.
func offset(s string) (time.Duration, bool) {
	if s == "" || s[0] != '-' && s[0] != '+' {
		return 0, false
	}
	by, err := time.ParseDuration(s)
	return by, err == nil
}
