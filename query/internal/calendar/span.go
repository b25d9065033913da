package calendar

import (
	"time"

	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// A Span is a half-open range of time, milliseconds since the epoch.
type Span struct{ From, To int64 }

// LastInstant is the last that keys can name. Keys spell years with four digits, so they order instants from 1970 to the end of 9999.
var LastInstant = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)

// nameable reports whether keys can name an instant.
func nameable(t time.Time) bool { return !t.Before(time.UnixMilli(0)) && !t.After(LastInstant) }

const unnameable = "outside the years 1970 to 9999 (UTC)"

// NewSpan checks a range. An absent end is open: from the epoch on, until the last instant.
func NewSpan(from, to time.Time) (Span, error) {
	for _, p := range []struct {
		name string
		t    time.Time
	}{{"from", from}, {"to", to}} {
		if !p.t.IsZero() && !nameable(p.t) {
			return Span{}, &ranges.ParamError{Param: p.name, Value: p.t.Format(time.RFC3339), Remedy: unnameable}
		}
	}
	s := Span{0, LastInstant.UnixMilli()}
	if !from.IsZero() {
		s.From = from.UnixMilli()
	}
	if !to.IsZero() {
		s.To = to.UnixMilli()
	}
	if s.From >= s.To {
		return Span{}, &ranges.ParamError{Param: "from", Value: Instant(s.From).Format(time.RFC3339),
			Remedy: "the range must begin before its end (to), which is " + Instant(s.To).Format(time.RFC3339)}
	}
	return s, nil
}

// Widen returns the span of whole buckets that covers s, up to the last instant.
func (s Span) Widen(bucket time.Duration) Span {
	b := bucket.Milliseconds()
	return Span{s.From - s.From%b, min((s.To+b-1)/b*b, LastInstant.UnixMilli())}
}

// Ends returns the span's ends; nil: open.
func (s Span) Ends() (from, to *time.Time) {
	if s.From > 0 {
		t := Instant(s.From)
		from = &t
	}
	if s.To < LastInstant.UnixMilli() {
		t := Instant(s.To)
		to = &t
	}
	return from, to
}

// A KeyRange is the first and the last sort key that can lie in a span. "~" sorts after all that can follow a bucket's name in a key.
type KeyRange struct{ From, To string }

// HourBounds are the bounds of the sort keys of hours.
func (s Span) HourBounds(prefix string) KeyRange {
	return KeyRange{prefix + sinks.Hour(s.From), prefix + sinks.Minute(s.To-1) + "~"} // Hours may begin at any minute.
}

// MinuteBounds are the bounds of the sort keys of minutes.
func (s Span) MinuteBounds(prefix string) KeyRange {
	return KeyRange{prefix + sinks.Minute(s.From), prefix + sinks.Minute(s.To-1) + "~"}
}

// In returns the part of s that lies in o; if there is none, it is empty: from is not before to.
func (s Span) In(o Span) Span { return Span{max(s.From, o.From), min(s.To, o.To)} }

// Has reports whether an instant lies in the span.
func (s Span) Has(ms int64) bool { return s.From <= ms && ms < s.To }

// Instant makes a time of milliseconds since the epoch.
func Instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
