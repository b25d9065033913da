package query

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ParseTime reads an instant, with the dates of UTC. It takes
//
//   - RFC 3339: 2026-05-12T14:00:00Z;
//   - a date, a month or a year, which is its first instant: 2026-05-12, 2026-05, 2026;
//   - today and yesterday, which are the first instant of that day;
//   - -7d and -4w, which are the first instant of the earliest of as many days or weeks of seven days, today included: -7d is the
//     first instant of the day six days ago, so that the days from -7d until now are seven, and -1d is today;
//   - -24h and -90m, which are so much earlier than now, and +36h, +7d and +4w, which are so much later;
//   - now.
//
// It returns a [ParamError] for any other text, and for instants outside of the years 1970 to 9999, which keys cannot spell.
func ParseTime(s string, now time.Time) (time.Time, error) { return ParseTimeIn(s, now, time.UTC) }

// ParseTimeIn is [ParseTime] for the dates of a zone.
func ParseTimeIn(s string, now time.Time, loc *time.Location) (time.Time, error) {
	return datingIn(now, loc).parse(s)
}

// ParseStartIn is [ParseTimeIn] for the start of a range that is answered in whole hours. It differs for offsets of full hours: -24h
// is the beginning of the earliest of 24 hours, the current one included, where ParseTimeIn returns an instant within the 25th.
func ParseStartIn(s string, now time.Time, loc *time.Location) (time.Time, error) {
	return datingIn(now, loc).parseStart(s)
}

// A dating reads what depends on a calendar: the words for instants and periods. Days are counted from 1970-01-01.
type dating struct {
	now   time.Time
	loc   *time.Location
	begin func(day int64) int64 // the first instant of a day
	day   func(ms int64) int64  // the day that holds an instant
	hour  func(ms int64) span
}

func datingIn(now time.Time, loc *time.Location) dating {
	c := calendar{by: Day, loc: loc}
	return dating{now: now, loc: loc, begin: c.begin, day: c.day,
		hour: func(ms int64) span { return calendar{by: Hour, loc: loc}.bucket(ms).span }}
}

// today is the day of now.
func (d dating) today() int64 { return d.day(d.now.UnixMilli()) }

// start returns the first instant of a day that keys can name.
func (d dating) start(day int64) time.Time {
	t := instant(d.begin(day))
	if day == 0 && t.Before(instant(0)) {
		return instant(0) // The day from which on there are keys, which has begun before where clocks are ahead.
	}
	return t
}

// parse reads an instant that keys can name.
func (d dating) parse(s string) (time.Time, error) {
	t, ok := d.read(s)
	switch {
	case !ok && spelledDate.MatchString(s):
		return time.Time{}, &ParamError{"time", s, "there is no such date"}
	case !ok:
		return time.Time{}, &ParamError{"time", s, "not an instant: write RFC 3339 (2026-05-12T14:00:00Z), a date (2026-05-12), a month " +
			"(2026-05), a year (2026), today, yesterday, an offset (-24h, -7d, -4w) or now"}
	case !nameable(t):
		return time.Time{}, &ParamError{"time", s, unnameable}
	}
	return t, nil
}

// parseStart is parse for the start of a range of whole hours.
func (d dating) parseStart(s string) (time.Time, error) {
	t, err := d.parse(s)
	if by, short := offset(s); err == nil && short && by < 0 && by%time.Hour == 0 {
		if h := d.hour(t.UnixMilli()); h.from != t.UnixMilli() {
			t = instant(h.to)
		}
	}
	return t, err
}

// spelledDate matches what is spelled as a date or a month, whether there is one or not.
var spelledDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}(-[0-9]{2})?$`)

func (d dating) read(s string) (t time.Time, ok bool) {
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
		return d.start(dayNumber(date)), true
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
func parseDate(s string) (first time.Time, size By, ok bool) {
	for _, form := range []struct {
		layout string
		size   By
	}{{time.DateOnly, Day}, {"2006-01", Month}, {"2006", Year}} {
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
