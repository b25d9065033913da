package count

import (
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
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
	c = ClassesOf(c, r)
	switch {
	case !r.Settings.Bots.Lists:
		return NoBot
	case c.Agent(e.UserAgent, e.Properties).Bot:
		return byAgent
	case c.Source(e.URL, e.Referrer).Spam && !(r.Settings.Has(sinks.FormatOfOwnPages) && RefersToItself(e, r.Ruling)):
		return byReferrer
	case classify.HasAgent(e.UserAgent, own.UserAgents):
		return byAgent
	case c.HasReferrer(e.URL, e.Referrer, own.Referrers) && !(r.Settings.Has(sinks.FormatOfClasses) && RefersToItself(e, r.Ruling)):
		return byReferrer
	}
	return NoBot
}
