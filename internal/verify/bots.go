package verify

import (
	"slices"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/state"
)

// bot says by what an event is known to be a bot's; none: it is a person's.
type bot uint8

const (
	none bot = iota
	byAgent
	byReferrer
	byRate
)

var botNames = map[string]bot{"": none, "agent": byAgent, "referrer": byReferrer, "rate": byRate}

// listed asks the lists, first those that ship, then the site's own.
func listed(c *classify.Classifier, r *record) bot {
	e, own := r.event, sites.Rules{}
	if r.rules != nil {
		own = *r.rules
	}
	switch {
	case !r.settings.Bots.Lists:
		return none
	case c.Agent(e.UserAgent).Bot:
		return byAgent
	case c.Source(e.URL, e.Referrer).Spam:
		return byReferrer
	case classify.HasAgent(e.UserAgent, own.UserAgents):
		return byAgent
	case c.HasReferrer(e.URL, e.Referrer, own.Referrers):
		return byReferrer
	}
	return none
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

// take takes an event of the session in, and reports whether it is a bot's.
func (r *rush) take(t, rate int64) bool {
	own := pace{minute: floor(t, minuteMs) / minuteMs}
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

// state is what the fold's state says of it.
func (r *rush) state() state.Flood {
	f := state.Flood{Known: r.over, From: uint32(r.from), Last: uint32(r.until)}
	for i, p := range slices.Backward(r.paces) {
		f.Minutes[len(r.paces)-1-i], f.Events[len(r.paces)-1-i] = uint32(p.minute), uint16(p.events)
	}
	return f
}

// kept is the event time from which a session's item is kept: its end, or, once it is a bot, the last minute of that.
func (s *session) kept() int64 {
	if s.rush.over {
		return max(s.endedAt, s.rush.until*minuteMs)
	}
	return s.endedAt
}

// rated has an event that is on no list counted in its session's minute, and finds whether it is a bot's by that.
func (s *statsRecount) rated(site *siteRecount, session string, r *record) bot {
	if session == "" || r.settings.Bots.Rate == 0 {
		return none
	}
	c := change(&s.step, site.sessions, session)
	if c.end == nil {
		return none // No rate is passed by a first event.
	}
	if c.end.rush.take(r.event.Timestamp, r.settings.Bots.Rate) {
		s.list(site, c.end, r)
		return byRate
	}
	return none
}

// foldBot takes a bot's event in.
func (s *statsRecount) foldBot(site *siteRecount, r *record) {
	person := sumsOf(r.event)
	var own sums
	own.Counts[figures.BotEvents], own.Counts[figures.BotPageViews] = person.Counts[figures.Events], person.Counts[figures.PageViews]
	own.Counts[figures.BotValues] = person.Counts[figures.Values]
	own.AddMicros(figures.BotValueMicros, person.Micros(figures.ValueMicros))
	s.hour(site, r.hour).add(own)
	s.day(site, r.day).add(own)
}
