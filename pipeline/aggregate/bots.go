package aggregate

import (
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// Bots are counted apart: an event of one is counted, its raw event is written, and its numbers are those of the bot
// counters of its hour, its day and its realtime minute. It is in no other counter, sketch, session or breakdown.
//
// The lists recognise a bot by the event alone, once for both lanes. The rate recognises it by the session: how
// many events it has had in minutes of event time is state of the third kind, since it decides what hours, days and
// breakdowns get. It is the stats lane's, so realtime minutes use the lists only.

// Known reports whether the event is known to be a bot's.
func (b Bot) Known() bool { return b != NotBot }

// Lists returns what the lists say about an event. Events without user agent, properties and referrer cost nothing.
func Lists(c *classify.Classifier, e *event.Event) Bot {
	switch {
	case (e.UserAgent != nil || e.Properties != nil) && c.Agent(e.UserAgent, e.Properties).Bot:
		return BotAgent
	case e.Referrer != nil && c.Spam(e.URL, e.Referrer):
		return BotReferrer
	}
	return NotBot
}

// listed returns what the lists say about the event that a step asks: those that ship, then the site's own.
func (p *Place) listed(r *Input, of *Site, own *sites.Rules) Bot {
	e, s, c := &r.Event, p.settings, p.classes
	if !s.Bots.Lists {
		return NotBot
	}
	bot := r.Listed
	if r.ListedBy != c.Rules() {
		bot = Lists(c, e)
	}
	if bot == BotReferrer && s.Has(sinks.FormatOfOwnPages) && own.Owns(c, of.ID, e.Referrer) {
		bot = NotBot
	}
	switch {
	case bot != NotBot || own == nil:
		return bot
	case classify.HasAgent(e.UserAgent, own.UserAgents):
		return BotAgent
	case c.HasReferrer(e.URL, e.Referrer, own.Referrers) && !(s.Has(sinks.FormatOfClasses) && own.Owns(c, of.ID, e.Referrer)):
		return BotReferrer
	}
	return NotBot
}

// isBot finds by what the record's event is known to be a bot's, and counts it in its session's minute.
func (s *sessions) isBot(r *Input) bool {
	switch rate := s.settings.Bots.Rate; {
	case r.Bot != NotBot: // So want has found.
	case rate > 0 && r.session != nil:
		s.touch(r.session)
		if transition.Flood(&r.session.Cur.Flood, r.Event.Timestamp, rate) {
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
	h.sums.AddBot(&r.Event)
	d.sums.AddBot(&r.Event)
}
