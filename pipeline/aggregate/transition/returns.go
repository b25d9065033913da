package transition

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

const weekMs = 7 * event.DayMs

// mondayOf returns the Monday of a day's week. The epoch was a Thursday.
func mondayOf(day int64) int64 {
	into := (day + 3*event.DayMs) % weekMs
	if into < 0 {
		into += weekMs
	}
	return day - into
}

// Return completes an arrival that an event of a day has changed from was: it sets the weeks in which the visitor came. It calls count for
// each change by n of the visitors who came back on a day, a number of weeks after they were new; 0 weeks: the new ones themselves. An
// event counts on its own day. When an earlier event moves the arrival to another week, later weeks have other numbers: they change on
// their Mondays.
func Return(now *state.Arrival, was state.Arrival, day int64, count func(day int64, weeks int, n int64)) {
	began, moved := was.Hour == 0 || now.Hour > was.Hour, now.Hour < was.Hour
	switch {
	case began:
		now.Weeks = 1
		count(now.Day, 0, 1)
	case was.Weeks == 0:
	case moved && now.Day != was.Day:
		count(was.Day, 0, -1)
		count(now.Day, 0, 1)
		now.Weeks = shifted(was, mondayOf(now.Day), count)
	default:
		if i := (mondayOf(day) - mondayOf(now.Day)) / weekMs; 0 < i && i <= sinks.MaxReturnWeeks && now.Weeks>>i&1 == 0 {
			now.Weeks |= 1 << i
			count(day, int(i), 1)
		}
	}
}

// shifted returns the weeks of an arrival that moves to the week that begins on a Monday.
func shifted(was state.Arrival, monday int64, count func(day int64, weeks int, n int64)) int64 {
	from := mondayOf(was.Day)
	by := int((from - monday) / weekMs)
	if by == 0 {
		return was.Weeks
	}
	weeks := int64(1)
	for i := range sinks.MaxReturnWeeks + 1 {
		if was.Weeks>>i&1 == 0 {
			continue
		}
		at := from + int64(i)*weekMs
		if i > 0 {
			count(at, i, -1)
		}
		if to := i + by; 0 < to && to <= sinks.MaxReturnWeeks {
			weeks |= 1 << to
			count(at, to, 1)
		}
	}
	return weeks
}
