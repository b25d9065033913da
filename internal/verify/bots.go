package verify

import (
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
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

// bots are the counters of bots of an hour or a day.
type bots struct {
	pageViews, events, values int64
	valueMicros               int128.Int
}

func (b *bots) add(o bots) {
	b.pageViews += o.pageViews
	b.events += o.events
	b.values += o.values
	b.valueMicros = b.valueMicros.Plus(o.valueMicros)
}

func (c *comparison) bots(want bots) {
	c.number(sinks.AttrBotPageViews, want.pageViews)
	c.number(sinks.AttrBotEvents, want.events)
	c.number(sinks.AttrBotValues, want.values)
	c.wide(sinks.AttrBotValueMicros, want.valueMicros)
}

// rush compares a session with the rate: the latest minute of event time with an event, the events in it, and whether any minute had
// more than the rate. After such a minute events are no longer counted.
type rush struct {
	minute, events int64
	over           bool
}

// next takes an event of the session in.
func (r rush) next(t, rate int64) rush {
	minute := floor(t, minuteMs) / minuteMs
	switch {
	case rate == 0 || minute < r.minute:
		return r
	case r.over:
		return rush{minute: minute, over: true}
	case minute > r.minute:
		r = rush{minute: minute}
	}
	if r.events++; r.events > rate {
		return rush{minute: minute, over: true}
	}
	return r
}

// kept is the event time from which a session's item is kept: its end, or, once it is a bot, its last minute.
func (s *session) kept() int64 {
	if s.rush.over {
		return max(s.endedAt, s.rush.minute*minuteMs)
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
	c.end.rush = c.end.rush.next(r.event.Timestamp, r.settings.Bots.Rate)
	if c.end.rush.over {
		return byRate
	}
	return none
}

// foldBot takes a bot's event in.
func (s *statsRecount) foldBot(site *siteRecount, r *record) {
	own := sumsOf(r.event)
	b := bots{own.pageViews, own.events, own.values, own.valueMicros}
	s.hour(site, r.hour).bots.add(b)
	s.day(site, r.day).bots.add(b)
}
