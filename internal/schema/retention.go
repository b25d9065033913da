package schema

import (
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// DefaultDays returns how many days items are kept that the rules of a site name (sinks.AttrHourDays and the
// like), where neither the site nor the configuration says otherwise; 0 for any other name.
func DefaultDays(attr string) int64 {
	kept := checkpoint.DefaultSettings().Retention
	return map[string]int64{sinks.AttrRawDays: kept.RawDays, sinks.AttrSessionDays: kept.SessionDays,
		sinks.AttrHourDays: kept.HourDays, sinks.AttrDayDays: kept.DayDays,
		sinks.AttrVisitorDays: sinks.DefaultVisitorDays}[attr]
}
