package aggregate

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// A session's earliest event, of equal times that of the lowest position, says what the session is booked under: where it came from,
// the country, the device and all else. When an earlier one arrives, the session moves to the rows of what that says. Events stay
// under what the session said when they came. What the session is booked under is part of its state: a redo takes back what the
// state before the step says.

// earliest reports whether an event that comes now is the session's earliest.
func (x *session) earliest(e *event.Event) bool {
	return x.Cur.Events == 0 || e.Timestamp < x.Cur.StartedAt
}

// saysFirst has the session say what its earliest event does, unless it is in no breakdown.
func (x *session) saysFirst(own *values) {
	if x.Cur.Erased || x.Cur.Events > 0 && x.Cur.Booked == state.NotBooked {
		return
	}
	first := *own
	first[sketch.Page] = "" // That is its entry page's matter.
	if was := x.Cur.First; was != nil && *was == first {
		return
	}
	room := &x.first
	if x.Cur.Events > 0 { // The state before the step, and pending events, may refer to it.
		room = new(values)
	}
	*room = first
	x.Cur.First = room
	x.weighFirst()
	x.spots = spots{} // They are of the former values.
}
