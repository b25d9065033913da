package sites

import "time"

// Spans of time in milliseconds.
const (
	hourMs = int64(time.Hour / time.Millisecond)
	dayMs  = 24 * hourMs
)

// farthest is more than any zone's clocks have been from UTC since 1970, which is 14 hours.
const farthest = 16 * time.Hour

// HourOf returns the hour of the zone's clocks that holds an instant, [from, to). It begins when they show a full hour, or
// where they are set: so hours never overlap, and where clocks are set by half an hour, or not at a full one, an hour may
// be shorter than 60 minutes. Instants are in milliseconds since the epoch.
func HourOf(loc *time.Location, ms int64) (from, to int64) {
	if loc == time.UTC {
		from = floor(ms, hourMs)
		return from, from + hourMs
	}
	t := time.UnixMilli(ms).In(loc)
	_, seconds := t.Zone()
	offset := int64(seconds) * 1000
	from = floor(ms+offset, hourMs) - offset
	to = from + hourMs
	for at := t; ; {
		start, _ := at.ZoneBounds()
		if start.IsZero() || start.UnixMilli() <= from {
			break
		}
		at = start.Add(-time.Millisecond)
		if _, before := at.Zone(); before != seconds {
			from = start.UnixMilli()
			break
		}
	}
	for at := t; ; {
		at = NextClockChange(at)
		if at.IsZero() || at.UnixMilli() >= to {
			break
		}
		if _, after := at.Zone(); after != seconds {
			to = at.UnixMilli()
			break
		}
	}
	return from, to
}

// DayOf returns the day that holds an instant, counted from 1970-01-01, and its span [from, to). A day begins with the first
// instant at which the zone's clocks have reached its date: not at midnight where midnight is skipped, and at the first of
// two where it comes twice. It has 23 or 25 hours when clocks change, and none where a zone crossed the date line. Where
// clocks are set back over midnight the day that had begun goes on, so days never overlap.
func DayOf(loc *time.Location, ms int64) (day, from, to int64) {
	if loc == time.UTC {
		from = floor(ms, dayMs)
		return from / dayMs, from, from + dayMs
	}
	day = date(time.UnixMilli(ms).In(loc))
	from, to = DayBegin(loc, day), DayBegin(loc, day+1)
	for to <= ms {
		day++
		from, to = to, DayBegin(loc, day+1)
	}
	return day, from, to
}

// DayBegin returns the first instant of a day. time.Date would not do: it names either side of a midnight that is skipped or
// comes twice. From a little before the day, walk through the spans in which the zone's offset does not change, up to the
// one in which clocks reach its midnight, or had passed it when they were set.
func DayBegin(loc *time.Location, day int64) int64 {
	midnight := day * dayMs // as clocks show it
	if loc == time.UTC {
		return midnight
	}
	from := time.UnixMilli(midnight).Add(-farthest).In(loc)
	for {
		_, offset := from.Zone()
		to := NextClockChange(from)
		at := max(midnight-int64(offset)*1000, from.UnixMilli())
		if to.IsZero() || at < to.UnixMilli() {
			return at
		}
		from = to
	}
}

// NextClockChange returns an instant after t before which the offset of t's zone does not change; zero: it never does.
func NextClockChange(t time.Time) time.Time {
	_, at := t.ZoneBounds()
	if !at.IsZero() && !at.After(t) {
		// On the last day of a leap year ZoneBounds may name its beginning: where a rule holds for all years to come,
		// it takes the year for one of 365 days (Go 1.26). No clocks change on that day by rule.
		return t.Truncate(24 * time.Hour).Add(24 * time.Hour)
	}
	return at
}

// date counts the days from 1970-01-01 to the date that t shows.
func date(t time.Time) int64 {
	y, m, d := t.Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMilli() / dayMs
}

// floor rounds down to a multiple of size; t may be negative.
func floor(t, size int64) int64 {
	r := t % size
	if r < 0 {
		r += size
	}
	return t - r
}
