package calendar

import (
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// A Clock says where the stored hours and days of a site begin, by the zones in its rules. Without any it is UTC.
type Clock struct{ Rules *sites.Rules }

// Dating reads dates in the site's own zone, which may change over time.
func (k Clock) Dating(now time.Time) Dating {
	return Dating{now: now, loc: k.Zone(now.UnixMilli()), begin: func(day int64) int64 { return k.Span(day * DayMs).From },
		day: func(ms int64) int64 {
			name, _ := k.Named(ms)
			return floorDiv(name, DayMs)
		}, hour: k.Hour}
}

// Zone returns the zone in effect at an instant.
func (k Clock) Zone(ms int64) *time.Location { return k.Rules.Zone(ms).Loc }

// Hour returns the stored hour that holds an instant.
func (k Clock) Hour(ms int64) Span {
	from, to := k.Rules.Zone(ms).Hour(ms)
	return Span{from, to}
}

// Day returns the stored day that holds an instant.
func (k Clock) Day(ms int64) Span {
	_, s := k.Named(ms)
	return s
}

// Named returns the name of the stored day that holds an instant, and the day.
func (k Clock) Named(ms int64) (name int64, s Span) {
	name, from, to := k.Rules.Day(ms)
	return name, Span{from, to}
}

// ParseDay reads the name of a day and returns when the day begins.
func (k Clock) ParseDay(text string) (int64, error) {
	name, err := sinks.ParseDay(text)
	return k.Span(name).From, err
}

// Span returns the stored day of that name.
func (k Clock) Span(name int64) Span {
	from, to := k.Rules.DaySpan(name)
	return Span{from, to}
}

// Days returns the stored days that cover a span, up to the last instant.
func (k Clock) Days(s Span) Span {
	return Span{k.Day(s.From).From, min(k.Day(s.To-1).To, LastInstant.UnixMilli())}
}

// Hours returns the stored hours that cover a span, up to the last instant.
func (k Clock) Hours(s Span) Span {
	return Span{k.Hour(s.From).From, min(k.Hour(s.To-1).To, LastInstant.UnixMilli())}
}

// DayBounds are the bounds of the sort keys of stored days in a span.
func (k Clock) DayBounds(prefix string, s Span) KeyRange {
	first, _ := k.Named(s.From)
	last, _ := k.Named(s.To - 1)
	last = min(last, LastInstant.UnixMilli()) // A year of five digits would sort before all others.
	return KeyRange{prefix + sinks.Day(first), prefix + sinks.Day(last) + "~"}
}

// SourceOf decides, and is the only place that does, what the sums of a row are made of that covers part. Day stats are kept
// longer than hours and are fewer to read, but are those of stored days: they serve where the part consists of whole ones. In
// the site's own zone that is any row but an hour; in other zones it is where clocks show midnight at both ends when those of
// the site do, as London's and UTC's do all winter, and over a year.
func (k Clock) SourceOf(part Span) Source {
	if k.Day(part.From).From == part.From && k.Day(part.To).From == part.To {
		return DayItems
	}
	return HourItems
}

// OffHour returns the first bound of a bucket in s, which is widened, at which no stored hour begins: what is kept by hours
// cannot be cut there. ok is false when there is none.
func (k Clock) OffHour(c Calendar, s Span) (at int64, ok bool) {
	if c.By == ranges.Hour {
		if at, ok := c.uneven(s); ok {
			return at, true
		}
	}
	if !c.fractional(s) && !k.fractional(s) {
		return s.To, s.To%HourMs != 0 && s.To != c.Last()
	}
	// While neither clock is set, all bounds lie at the same place within stored hours, except one at the instant of a change.
	at = s.From
	if c.Small().Bucket(at).From < at {
		at = c.Bucket(at).To // The range was to begin before 1970, and no bucket begins where it is cut off.
	}
	for at < s.To {
		end := min(s.To, k.steady(c, at))
		for range 2 {
			if at >= end {
				break
			}
			if k.Hour(at).From != at {
				return at, true
			}
			at = c.Bucket(at).To
		}
		if at < end {
			at = c.Bucket(end - 1).To
		}
	}
	return s.To, s.To != c.Last() && k.Hour(s.To).From != s.To
}

// steady returns an instant after at before which neither the site's clocks nor those of a calendar are set.
func (k Clock) steady(c Calendar, at int64) int64 {
	return min(Calendar{Loc: k.Zone(at), Own: k.Rules}.steady(at), c.steady(at))
}

// fractional reports whether hours of the site ever begin within those of UTC during s.
func (k Clock) fractional(s Span) bool {
	for at := s.From; at < s.To; {
		held := k.Rules.Zone(at)
		if (Calendar{By: ranges.Hour, Loc: held.Loc}).fractional(Span{at, min(s.To, held.To)}) {
			return true
		}
		at = held.To
	}
	return false
}

// A Source is the items of which the sums of a row are made. Its visitors are those of its hours, whatever the source.
type Source int

// The sources of a row.
const (
	HourItems Source = iota // the items of hours
	DayItems                // the items of stored days
)

// Dated returns when a date of the site begins, given its first instant in UTC; other instants stay.
func (k Clock) Dated(ms int64) int64 {
	if ms%DayMs == 0 && ms < LastInstant.UnixMilli()-DayMs {
		return k.Span(ms).From
	}
	return ms
}

// NextHour returns when the first hour of the site begins from an instant on.
func (k Clock) NextHour(ms int64) int64 {
	if h := k.Hour(ms); h.From != ms {
		return h.To
	}
	return ms
}

// Around returns the stored hours that a span touches.
func (k Clock) Around(s Span) Span { return Span{k.Hour(s.From).From, k.Hour(s.To - 1).To} }

// Whole returns the whole stored hours of a span. If there are none, it is empty: from is not before to.
func (k Clock) Whole(s Span) Span {
	if h := k.Hour(s.From); h.From < s.From {
		s.From = h.To
	}
	if h := k.Hour(s.To); h.From < s.To {
		s.To = h.From
	}
	return s
}

// InOwn is the calendar of a site's own days, as questions that end at an instant see it: where its zone never changes, that of the zone.
func (k Clock) InOwn(by ranges.By, end int64) Calendar {
	c := Calendar{By: by, Loc: k.Zone(end)}
	if k.Rules.ChangesZone() {
		c.Own = k.Rules
	}
	return c
}
