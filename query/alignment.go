package query

import (
	"slices"
	"strings"
)

// Align says which earlier range a range is compared with.
type Align string

const (
	// AlignPeriod is the default. A day is compared with the day before, a week with the week before, a month or year with the one before
	// by the number of the day, and several days with the same days of the week as many whole weeks before as the range has begun.
	AlignPeriod Align = ""
	// AlignWeekday compares any range with the same days of the week, as many whole weeks before as the range has begun.
	AlignWeekday Align = "weekday"
	// AlignYear compares any range with the same dates of the year before.
	AlignYear Align = "year"
)

// Alignments are the names that a question may give.
var Alignments = []string{string(AlignWeekday), string(AlignYear)}

func (a Align) check() error {
	if a != AlignPeriod && !slices.Contains(Alignments, string(a)) {
		return &ParamError{"align", string(a), "choose " + strings.Join(Alignments, " or ") + ", or leave it out"}
	}
	return nil
}

// What a range can be compared with, besides another range.
const (
	AgainstPrevious = "previous" // the one before
	AgainstYear     = "year"     // the same dates a year before; with AlignWeekday the same days of the week, 52 weeks before
)

// A shift leads from a range to the earlier one that it is compared with: a number of days back to the same time of day, or a number of
// months back to the day of the same number. One of the two is 0.
type shift struct{ days, months int64 }

// shiftOf returns how far before a range, which is widened, the one lies that it is compared with.
func (c calendar) shiftOf(s span, unit By, align Align) shift {
	// When clocks change, a day has an hour less or more on the wall, or passes in an hour less or more; or in half an hour.
	length := min(s.to-s.from, c.shown(s.to)-c.shown(s.from)) - hourMs
	days := max(floorDiv(length, dayMs)+1, 1)
	weeks := shift{days: (days + 6) / 7 * 7}
	switch {
	case align == AlignWeekday:
		return weeks
	case align == AlignYear:
		return shift{months: 12}
	case unit == Month:
		return shift{months: 1}
	case unit == Year:
		return shift{months: 12}
	case unit == Week:
		return shift{days: 7}
	case unit == "" && (c.by == Month || c.by == Year) && c.bucket(s.from).from == s.from:
		if c.by == Year {
			return shift{months: 12 * c.count(s)}
		}
		if c.bucket(s.to-1).to == s.to {
			return shift{months: c.count(s)}
		}
		return weeks
	case days <= 1:
		return shift{days: 1}
	}
	return weeks
}

// before returns the day that a day is compared with. If there is none of its number in that month, it returns the first day of the
// next month, and false.
func (h shift) before(day int64) (int64, bool) {
	if h.months == 0 {
		return day - h.days, true
	}
	return sameNumber(day, -h.months)
}

// after returns the day that is compared with a day, as before does.
func (h shift) after(day int64) (int64, bool) {
	if h.months == 0 {
		return day + h.days, true
	}
	return sameNumber(day, h.months)
}

// sameNumber returns the day of the same number after that many months.
func sameNumber(day, months int64) (int64, bool) {
	c := calendar{by: Month}
	n := c.number(day)
	first, next := c.first(n+months), c.first(n+months+1)
	if same := first + day - c.first(n); same < next {
		return same, true
	}
	return next, false
}

// earlier returns the whole range that one is compared with, which is widened. It may begin before 1970.
func (c calendar) earlier(s span, h shift) span {
	if c.by == Hour {
		return span{c.hourFrom(s.from, h), c.hourTo(s.to, h)}
	}
	first, _ := h.before(c.day(s.from))
	end, _ := h.before(c.day(s.to-1) + 1)
	return span{c.begin(first), c.begin(end)}
}

// hourFrom returns where the first hour of a range begins that is compared with one that begins with an hour.
func (c calendar) hourFrom(from int64, h shift) int64 {
	if day := c.day(from); c.begin(day) == from {
		before, _ := h.before(day)
		return c.begin(before)
	}
	if n, ok := (pairing{cal: c, shift: h}).hour(c.bucket(from).n, h.before); ok {
		return c.at(n).from
	}
	return c.sameTime(from, h)
}

// hourTo returns where the last hour of a range ends that is compared with one that ends with an hour.
func (c calendar) hourTo(to int64, h shift) int64 {
	if day := c.day(to-1) + 1; c.begin(day) == to {
		before, _ := h.before(day)
		return c.begin(before)
	}
	if n, ok := (pairing{cal: c, shift: h}).hour(c.bucket(to-1).n, h.before); ok {
		return c.at(n).to
	}
	return c.sameTime(to, h)
}

