package query

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// Dates read dates and times in the own time zone of a site, which may change over time. The zero value uses UTC.
type Dates struct{ of calendar.Clock }

// Dates returns the [Dates] of a site, by its present settings.
func (r *Reader) Dates(ctx context.Context, site string) (Dates, error) {
	if err := sitetable.CheckID("site", site); err != nil {
		return Dates{}, err
	}
	k, err := sitetable.OnLive(ctx, r.live, site, clockOf)
	if err != nil {
		return Dates{}, fmt.Errorf("zone of site %q: %w", site, err)
	}
	return Dates{k}, nil
}

// clockOf reads the clock of a site.
func clockOf(ctx context.Context, t *sitetable.Store, site string) (calendar.Clock, error) {
	k, _, err := t.ClockOf(ctx, site)
	return k, err
}

// Parse is [ParseTimeIn] for a site. A date begins when the site's day of that date does, by the zone in effect then.
func (d Dates) Parse(s string, now time.Time) (time.Time, error) { return d.of.Dating(now).Parse(s) }

// ParseStart is [ParseStartIn] for a site.
func (d Dates) ParseStart(s string, now time.Time) (time.Time, error) {
	return d.of.Dating(now).ParseStart(s)
}

// Period is [ParsePeriodIn] for a site.
func (d Dates) Period(name string, now time.Time) (Range, error) {
	return d.of.Dating(now).Period(name)
}

// Zone returns the zone in effect at an instant.
func (d Dates) Zone(at time.Time) *time.Location { return d.of.Zone(at.UnixMilli()) }

// Rules returns the latest settings of the site as JSON, as its item stores them, with the zone that its entry in the list of sites fixes;
// "" if it has neither.
func (d Dates) Rules() string {
	if d.of.Rules == nil {
		return ""
	}
	return d.of.Rules.String()
}

// ParseTime reads an instant, with the dates of UTC. It takes
//
//   - RFC 3339: 2026-05-12T14:00:00Z;
//   - a date, a month or a year, which is its first instant: 2026-05-12, 2026-05, 2026;
//   - today and yesterday, which are the first instant of that day;
//   - -7d and -4w, which are the first instant of the earliest of as many days or weeks of seven days, today included: -7d is the
//     first instant of the day six days ago, so that the days from -7d until now are seven, and -1d is today;
//   - -24h and -90m, which are so much earlier than now, and +36h, +7d and +4w, which are so much later;
//   - now.
//
// It returns a [ParamError] for any other text, and for instants outside of the years 1970 to 9999, which keys cannot spell.
func ParseTime(s string, now time.Time) (time.Time, error) { return ParseTimeIn(s, now, time.UTC) }

// ParseTimeIn is [ParseTime] for the dates of a zone.
func ParseTimeIn(s string, now time.Time, loc *time.Location) (time.Time, error) {
	return calendar.DatingIn(now, loc).Parse(s)
}

// ParseStartIn is [ParseTimeIn] for the start of a range that is answered in whole hours. It differs for offsets of full hours: -24h
// is the beginning of the earliest of 24 hours, the current one included, where ParseTimeIn returns an instant within the 25th.
func ParseStartIn(s string, now time.Time, loc *time.Location) (time.Time, error) {
	return calendar.DatingIn(now, loc).ParseStart(s)
}

// ParsePeriodIn reads the name of a period of a zone's calendar:
//
//   - today and yesterday;
//   - 7d, 28d, 90d or any other number of days: that many whole days up to yesterday, as Plausible counts;
//   - week, month and year: the current one, from Monday on (ISO 8601), the 1st, and the 1st of January;
//   - last-week, last-month and last-year: the one before;
//   - 2026-05-12, 2026-05 or 2026: that day, month or year.
//
// A period that is not over ends in the future, where its last day does. Any other name is a [ParamError], and so is a period that
// does not lie in the years 1970 to 9999.
func ParsePeriodIn(name string, now time.Time, loc *time.Location) (Range, error) {
	return calendar.DatingIn(now, loc).Period(name)
}

// ParseRangeIn reads a range in one word: FROM..TO, both as [ParseStartIn] reads them, or a period as of [ParsePeriodIn].
func ParseRangeIn(text string, now time.Time, loc *time.Location) (Range, error) {
	s, err := calendar.DatingIn(now, loc).Span(text)
	return Range{From: calendar.Instant(s.From), To: calendar.Instant(s.To)}, err
}
