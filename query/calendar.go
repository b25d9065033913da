package query

import (
	"math"
	"time"

	"github.com/footfall/footfall/internal/sites"
)

// Spans of UTC, in milliseconds. A day of a zone may be shorter or longer.
const (
	hourMs = int64(time.Hour / time.Millisecond)
	dayMs  = 24 * hourMs
)

// A calendar cuts time into buckets of one size by the clocks of a zone. Buckets are half-open, follow one another
// without a gap, and have consecutive numbers, so that a bucket of one range can be set beside one of another.
//
// A day begins with the first instant at which the zone's clocks have reached its date: not at midnight where
// midnight is skipped, and at the first of two where it comes twice. So days have 23 or 25 hours when clocks change,
// and none where a zone crossed the date line. Weeks are those of ISO 8601, from Monday on. Hours begin
// when clocks show a full hour; a zone whose clocks are set by a part of an hour has none across that: see uneven.
type calendar struct {
	by  By
	loc *time.Location
	own *sites.Rules // whose days these are, where zones of a site change; loc is the last of them. nil: those of loc
}

// inOwn is the calendar of a site's own days, as questions that end at an instant see it: where its zone never changes, that of the zone.
func (k siteClock) inOwn(by By, end int64) calendar {
	c := calendar{by: by, loc: k.zone(end)}
	if k.rules.ChangesZone() {
		c.own = k.rules
	}
	return c
}

// zone returns the zone whose clocks count at an instant, and until when.
func (c calendar) zone(ms int64) (loc *time.Location, until int64) {
	if c.own == nil {
		return c.loc, math.MaxInt64
	}
	held := c.own.Zone(ms)
	return held.Loc, held.To
}

// steady returns an instant after ms before which the clocks that count are not set.
func (c calendar) steady(ms int64) int64 {
	loc, until := c.zone(ms)
	if t := changes(time.UnixMilli(ms).In(loc)); !t.IsZero() {
		until = min(until, t.UnixMilli())
	}
	return until
}

// byZone returns the calendar without the changes of the site's zone, as of an instant.
func (c calendar) byZone(ms int64) calendar {
	loc, _ := c.zone(ms)
	return calendar{by: c.by, loc: loc}
}

// days is the calendar of the days that the buckets are made of.
func (c calendar) days() calendar {
	c.by = Day
	return c
}

// changed reports whether a change of the site's zone made a bucket shorter or longer.
func (c calendar) changed(s span) bool {
	return c.own != nil && c.by != Hour && c.byZone(s.from).bucket(s.from).span != s
}

// A bucket is a whole hour, day, week, month or year.
type bucket struct {
	n int64 // of the calendar's buckets, 0 is the one that holds the day 1970-01-01, or year 0
	span
}

// bucket returns the bucket that holds an instant.
func (c calendar) bucket(ms int64) bucket {
	if c.by == Hour {
		return c.at(floorDiv(ms-c.shift(ms), hourMs))
	}
	return c.at(c.number(c.day(ms)))
}

// at returns the n-th bucket. It ends with the last instant at the latest.
func (c calendar) at(n int64) bucket {
	if c.by == Hour {
		from := n*hourMs + c.shift(n*hourMs)
		return bucket{n, span{from, min(from+hourMs, c.last())}}
	}
	return bucket{n, span{c.begin(c.first(n)), min(c.begin(c.first(n+1)), c.last())}}
}

// number returns the number of the bucket that holds a day. Days, here and below, are counted from 1970-01-01.
func (c calendar) number(day int64) int64 {
	date := time.UnixMilli(day * dayMs).UTC()
	switch c.by {
	case Week:
		return floorDiv(day+3, 7) // 1970-01-01 was a Thursday.
	case Month:
		return int64(date.Year()-1970)*12 + int64(date.Month()-time.January)
	case Year:
		return int64(date.Year())
	}
	return day
}

