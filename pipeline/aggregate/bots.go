package aggregate

import (
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks/int128"
)

// Bots are counted apart: an event of one is counted, its raw event is written, and its numbers are those of the bot
// counters of its hour, its day and its realtime minute. It is in no other counter, sketch, session or breakdown.
//
// The lists recognise a bot by the event alone, once for both lanes. The rate recognises it by the session: how
// many events it has had in minutes of event time is state of the third kind, since it decides what hours, days and
// breakdowns get. It is the stats lane's, so realtime minutes use the lists only.

// Bot says by what an event is known to be a bot's. It is the attribute bot of a raw event.
type Bot string

// The ways to know a bot, in the order in which they are tried.
const (
	NotBot      Bot = ""
	BotAgent    Bot = "agent"    // by the list of user agents
	BotReferrer Bot = "referrer" // by the list of referrers that are spam
	BotRate     Bot = "rate"     // by the rate of its session's events
)

// Lists returns what the lists say about an event. Events without user agent and referrer cost nothing.
func Lists(c *classify.Classifier, e *event.Event) Bot {
	switch {
	case e.UserAgent != nil && c.Agent(e.UserAgent).Bot:
		return BotAgent
	case e.Referrer != nil && c.Spam(e.URL, e.Referrer):
		return BotReferrer
	}
	return NotBot
}

// listed returns what the lists say about the event that a step asks: those that ship, then the site's own.
func (p *Place) listed(r *Input, s *checkpoint.Settings, own *sites.Rules) Bot {
	switch e := &r.Event; {
	case !s.Bots.Lists:
		return NotBot
	case r.Listed != NotBot || own == nil:
		return r.Listed
	case classify.HasAgent(e.UserAgent, own.UserAgents):
		return BotAgent
	case p.Classes.HasReferrer(e.URL, e.Referrer, own.Referrers):
		return BotReferrer
	}
	return NotBot
}

// flood counts an event of the session in its minute of event time, and reports whether it is a bot's: whether its minute is at or after
// the earliest that has passed the rate, or passes it by this event. So the order of a session's events in the log decides little: it
// decides which events of a minute are its first ones, and which of those come before an earlier flood is known.
//
// Counts are kept of as many minutes as state.FloodMinutes says. A further one takes the place of that which had its last event
// earliest in the log, as with visits: a log that steps back by hours finds room.
func flood(f *state.Flood, t, rate int64) bool {
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

// lastAt is the event time from which the session's item is kept: its end; or, if it floods, the last minute of the flood, so that
// a bot that comes for longer than sessions are kept does not start again as a person.
func lastAt(s *state.Session) int64 {
	if s.Flood.Known {
		return max(s.EndedAt, int64(s.Flood.Last)*event.MinuteMs)
	}
	return s.EndedAt
}

// isBot finds by what the record's event is known to be a bot's, and counts it in its session's minute.
func (s *sessions) isBot(r *Input) bool {
	switch rate := s.settings.Bots.Rate; {
	case r.Bot != NotBot: // So want has found.
	case rate > 0 && r.session != nil:
		s.touch(r.session)
		if flood(&r.session.Cur.Flood, r.Event.Timestamp, rate) {
			r.Bot = BotRate
			s.list(r.session, &r.Event)
		}
	}
	return r.Bot != NotBot
}

// addBot counts a bot's event in the buckets of its time.
func (b *buckets) addBot(r *Input) {
	h, d := r.hour, r.hour.Site.day(r.Event.Timestamp)
	b.touchHour(h)
	b.touchDay(d)
	h.sums.addBot(&r.Event)
	d.sums.addBot(&r.Event)
}

// addBot books a bot's event in the bucket of its own time.
func (s *sums) addBot(e *event.Event) {
	s.Counts[figures.BotEvents]++
	if e.IsPageView() {
		s.Counts[figures.BotPageViews]++
	}
	if e.HasValue {
		s.Counts[figures.BotValues]++
		s.AddMicros(figures.BotValueMicros, int128.From(e.Value))
	}
}
