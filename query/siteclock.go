package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// A siteClock says where the stored hours and days of a site begin, by the zones in its rules. Without any it is UTC.
type siteClock struct{ rules *sites.Rules }

// Dates read dates and times in the own time zone of a site, which may change over time. The zero value uses UTC.
type Dates struct{ of siteClock }

// Dates returns the [Dates] of a site, by its present settings.
func (r *Reader) Dates(ctx context.Context, site string) (Dates, error) {
	if err := checkID("site", site); err != nil {
		return Dates{}, err
	}
	k, _, err := r.store.clock(ctx, site)
	if err != nil {
		return Dates{}, fmt.Errorf("zone of site %q: %w", site, err)
	}
	return Dates{k}, nil
}

// Parse is [ParseTimeIn] for a site. A date begins when the site's day of that date does, by the zone in effect then.
func (d Dates) Parse(s string, now time.Time) (time.Time, error) { return d.dating(now).parse(s) }

// ParseStart is [ParseStartIn] for a site.
func (d Dates) ParseStart(s string, now time.Time) (time.Time, error) {
	return d.dating(now).parseStart(s)
}

// Period is [ParsePeriodIn] for a site.
func (d Dates) Period(name string, now time.Time) (Range, error) { return d.dating(now).period(name) }

func (d Dates) dating(now time.Time) dating {
	k := d.of
	return dating{now: now, loc: k.zone(now.UnixMilli()), begin: func(day int64) int64 { return k.span(day * dayMs).from },
		day: func(ms int64) int64 {
			name, _ := k.named(ms)
			return floorDiv(name, dayMs)
		}, hour: k.hour}
}

// Zone returns the zone in effect at an instant.
func (d Dates) Zone(at time.Time) *time.Location { return d.of.zone(at.UnixMilli()) }

func (k siteClock) zone(ms int64) *time.Location { return k.rules.Zone(ms).Loc }

// hour returns the stored hour that holds an instant.
func (k siteClock) hour(ms int64) span {
	from, to := k.rules.Zone(ms).Hour(ms)
	return span{from, to}
}

// day returns the stored day that holds an instant.
func (k siteClock) day(ms int64) span {
	_, s := k.named(ms)
	return s
}

// named returns the name of the stored day that holds an instant, and the day.
func (k siteClock) named(ms int64) (name int64, s span) {
	name, from, to := k.rules.Day(ms)
	return name, span{from, to}
}

// parseDay reads the name of a day and returns when the day begins.
func (k siteClock) parseDay(text string) (int64, error) {
	name, err := sinks.ParseDay(text)
	return k.span(name).from, err
}

// span returns the stored day of that name.
func (k siteClock) span(name int64) span {
	from, to := k.rules.DaySpan(name)
	return span{from, to}
}

// days returns the stored days that cover a span, up to the last instant.
func (k siteClock) days(s span) span {
	return span{k.day(s.from).from, min(k.day(s.to-1).to, lastInstant.UnixMilli())}
}

// hours returns the stored hours that cover a span, up to the last instant.
func (k siteClock) hours(s span) span {
	return span{k.hour(s.from).from, min(k.hour(s.to-1).to, lastInstant.UnixMilli())}
}

// dayBounds are the bounds of the sort keys of stored days in a span.
func (k siteClock) dayBounds(prefix string, s span) keyRange {
	first, _ := k.named(s.from)
	last, _ := k.named(s.to - 1)
	last = min(last, lastInstant.UnixMilli()) // A year of five digits would sort before all others.
	return keyRange{prefix + sinks.Day(first), prefix + sinks.Day(last) + "~"}
}

// sourceOf decides, and is the only place that does, what the sums of a row are made of that covers part. Day stats are kept
// longer than hours and are fewer to read, but are those of stored days: they serve where the part consists of whole ones. In
// the site's own zone that is any row but an hour; in other zones it is where clocks show midnight at both ends when those of
// the site do, as London's and UTC's do all winter, and over a year.
func (k siteClock) sourceOf(part span) source {
	if k.day(part.from).from == part.from && k.day(part.to).from == part.to {
		return dayItems
	}
	return hourItems
}

// offHour returns the first bound of a bucket in s, which is widened, at which no stored hour begins: what is kept by hours
// cannot be cut there. ok is false when there is none.
func (k siteClock) offHour(c calendar, s span) (at int64, ok bool) {
	if c.by == Hour {
		if at, ok := c.uneven(s); ok {
			return at, true
		}
	}
	if !c.fractional(s) && !k.fractional(s) {
		return s.to, s.to%hourMs != 0 && s.to != c.last()
	}
	// While neither clock is set, all bounds lie at the same place within stored hours, except one at the instant of a change.
	at = s.from
	if c.small().bucket(at).from < at {
		at = c.bucket(at).to // The range was to begin before 1970, and no bucket begins where it is cut off.
	}
	for at < s.to {
		end := min(s.to, k.steady(c, at))
		for range 2 {
			if at >= end {
				break
			}
			if k.hour(at).from != at {
				return at, true
			}
			at = c.bucket(at).to
		}
		if at < end {
			at = c.bucket(end - 1).to
		}
	}
	return s.to, s.to != c.last() && k.hour(s.to).from != s.to
}

// steady returns an instant after at before which neither the site's clocks nor those of a calendar are set.
func (k siteClock) steady(c calendar, at int64) int64 {
	return min(calendar{loc: k.zone(at), own: k.rules}.steady(at), c.steady(at))
}

// fractional reports whether hours of the site ever begin within those of UTC during s.
func (k siteClock) fractional(s span) bool {
	for at := s.from; at < s.to; {
		held := k.rules.Zone(at)
		if (calendar{by: Hour, loc: held.Loc}).fractional(span{at, min(s.to, held.To)}) {
			return true
		}
		at = held.To
	}
	return false
}
