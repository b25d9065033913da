package calendar

import "github.com/footfall/footfall/query/ranges"

// A Shift leads from a range to the earlier one that it is compared with: a number of days back to the same time of day, or a number of
// months back to the day of the same number. One of the two is 0.
type Shift struct{ Days, Months int64 }

// ShiftOf returns how far before a range, which is widened, the one lies that it is compared with.
func (c Calendar) ShiftOf(s Span, unit ranges.By, align ranges.Align) Shift {
	// When clocks change, a day has an hour less or more on the wall, or passes in an hour less or more; or in half an hour.
	length := min(s.To-s.From, c.shown(s.To)-c.shown(s.From)) - HourMs
	days := max(floorDiv(length, DayMs)+1, 1)
	weeks := Shift{Days: (days + 6) / 7 * 7}
	switch {
	case align == ranges.AlignWeekday:
		return weeks
	case align == ranges.AlignYear:
		return Shift{Months: 12}
	case unit == ranges.Month:
		return Shift{Months: 1}
	case unit == ranges.Year:
		return Shift{Months: 12}
	case unit == ranges.Week:
		return Shift{Days: 7}
	case unit == "" && (c.By == ranges.Month || c.By == ranges.Year) && c.Bucket(s.From).From == s.From:
		if c.By == ranges.Year {
			return Shift{Months: 12 * c.Count(s)}
		}
		if c.Bucket(s.To-1).To == s.To {
			return Shift{Months: c.Count(s)}
		}
		return weeks
	case days <= 1:
		return Shift{Days: 1}
	}
	return weeks
}

// before returns the day that a day is compared with. If there is none of its number in that month, it returns the first day of the
// next month, and false.
func (h Shift) before(day int64) (int64, bool) {
	if h.Months == 0 {
		return day - h.Days, true
	}
	return sameNumber(day, -h.Months)
}

// after returns the day that is compared with a day, as before does.
func (h Shift) after(day int64) (int64, bool) {
	if h.Months == 0 {
		return day + h.Days, true
	}
	return sameNumber(day, h.Months)
}

// sameNumber returns the day of the same number after that many months.
func sameNumber(day, months int64) (int64, bool) {
	c := Calendar{By: ranges.Month}
	n := c.number(day)
	first, next := c.first(n+months), c.first(n+months+1)
	if same := first + day - c.first(n); same < next {
		return same, true
	}
	return next, false
}

// Earlier returns the whole range that one is compared with, which is widened. It may begin before 1970.
func (c Calendar) Earlier(s Span, h Shift) Span {
	if c.By == ranges.Hour {
		return Span{c.hourFrom(s.From, h), c.hourTo(s.To, h)}
	}
	first, _ := h.before(c.day(s.From))
	end, _ := h.before(c.day(s.To-1) + 1)
	return Span{c.begin(first), c.begin(end)}
}

// hourFrom returns where the first hour of a range begins that is compared with one that begins with an hour.
func (c Calendar) hourFrom(from int64, h Shift) int64 {
	if day := c.day(from); c.begin(day) == from {
		before, _ := h.before(day)
		return c.begin(before)
	}
	if n, ok := (Pairing{Cal: c, Shift: h}).hour(c.Bucket(from).N, h.before); ok {
		return c.At(n).From
	}
	return c.sameTime(from, h)
}

// hourTo returns where the last hour of a range ends that is compared with one that ends with an hour.
func (c Calendar) hourTo(to int64, h Shift) int64 {
	if day := c.day(to-1) + 1; c.begin(day) == to {
		before, _ := h.before(day)
		return c.begin(before)
	}
	if n, ok := (Pairing{Cal: c, Shift: h}).hour(c.Bucket(to-1).N, h.before); ok {
		return c.At(n).To
	}
	return c.sameTime(to, h)
}

// sameTime returns the instant at which clocks showed the same time on the day that the day of an instant is compared with, or would
// have shown it if they had not been set.
func (c Calendar) sameTime(ms int64, h Shift) int64 {
	day := c.day(ms)
	before, ok := h.before(day)
	if !ok {
		return c.begin(before)
	}
	return c.reached(c.shown(ms) + (before-day)*DayMs)
}