// sameTime returns the instant at which clocks showed the same time on the day that the day of an instant is compared with, or would
// have shown it if they had not been set.
func (c calendar) sameTime(ms int64, h shift) int64 {
	day := c.day(ms)
	before, ok := h.before(day)
	if !ok {
		return c.begin(before)
	}
	return c.reached(c.shown(ms) + (before-day)*dayMs)
}

// until returns where a range ends that is compared with a running one: after as much of its last day, or in the same hour. Days are cut
// at the end of a stored hour, because nothing is stored of parts of one.
func (c calendar) until(now int64, h shift, k siteClock) int64 {
	if c.by == Hour {
		return c.hourTo(c.bucket(now).to, h)
	}
	day := c.day(now)
	before, ok := h.before(day)
	if !ok {
		return c.begin(before)
	}
	begin, end := c.begin(before), c.begin(before+1)
	at := begin + now - c.begin(day)
	if hour := k.hour(at); hour.from < at || at == begin {
		at = hour.to
	}
	return min(at, end)
}

// shown returns what clocks show at an instant, as milliseconds since they showed 1970-01-01.
func (c calendar) shown(ms int64) int64 {
	_, offset := c.instant(ms).Zone()
	return ms + int64(offset)*1000
}

// reached returns the first instant at which clocks show a time, or a later one because they were set.
func (c calendar) reached(shown int64) int64 {
	for from := shown - dayMs; ; {
		_, offset := c.instant(from).Zone()
		to := c.steady(from)
		if at := max(shown-int64(offset)*1000, from); at < to {
			return at
		}
		from = to
	}
}

// A pairing finds the buckets of a range that are compared with those of an earlier one, by number.
type pairing struct {
	cal    calendar
	shift  shift
	byDate bool  // hours and days: by date and time of day
	number int64 // other buckets: how far apart partners are
}

// pair pairs the buckets of a range with those of an earlier one. ok is false if that is not possible, since there are more of one.
func (c calendar) pair(s, earlier span, h shift) (p pairing, ok bool) {
	p = pairing{cal: c, shift: h, byDate: c.by == Hour || c.by == Day}
	p.number = c.bucket(s.from).n - c.bucket(earlier.from).n
	return p, p.byDate || c.count(s) == c.count(earlier)
}

// inOrder pairs the buckets of two ranges in their order. ok is false if there are more of one.
func (c calendar) inOrder(s, other span) (p pairing, ok bool) {
	return pairing{cal: c, number: c.bucket(s.from).n - c.bucket(other.from).n}, c.count(s) == c.count(other)
}

// after returns the bucket that is compared with the n-th; ok is false where none is.
func (p pairing) after(n int64) (partner int64, ok bool) {
	switch {
	case !p.byDate:
		return n + p.number, true
	case p.cal.by == Day:
		return p.shift.after(n)
	}
	return p.hour(n, p.shift.after)
}

// before returns the bucket that the n-th is compared with; ok is false where there is none, and the bucket is then about where it
// would be.
func (p pairing) before(n int64) (partner int64, ok bool) {
	switch {
	case !p.byDate:
		return n - p.number, true
	case p.cal.by == Day:
		return p.shift.before(n)
	}
	return p.hour(n, p.shift.before)
}

// hour returns the hour at which clocks show the same time as in the n-th, on the day to which move leads. Of an hour that comes twice,
// the second is paired with a second one only.
func (p pairing) hour(n int64, move func(day int64) (int64, bool)) (partner int64, ok bool) {
	shown := hourShown(p.cal.shown(p.cal.at(n).from))
	day := floorDiv(shown, dayMs)
	to, ok := move(day)
	if !ok {
		return p.cal.bucket(p.cal.begin(to)).n, false
	}
	want := shown + (to-day)*dayMs
	at := p.cal.reached(want)
	if p.cal.bucket(p.cal.reached(shown)).n != n {
		at += hourMs
	}
	return p.cal.bucket(at).n, hourShown(p.cal.shown(at)) == want
}

// hourShown returns the hour that clocks show: where they are set by half an hour, an hour may begin in its midst.
func hourShown(shown int64) int64 { return floorDiv(shown, hourMs) * hourMs }
