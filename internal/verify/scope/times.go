package scope

import (
	"maps"
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// ArrivalExpiry returns whether an arrival may have expired, and when its item may say that it does.
func (v *Rulebook) ArrivalExpiry(site string, a *count.Arrival) (gone bool, allowed []sinks.Value) {
	ruled := v.ruledBy(site)
	for _, s := range v.settings {
		for _, own := range ruled {
			days, late := own.DaysOf(sinks.AttrVisitorDays, sinks.DefaultVisitorDays), own.DaysOf(sinks.AttrSessionDays, s.Retention.SessionDays)
			if days < 0 || late < 0 {
				allowed = append(allowed, sinks.Value{})
				continue
			}
			ttl := (a.Last + (2+days+late)*count.DayMs) / 1000
			allowed = append(allowed, sinks.Int(ttl))
			gone = gone || ttl <= v.Now()
		}
	}
	return gone, allowed
}

// DifferentSettings returns the recorded settings that decide differently about raw events, in an order of their own: the last
// record time that a step believes differs by day, and decides only whether there is one.
func (v *Rulebook) DifferentSettings() (all []*checkpoint.Settings) {
	known := make(map[string]bool)
	for _, ver := range slices.Sorted(maps.Keys(v.settings)) {
		undated := *v.settings[ver]
		undated.NotAfter = 0
		if text := undated.String(); !known[text] {
			known[text] = true
			all = append(all, v.settings[ver])
		}
	}
	return all
}

// Expiry returns the times to live that an item may carry, under any settings that the chains had and the site's
// own: end is where its bucket ends, in milliseconds; attr names the retention. gone means that it has expired
// under one of them.
func (v *Rulebook) Expiry(site, attr string, end int64) (gone bool, allowed []sinks.Value) {
	ruled := v.ruledBy(site)
	for _, s := range v.settings {
		for _, own := range ruled {
			days := own.DaysOf(attr, retentionOf(s, attr))
			if days == checkpoint.Never {
				allowed = append(allowed, sinks.Value{})
				continue
			}
			ttl := end/1000 + days*86400
			allowed = append(allowed, sinks.Int(ttl))
			if end%1000 != 0 {
				allowed = append(allowed, sinks.Int(ttl+1)) // Rounded up.
			}
			gone = gone || ttl <= v.Now()
		}
	}
	return gone, allowed
}

func retentionOf(s *checkpoint.Settings, attr string) int64 {
	switch attr {
	case sinks.AttrRawDays:
		return s.Retention.RawDays
	case sinks.AttrSessionDays:
		return s.Retention.SessionDays
	case sinks.AttrHourDays:
		return s.Retention.HourDays
	}
	return s.Retention.DayDays
}
