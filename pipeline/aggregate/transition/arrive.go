package transition

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
)

// Arrive records an event of a visitor in an hour of a day. The first event within the horizon sets the arrival, an earlier one moves it
// back, and later ones only extend its last day. One that is earlier than the arrival by more than the horizon changes nothing: a visitor
// is counted at most once in each horizon, whatever the order of the log.
func Arrive(x *state.Arrival, hour, day, days int64) {
	within := func(from, to int64) bool { return days == sites.Never || to-from <= days*event.DayMs }
	switch {
	case x.Hour == 0 || !within(x.LastDay, day):
		x.Hour, x.Day, x.LastDay = hour, day, day
	case hour < x.Hour && within(day, x.Day):
		x.Hour, x.Day = hour, day
	}
	x.LastDay = max(x.LastDay, day)
}
