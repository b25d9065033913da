package count

import (
	"slices"

	"github.com/footfall/footfall/pipeline/state"
)

// rush compares a session with the rate: how many events it has had in minutes of event time, and from which minute on it is a bot's.
type rush struct {
	paces       []pace // the minute of the latest record last; before from, once there is one
	over        bool
	from, until int64 // the first minute that had more than the rate, and the last with an event that is a bot's by that
}

// pace is how many events a session has had in a minute.
type pace struct{ minute, events int64 }

// maxPaces is how many minutes of a session are counted.
const maxPaces = 16

// Take takes an event of the session in, and reports whether it is a bot's.
func (r *rush) Take(t, rate int64) bool {
	own := pace{minute: Floor(t, MinuteMs) / MinuteMs}
	if r.over && own.minute >= r.from {
		r.until = max(r.until, own.minute)
		return true
	}
	r.paces = slices.DeleteFunc(r.paces, func(p pace) bool {
		if p.minute == own.minute {
			own = p
		}
		return p.minute == own.minute
	})
	if own.events++; own.events > rate {
		r.over, r.from, r.until = true, own.minute, max(r.until, own.minute)
		r.paces = slices.DeleteFunc(r.paces, func(p pace) bool { return p.minute > own.minute })
		return true
	}
	r.paces = append(r.paces, own)
	r.paces = r.paces[max(0, len(r.paces)-maxPaces):]
	return false
}

// State is what the fold's state says of it.
func (r *rush) State() state.Flood {
	f := state.Flood{Known: r.over, From: uint32(r.from), Last: uint32(r.until)}
	for i, p := range slices.Backward(r.paces) {
		f.Minutes[len(r.paces)-1-i], f.Events[len(r.paces)-1-i] = uint32(p.minute), uint16(p.events)
	}
	return f
}