// first returns the first day of the n-th bucket.
func (c calendar) first(n int64) int64 {
	switch c.by {
	case Week:
		return 7*n - 3
	case Month:
		return dayNumber(time.Date(1970, time.January+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
	case Year:
		return dayNumber(time.Date(int(n), time.January, 1, 0, 0, 0, 0, time.UTC))
	}
	return n
}

// dayNumber counts the days from 1970-01-01 to the date that t shows.
func dayNumber(t time.Time) int64 {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMilli() / dayMs
}

// day returns the day that holds an instant. That is the date on the zone's clocks, except where they were set back over midnight: the
// next day has begun by then, and continues.
func (c calendar) day(ms int64) int64 {
	if c.own != nil {
		name, _, _ := c.own.Day(ms)
		return floorDiv(name, dayMs)
	}
	day, _, _ := sites.DayOf(c.loc, ms)
	return day
}

// begin returns the first instant of a day.
func (c calendar) begin(day int64) int64 {
	if c.own != nil {
		return c.own.Begin(day * dayMs)
	}
	return sites.DayBegin(c.loc, day)
}

// changes returns an instant after t before which the offset of t's zone does not change; zero: it never does.
func changes(t time.Time) time.Time { return sites.NextClockChange(t) }

// last is where the last bucket ends. That is the last instant that keys can spell: its year has four digits both in UTC and in the
// zone.
func (c calendar) last() int64 {
	return min(lastInstant.UnixMilli(), c.begin(firstDayOf10000)-1)
}

var firstDayOf10000 = dayNumber(time.Date(10_000, time.January, 1, 0, 0, 0, 0, time.UTC))

// holds returns an error unless keys can spell all of a span, in UTC and in the zone. The span may be a cursor's.
func (c calendar) holds(s span) error {
	if s.from < 0 || s.from >= min(s.to, c.last()) || s.to > lastInstant.UnixMilli() {
		return &ParamError{"from", instant(s.from).Format(time.RFC3339), "not the start of a range within the years 1970 to 9999"}
	}
	return nil
}

// widen returns the whole hours that cover s, or for larger buckets the whole days: a week, month or year at an end
// of the range may be there in part.
func (c calendar) widen(s span) span {
	small := c.small()
	return span{max(small.bucket(s.from).from, 0), small.bucket(s.to - 1).to}
}

// small is the calendar of the smallest buckets that a range by c is made of.
func (c calendar) small() calendar {
	if c.by != Hour {
		c.by = Day
	}
	return c
}

// count returns how many buckets a span has something of.
func (c calendar) count(s span) int64 { return c.bucket(s.to-1).n - c.bucket(s.from).n + 1 }

// sizeFor chooses the size of buckets for a range if the question leaves it open: hours for up to two days, days for up to ninety days,
// months for longer ranges. A unit of the calendar has a size of its own, so that a month that has just begun is shown by day, too.
func sizeFor(s span, loc *time.Location, unit By) By {
	switch unit {
	case Day:
		return Hour
	case Week, Month:
		return Day
	case Year:
		return Month
	}
	for _, c := range []struct {
		by   By
		days int
	}{{Hour, 2}, {Day, 90}} {
		// A change of clocks may have made the days longer. Their number decides.
		end := time.UnixMilli(s.from).In(loc).AddDate(0, 0, c.days).UnixMilli()
		if s.to <= max(end, s.from+int64(c.days)*dayMs) {
			return c.by
		}
	}
	return Month
}

// uneven returns an instant in s from which on hours of the zone begin elsewhere within those of UTC, if there is one: they
// cannot be numbered across it.
func (c calendar) uneven(s span) (at int64, ok bool) {
	shift := c.shift(s.from)
	for at := c.steady(s.from); at < s.to; at = c.steady(at) {
		if c.shift(at) != shift {
			return at, true
		}
	}
	return 0, false
}

// shift is how much later than those of UTC hours of the zone begin, at an instant, in milliseconds.
func (c calendar) shift(ms int64) int64 {
	loc, _ := c.zone(ms)
	if loc == time.UTC {
		return 0
	}
	_, offset := time.UnixMilli(ms).In(loc).Zone()
	return ((-int64(offset)*1000)%hourMs + hourMs) % hourMs
}

// fractional reports whether the zone's clocks are ever off by other than full hours during s.
func (c calendar) fractional(s span) bool {
	for at := s.from; ; {
		if c.shift(at) != 0 {
			return true
		}
		if at = c.steady(at); at >= s.to {
			return false
		}
	}
}

// instant makes a time, in the zone whose clocks count then, of milliseconds since the epoch.
func (c calendar) instant(ms int64) time.Time {
	loc, _ := c.zone(ms)
	return time.UnixMilli(ms).In(loc)
}

// floorDiv divides towards minus infinity.
func floorDiv(a, b int64) int64 {
	if a%b < 0 {
		return a/b - 1
	}
	return a / b
}