// Until returns where a range ends that is compared with a running one: after as much of its last day, or in the same hour. Days are cut
// at the end of a stored hour, because nothing is stored of parts of one.
func (c Calendar) Until(now int64, h Shift, k Clock) int64 {
	if c.By == ranges.Hour {
		return c.hourTo(c.Bucket(now).To, h)
	}
	day := c.day(now)
	before, ok := h.before(day)
	if !ok {
		return c.begin(before)
	}
	begin, end := c.begin(before), c.begin(before+1)
	at := begin + now - c.begin(day)
	if hour := k.Hour(at); hour.From < at || at == begin {
		at = hour.To
	}
	return min(at, end)
}

// shown returns what clocks show at an instant, as milliseconds since they showed 1970-01-01.
func (c Calendar) shown(ms int64) int64 {
	_, offset := c.Instant(ms).Zone()
	return ms + int64(offset)*1000
}

// reached returns the first instant at which clocks show a time, or a later one because they were set.
func (c Calendar) reached(shown int64) int64 {
	for from := shown - DayMs; ; {
		_, offset := c.Instant(from).Zone()
		to := c.steady(from)
		if at := max(shown-int64(offset)*1000, from); at < to {
			return at
		}
		from = to
	}
}

// A Pairing finds the buckets of a range that are compared with those of an earlier one, by number.
type Pairing struct {
	Cal    Calendar
	Shift  Shift
	byDate bool  // hours and days: by date and time of day
	number int64 // other buckets: how far apart partners are
}

// Pair pairs the buckets of a range with those of an earlier one. ok is false if that is not possible, since there are more of one.
func (c Calendar) Pair(s, earlier Span, h Shift) (p Pairing, ok bool) {
	p = Pairing{Cal: c, Shift: h, byDate: c.By == ranges.Hour || c.By == ranges.Day}
	p.number = c.Bucket(s.From).N - c.Bucket(earlier.From).N
	return p, p.byDate || c.Count(s) == c.Count(earlier)
}

// InOrder pairs the buckets of two ranges in their order. ok is false if there are more of one.
func (c Calendar) InOrder(s, other Span) (p Pairing, ok bool) {
	return Pairing{Cal: c, number: c.Bucket(s.From).N - c.Bucket(other.From).N}, c.Count(s) == c.Count(other)
}

// After returns the bucket that is compared with the n-th; ok is false where none is.
func (p Pairing) After(n int64) (partner int64, ok bool) {
	switch {
	case !p.byDate:
		return n + p.number, true
	case p.Cal.By == ranges.Day:
		return p.Shift.after(n)
	}
	return p.hour(n, p.Shift.after)
}

// Before returns the bucket that the n-th is compared with; ok is false where there is none, and the bucket is then about where it
// would be.
func (p Pairing) Before(n int64) (partner int64, ok bool) {
	switch {
	case !p.byDate:
		return n - p.number, true
	case p.Cal.By == ranges.Day:
		return p.Shift.before(n)
	}
	return p.hour(n, p.Shift.before)
}

// hour returns the hour at which clocks show the same time as in the n-th, on the day to which move leads. Of an hour that comes twice,
// the second is paired with a second one only.
func (p Pairing) hour(n int64, move func(day int64) (int64, bool)) (partner int64, ok bool) {
	shown := hourShown(p.Cal.shown(p.Cal.At(n).From))
	day := floorDiv(shown, DayMs)
	to, ok := move(day)
	if !ok {
		return p.Cal.Bucket(p.Cal.begin(to)).N, false
	}
	want := shown + (to-day)*DayMs
	at := p.Cal.reached(want)
	if p.Cal.Bucket(p.Cal.reached(shown)).N != n {
		at += HourMs
	}
	return p.Cal.Bucket(at).N, hourShown(p.Cal.shown(at)) == want
}

// hourShown returns the hour that clocks show: where they are set by half an hour, an hour may begin in its midst.
func hourShown(shown int64) int64 { return floorDiv(shown, HourMs) * HourMs }
