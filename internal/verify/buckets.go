package verify

import (
	"time"

	"github.com/footfall/footfall/internal/sites"
)

// bucketsOf finds the hour and the day of an instant by the clocks of the zone that holds at it: when the hour begins, and
// when the day's date begins in UTC. It reads the clocks themselves, and shares no arithmetic with the pipeline. first is the zone that
// the site's entry fixes, which holds until rules name one; nil: UTC.
func bucketsOf(s *sites.Rules, first *time.Location, t int64) (hour, day int64, err error) {
	loc, since := time.UTC, int64(-1<<62)
	if first != nil {
		loc = first
	}
	if s != nil {
		for _, z := range s.Zones {
			if z.From <= t {
				if loc, err = sites.LoadZone(z.Name); err != nil {
					return 0, 0, err
				}
				if z.From > 0 {
					since = z.From
				}
			}
		}
	}
	at := time.UnixMilli(t).In(loc)
	_, offset := at.Zone()
	behind := int64(at.Minute())*minuteMs + int64(at.Second())*1000 + int64(at.Nanosecond())/1e6
	hour = t - behind
	if _, before := time.UnixMilli(hour).In(loc).Zone(); before != offset {
		// Clocks were set during the hour: find the second.
		hour = t - int64(at.Nanosecond())/1e6
		for {
			if _, before := time.UnixMilli(hour - 1000).In(loc).Zone(); before != offset {
				break
			}
			hour -= 1000
		}
	}
	// The date on the clocks, or the later one that they had shown before they were set back over midnight.
	date := at
	for begin, _ := at.ZoneBounds(); !begin.IsZero() && at.Sub(begin) < 24*time.Hour; begin, _ = begin.Add(-time.Millisecond).ZoneBounds() {
		if before := begin.Add(-time.Millisecond).In(loc); before.Format(time.DateOnly) > date.Format(time.DateOnly) {
			date = before
		}
	}
	day = time.Date(date.Year(), date.Month(), date.Day(), 0, 0, 0, 0, time.UTC).UnixMilli()
	return max(hour, since), day, nil
}
