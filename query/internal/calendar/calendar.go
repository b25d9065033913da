// Package calendar has the arithmetic of time: spans, the buckets of a zone, the hours and days of a site, the earlier range that a range
// is compared with, and the words for instants and periods. It reads nothing and has no clock.
package calendar

import (
	"math"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/ranges"
)

// Spans of UTC, in milliseconds. A day of a zone may be shorter or longer.
const (
	HourMs = int64(time.Hour / time.Millisecond)
	DayMs  = 24 * HourMs
)

// A Calendar cuts time into buckets of one size by the clocks of a zone. Buckets are half-open, follow one another
// without a gap, and have consecutive numbers, so that a bucket of one range can be set beside one of another.
//
// A day begins with the first instant at which the zone's clocks have reached its date: not at midnight where
// midnight is skipped, and at the first of two where it comes twice. So days have 23 or 25 hours when clocks change,
// and none where a zone crossed the date line. Weeks are those of ISO 8601, from Monday on. Hours begin
// when clocks show a full hour; a zone whose clocks are set by a part of an hour has none across that: see uneven.
type Calendar struct {
	By  ranges.By
	Loc *time.Location
	Own *sites.Rules // whose days these are, where zones of a site change; loc is the last of them. nil: those of loc
}

// zone returns the zone whose clocks count at an instant, and until when.
func (c Calendar) zone(ms int64) (loc *time.Location, until int64) {
	if c.Own == nil {
		return c.Loc, math.MaxInt64
	}
	held := c.Own.Zone(ms)
	return held.Loc, held.To
}

// steady returns an instant after ms before which the clocks that count are not set.
func (c Calendar) steady(ms int64) int64 {
	loc, until := c.zone(ms)
	if t := changes(time.UnixMilli(ms).In(loc)); !t.IsZero() {
		until = min(until, t.UnixMilli())
	}
	return until
}

// byZone returns the calendar without the changes of the site's zone, as of an instant.
func (c Calendar) byZone(ms int64) Calendar {
	loc, _ := c.zone(ms)
	return Calendar{By: c.By, Loc: loc}
}

// Days is the calendar of the days that the buckets are made of.
func (c Calendar) Days() Calendar {
	c.By = ranges.Day
	return c
}

// Changed reports whether a change of the site's zone made a bucket shorter or longer.
func (c Calendar) Changed(s Span) bool {
	return c.Own != nil && c.By != ranges.Hour && c.byZone(s.From).Bucket(s.From).Span != s
}

// A Bucket is a whole hour, day, week, month or year.
type Bucket struct {
	N int64 // of the calendar's buckets, 0 is the one that holds the day 1970-01-01, or year 0
	Span
}

// Bucket returns the bucket that holds an instant.
func (c Calendar) Bucket(ms int64) Bucket {
	if c.By == ranges.Hour {
		return c.At(floorDiv(ms-c.shift(ms), HourMs))
	}
	return c.At(c.number(c.day(ms)))
}

// At returns the n-th bucket. It ends with the last instant at the latest.
func (c Calendar) At(n int64) Bucket {
	if c.By == ranges.Hour {
		from := n*HourMs + c.shift(n*HourMs)
		return Bucket{n, Span{from, min(from+HourMs, c.Last())}}
	}
	return Bucket{n, Span{c.begin(c.first(n)), min(c.begin(c.first(n+1)), c.Last())}}
}

// number returns the number of the bucket that holds a day. Days, here and below, are counted from 1970-01-01.
func (c Calendar) number(day int64) int64 {
	date := time.UnixMilli(day * DayMs).UTC()
	switch c.By {
	case ranges.Week:
		return floorDiv(day+3, 7) // 1970-01-01 was a Thursday.
	case ranges.Month:
		return int64(date.Year()-1970)*12 + int64(date.Month()-time.January)
	case ranges.Year:
		return int64(date.Year())
	}
	return day
}

// first returns the first day of the n-th bucket.
func (c Calendar) first(n int64) int64 {
	switch c.By {
	case ranges.Week:
		return 7*n - 3
	case ranges.Month:
		return DayNumber(time.Date(1970, time.January+time.Month(n), 1, 0, 0, 0, 0, time.UTC))
	case ranges.Year:
		return DayNumber(time.Date(int(n), time.January, 1, 0, 0, 0, 0, time.UTC))
	}
	return n
}

// DayNumber counts the days from 1970-01-01 to the date that t shows.
func DayNumber(t time.Time) int64 {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMilli() / DayMs
}

