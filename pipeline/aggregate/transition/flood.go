package transition

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
)

// Flood counts an event of the session in its minute of event time, and reports whether it is a bot's: whether its minute is at or after
// the earliest that has passed the rate, or passes it by this event. So the order of a session's events in the log decides little: it
// decides which events of a minute are its first ones, and which of those come before an earlier flood is known.
//
// Counts are kept of as many minutes as state.FloodMinutes says. A further one takes the place of that which had its last event
// earliest in the log, as with visits: a log that steps back by hours finds room.
func Flood(f *state.Flood, t, rate int64) bool {
	minute := uint32(t / event.MinuteMs)
	if f.Known && minute >= f.From {
		f.Last = max(f.Last, minute)
		return true
	}
	events := moveToFront(f, minute)
	if int64(events) < min(rate, state.MaxFloodEvents) {
		f.Events[0] = events + 1
		return false
	}
	if !f.Known {
		f.Known, f.Last = true, minute
	}
	f.From = minute
	dropMinutesFrom(f, minute)
	return true
}

// moveToFront makes a minute the first, and returns its count so far, which it leaves to be set.
func moveToFront(f *state.Flood, minute uint32) (events uint16) {
	i := 0
	for i < state.FloodMinutes-1 && f.Events[i] > 0 && f.Minutes[i] != minute {
		i++
	}
	if f.Events[i] > 0 && f.Minutes[i] == minute {
		events = f.Events[i]
	}
	copy(f.Minutes[1:i+1], f.Minutes[:i])
	copy(f.Events[1:i+1], f.Events[:i])
	f.Minutes[0] = minute
	return events
}

// dropMinutesFrom forgets the counts of minutes at or after one: what comes in them is a bot's.
func dropMinutesFrom(f *state.Flood, minute uint32) {
	kept := 0
	for i, n := range f.Events {
		if n > 0 && f.Minutes[i] < minute {
			f.Minutes[kept], f.Events[kept] = f.Minutes[i], n
			kept++
		}
	}
	clear(f.Minutes[kept:])
	clear(f.Events[kept:])
}

// LastAt is the event time from which the session's item is kept: its end; or, if it floods, the last minute of the flood, so that
// a bot that comes for longer than sessions are kept does not start again as a person.
func LastAt(s *state.Session) int64 {
	if s.Flood.Known {
		return max(s.EndedAt, int64(s.Flood.Last)*event.MinuteMs)
	}
	return s.EndedAt
}
