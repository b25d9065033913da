package count

import (
	"time"

	"github.com/footfall/footfall/internal/sites"
)

// BucketsOf finds the hour and the day of an instant by the clocks of the zone that holds at it: when the hour begins, and
// when the day's date begins in UTC. It reads the clocks themselves, and shares no arithmetic with the pipeline.
func BucketsOf(s *sites.Rules, first FirstZone, t int64) (hour, day int64, err error) {
	held := []heldZone{{since: -1 << 62, until: 1 << 62, loc: time.UTC}}
	if first.Loc != nil {
		held[0].loc = first.Loc
	}
	if s != nil {
		for _, z := range s.Zones {
			loc, err := sites.LoadZone(z.Name)
			switch last := &held[len(held)-1]; {
			case err != nil:
				return 0, 0, err
			case first.Until > 0 && z.From <= first.Until:
			case z.From == 0:
				last.loc = loc
			default:
				last.until = z.From
				held = append(held, heldZone{since: z.From, until: 1 << 62, loc: loc})
			}
		}
	}
	for _, z := range held {
		if z.since > t {
			break
		}
		if t < z.until {
			hour = max(hourIn(z.loc, t), z.since)
		}
		// Dates never step back: where a zone has passed one, it holds until the next zone's clocks are beyond it.
		day = max(day, dateIn(z.loc, min(t, z.until-1)))
	}
	return hour, day, nil
}

// FirstZone is the zone that the site's entry fixes. It holds until rules name one from an instant after Until on. Zero: UTC does, and all
// rules hold.
type FirstZone struct {
	Loc   *time.Location // nil: UTC
	Until int64          // ms since the epoch; 0: no rule is passed over
}

// heldZone is a zone that holds from since until until.
type heldZone struct {
	since, until int64
	loc          *time.Location
}

// hourIn finds when the hour of an instant begins by the clocks of a zone.
func hourIn(loc *time.Location, t int64) (hour int64) {
	at := time.UnixMilli(t).In(loc)
	_, offset := at.Zone()
	behind := int64(at.Minute())*MinuteMs + int64(at.Second())*1000 + int64(at.Nanosecond())/1e6
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
	return hour
}

// dateIn finds the date of an instant: that on the clocks of a zone, or the later one that they had shown before they were set back over
// midnight.
func dateIn(loc *time.Location, t int64) int64 {
	at := time.UnixMilli(t).In(loc)
	date := at
	for begin, _ := at.ZoneBounds(); !begin.IsZero() && at.Sub(begin) < 24*time.Hour; begin, _ = begin.Add(-time.Millisecond).ZoneBounds() {
		if before := begin.Add(-time.Millisecond).In(loc); before.Format(time.DateOnly) > date.Format(time.DateOnly) {
			date = before
		}
	}
	return time.Date(date.Year(), date.Month(), date.Day(), 0, 0, 0, 0, time.UTC).UnixMilli()
}
