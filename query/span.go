package query

import (
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/sinks"
)

// By is the size of a bucket. "" leaves the choice to the question.
type By string

// Sizes of buckets. Weeks begin on Monday, as in ISO 8601.
const (
	Hour  By = "hour"
	Day   By = "day"
	Week  By = "week"
	Month By = "month"
	Year  By = "year"
)

// Sizes are the names of all sizes of buckets, in ascending order.
var Sizes = []string{string(Hour), string(Day), string(Week), string(Month), string(Year)}

// check reports whether there is such a size.
func (b By) check() error {
	if !slices.Contains(Sizes, string(b)) {
		return &ParamError{"by", string(b), near.Hint(string(b), Sizes) + "choose " + strings.Join(Sizes, ", ")}
	}
	return nil
}

// A span is a half-open range of time, milliseconds since the epoch.
type span struct{ from, to int64 }

// Keys spell years with four digits, so they order instants from 1970 to the end of 9999.
var lastInstant = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)

// nameable reports whether keys can name an instant.
func nameable(t time.Time) bool { return !t.Before(time.UnixMilli(0)) && !t.After(lastInstant) }

const unnameable = "outside the years 1970 to 9999 (UTC)"

// newSpan checks a range. An absent end is open: from the epoch on, until the last instant.
func newSpan(from, to time.Time) (span, error) {
	for _, p := range []struct {
		name string
		t    time.Time
	}{{"from", from}, {"to", to}} {
		if !p.t.IsZero() && !nameable(p.t) {
			return span{}, &ParamError{p.name, p.t.Format(time.RFC3339), unnameable}
		}
	}
	s := span{0, lastInstant.UnixMilli()}
	if !from.IsZero() {
		s.from = from.UnixMilli()
	}
	if !to.IsZero() {
		s.to = to.UnixMilli()
	}
	if s.from >= s.to {
		return span{}, &ParamError{"from", instant(s.from).Format(time.RFC3339),
			"the range must begin before its end (to), which is " + instant(s.to).Format(time.RFC3339)}
	}
	return s, nil
}

// bounded makes a span of a range that must have a beginning, and whose end is now where it is left open.
func (t *store) bounded(from, to time.Time) (span, error) {
	if from.IsZero() {
		return span{}, &ParamError{Param: "from", Remedy: "missing: write where the range begins"}
	}
	if to.IsZero() {
		to = t.now()
	}
	return newSpan(from, to)
}

// widen returns the span of whole buckets that covers s, up to the last instant.
func (s span) widen(bucket time.Duration) span {
	b := bucket.Milliseconds()
	return span{s.from - s.from%b, min((s.to+b-1)/b*b, lastInstant.UnixMilli())}
}

// ends returns the span's ends; nil: open.
func (s span) ends() (from, to *time.Time) {
	if s.from > 0 {
		t := instant(s.from)
		from = &t
	}
	if s.to < lastInstant.UnixMilli() {
		t := instant(s.to)
		to = &t
	}
	return from, to
}

// A keyRange is the first and the last sort key that can lie in a span. "~" sorts after all that can follow a bucket's name in a key.
type keyRange struct{ from, to string }

// hourBounds are the bounds of the sort keys of hours.
func (s span) hourBounds(prefix string) keyRange {
	return keyRange{prefix + sinks.Hour(s.from), prefix + sinks.Minute(s.to-1) + "~"} // Hours may begin at any minute.
}

// minuteBounds are the bounds of the sort keys of minutes.
func (s span) minuteBounds(prefix string) keyRange {
	return keyRange{prefix + sinks.Minute(s.from), prefix + sinks.Minute(s.to-1) + "~"}
}

// in returns the part of s that lies in o; if there is none, it is empty: from is not before to.
func (s span) in(o span) span { return span{max(s.from, o.from), min(s.to, o.to)} }

// has reports whether an instant lies in the span.
func (s span) has(ms int64) bool { return s.from <= ms && ms < s.to }

// instant makes a time of milliseconds since the epoch.
func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
