package transition

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// maxToNextMs is up to where the time to a session's next event counts.
const maxToNextMs = 30 * event.MinuteMs

// UpdateOpenPage updates the time on the open page and its scroll depth by an event, and returns the change.
func UpdateOpenPage(o *state.OpenPage, e *event.Event, page string) (k sketch.Attention) {
	if o.Timing == state.AwaitsNext {
		o.Timing = state.NotLater
		if ms := e.Timestamp - o.At; ms > 0 {
			o.Timing, o.TimeMs = state.ToNext, int32(min(ms, maxToNextMs))
			k.Timed, k.TimeMs = 1, int64(o.TimeMs)
		}
	}
	said := e.Engagement()
	if page != o.Page && page != "" {
		return k
	}
	if said.TimeMs != event.Unsaid {
		if o.Timing == state.NotLater {
			k.Timed++
		}
		k.TimeMs += said.TimeMs - int64(o.TimeMs)
		o.Timing, o.TimeMs = state.Engaged, 0
	}
	if said.Scroll != event.Unsaid && said.Scroll >= int64(o.Scroll) {
		if o.Scroll == 0 {
			k.Scrolled, k.Depth = 1, said.Scroll
		} else {
			k.Depth = said.Scroll - int64(o.Scroll-1)
		}
		o.Scroll = uint8(said.Scroll) + 1
	}
	return k
}