// day returns the day that holds an instant. That is the date on the zone's clocks, except where they were set back over midnight: the
// next day has begun by then, and continues.
func (c Calendar) day(ms int64) int64 {
	if c.Own != nil {
		name, _, _ := c.Own.Day(ms)
		return floorDiv(name, DayMs)
	}
	day, _, _ := sites.DayOf(c.Loc, ms)
	return day
}

// begin returns the first instant of a day.
func (c Calendar) begin(day int64) int64 {
	if c.Own != nil {
		return c.Own.Begin(day * DayMs)
	}
	return sites.DayBegin(c.Loc, day)
}

// changes returns an instant after t before which the offset of t's zone does not change; zero: it never does.
func changes(t time.Time) time.Time { return sites.NextClockChange(t) }

// Last is where the last bucket ends. That is the last instant that keys can spell: its year has four digits both in UTC and in the
// zone.
func (c Calendar) Last() int64 {
	return min(LastInstant.UnixMilli(), c.begin(firstDayOf10000)-1)
}

var firstDayOf10000 = DayNumber(time.Date(10_000, time.January, 1, 0, 0, 0, 0, time.UTC))

// Holds returns an error unless keys can spell all of a span, in UTC and in the zone. The span may be a cursor's.
func (c Calendar) Holds(s Span) error {
	if s.From < 0 || s.From >= min(s.To, c.Last()) || s.To > LastInstant.UnixMilli() {
		return &ranges.ParamError{Param: "from", Value: Instant(s.From).Format(time.RFC3339),
			Remedy: "not the start of a range within the years 1970 to 9999"}
	}
	return nil
}

// Widen returns the whole hours that cover s, or for larger buckets the whole days: a week, month or year at an end
// of the range may be there in part.
func (c Calendar) Widen(s Span) Span {
	small := c.Small()
	return Span{max(small.Bucket(s.From).From, 0), small.Bucket(s.To - 1).To}
}

// Small is the calendar of the smallest buckets that a range by c is made of.
func (c Calendar) Small() Calendar {
	if c.By != ranges.Hour {
		c.By = ranges.Day
	}
	return c
}

// Count returns how many buckets a span has something of.
func (c Calendar) Count(s Span) int64 { return c.Bucket(s.To-1).N - c.Bucket(s.From).N + 1 }

// SizeFor chooses the size of buckets for a range if the question leaves it open: hours for up to two days, days for up to ninety days,
// months for longer ranges. A unit of the calendar has a size of its own, so that a month that has just begun is shown by day, too.
func SizeFor(s Span, loc *time.Location, unit ranges.By) ranges.By {
	switch unit {
	case ranges.Day:
		return ranges.Hour
	case ranges.Week, ranges.Month:
		return ranges.Day
	case ranges.Year:
		return ranges.Month
	}
	for _, c := range []struct {
		by   ranges.By
		days int
	}{{ranges.Hour, 2}, {ranges.Day, 90}} {
		// A change of clocks may have made the days longer. Their number decides.
		end := time.UnixMilli(s.From).In(loc).AddDate(0, 0, c.days).UnixMilli()
		if s.To <= max(end, s.From+int64(c.days)*DayMs) {
			return c.by
		}
	}
	return ranges.Month
}

// uneven returns an instant in s from which on hours of the zone begin elsewhere within those of UTC, if there is one: they
// cannot be numbered across it.
func (c Calendar) uneven(s Span) (at int64, ok bool) {
	shift := c.shift(s.From)
	for at := c.steady(s.From); at < s.To; at = c.steady(at) {
		if c.shift(at) != shift {
			return at, true
		}
	}
	return 0, false
}

// shift is how much later than those of UTC hours of the zone begin, at an instant, in milliseconds.
func (c Calendar) shift(ms int64) int64 {
	loc, _ := c.zone(ms)
	if loc == time.UTC {
		return 0
	}
	_, offset := time.UnixMilli(ms).In(loc).Zone()
	return ((-int64(offset)*1000)%HourMs + HourMs) % HourMs
}

// fractional reports whether the zone's clocks are ever off by other than full hours during s.
func (c Calendar) fractional(s Span) bool {
	for at := s.From; ; {
		if c.shift(at) != 0 {
			return true
		}
		if at = c.steady(at); at >= s.To {
			return false
		}
	}
}

// Instant makes a time, in the zone whose clocks count then, of milliseconds since the epoch.
func (c Calendar) Instant(ms int64) time.Time {
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

// Empty reports whether it is a date that a zone skipped.
func (b Bucket) Empty() bool { return b.From >= b.To }
