package count

import (
	"slices"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
)

// Bot says by what an event is known to be a bot's; none: it is a person's.
type Bot uint8

const (
	NoBot Bot = iota
	byAgent
	byReferrer
	ByRate
)

var BotNames = map[string]Bot{"": NoBot, "agent": byAgent, "referrer": byReferrer, "rate": ByRate}

// BotOf asks the lists, first those that ship, then the site's own.
func BotOf(c *classify.Classifier, r *Record) Bot {
	e, own := r.Event, sites.Rules{}
	if r.Rules != nil {
		own = *r.Rules
	}
	switch {
	case !r.Settings.Bots.Lists:
		return NoBot
	case c.Agent(e.UserAgent).Bot:
		return byAgent
	case c.Source(e.URL, e.Referrer).Spam:
		return byReferrer
	case classify.HasAgent(e.UserAgent, own.UserAgents):
		return byAgent
	case c.HasReferrer(e.URL, e.Referrer, own.Referrers):
		return byReferrer
	}
	return NoBot
}

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

// Kept is the event time from which a session's item is kept: its end, or, once it is a bot, the last minute of that.
func (s *Session) Kept() int64 {
	if s.Rush.over {
		return max(s.EndedAt, s.Rush.until*MinuteMs)
	}
	return s.EndedAt
}
