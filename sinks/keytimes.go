package sinks

import (
	"iter"
	"time"
)

// InstantBound spells an instant, milliseconds since the epoch, so that it sorts by time; it begins the sort keys
// made by SessionOrder, and serves as a bound on them.
func InstantBound(ms int64) string { return string(appendInstant(nil, ms)) }

// appendInstant appends 2006-01-02T15:04:05.000Z. Package time formats RFC 3339 several times as fast as any other
// layout, and has the fraction in none that always has three digits.
func appendInstant(b []byte, ms int64) []byte {
	t := time.UnixMilli(ms).UTC()
	b = t.AppendFormat(b, time.RFC3339)
	f := t.Nanosecond() / 1_000_000
	return append(b[:len(b)-1], '.', byte('0'+f/100), byte('0'+f/10%10), byte('0'+f%10), 'Z')
}

// Hour spells an hour's start, in milliseconds since the epoch: 2026-05-12T14, or 2026-05-12T14:30 in a zone
// that is off by half an hour, with seconds in one that is off by some of them. Names sort as hours do.
func Hour(start int64) string {
	t := time.UnixMilli(start).UTC()
	switch {
	case t.Second() != 0:
		return t.Format("2006-01-02T15:04:05")
	case t.Minute() != 0:
		return t.Format("2006-01-02T15:04")
	}
	return t.Format("2006-01-02T15")
}

// ParseHour reads what Hour spelled and returns milliseconds since the epoch.
func ParseHour(s string) (int64, error) {
	layout := "2006-01-02T15:04:05"
	if n := len("2006-01-02T15"); len(s) == n || len(s) == n+len(":04") {
		layout = layout[:len(s)]
	}
	t, err := time.Parse(layout, s)
	return t.UnixMilli(), err
}

// Day spells a day: 2026-05-12.
func Day(start int64) string { return time.UnixMilli(start).UTC().Format(time.DateOnly) }

// DaysOfHours yields the dates in UTC, each as its first instant, of the hours that begin in [from, to), in order.
func DaysOfHours(from, to int64) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		const dayMs = 24 * 60 * 60 * 1000
		for day := from - (from%dayMs+dayMs)%dayMs; day < to && yield(day); day += dayMs {
		}
	}
}

// ParseDay reads what Day spelled and returns milliseconds since the epoch.
func ParseDay(s string) (int64, error) {
	t, err := time.Parse(time.DateOnly, s)
	return t.UnixMilli(), err
}

// Month spells a month: 2026-05.
func Month(start int64) string { return time.UnixMilli(start).UTC().Format("2006-01") }

// ParseMonth reads what Month spelled and returns milliseconds since the epoch.
func ParseMonth(s string) (int64, error) {
	t, err := time.Parse("2006-01", s)
	return t.UnixMilli(), err
}

// Minute spells a minute: 2026-05-12T14:03.
func Minute(start int64) string { return time.UnixMilli(start).UTC().Format("2006-01-02T15:04") }

// ParseMinute reads what Minute spelled and returns milliseconds since the epoch.
func ParseMinute(s string) (int64, error) {
	t, err := time.Parse("2006-01-02T15:04", s)
	return t.UnixMilli(), err
}
