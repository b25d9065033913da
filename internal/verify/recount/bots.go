package recount

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
)

// rated has an event that is on no list counted in its session's minute, and finds whether it is a bot's by that.
func (s *Stats) rated(site *count.Site, session string, r *count.Record) count.Bot {
	if session == "" || r.Settings.Bots.Rate == 0 {
		return count.NoBot
	}
	c := count.Change(&s.Step, site.Sessions, session)
	if c.End == nil {
		return count.NoBot // No rate is passed by a first event.
	}
	if c.End.Rush.Take(r.Event.Timestamp, r.Settings.Bots.Rate) {
		s.list(site, c.End, r)
		return count.ByRate
	}
	return count.NoBot
}

// foldBot takes a bot's event in.
func (s *Stats) foldBot(site *count.Site, r *count.Record) {
	person := count.SumsOf(r.Event)
	var own count.Sums
	own.Counts[figures.BotEvents], own.Counts[figures.BotPageViews] = person.Counts[figures.Events], person.Counts[figures.PageViews]
	own.Counts[figures.BotValues] = person.Counts[figures.Values]
	own.AddMicros(figures.BotValueMicros, person.Micros(figures.ValueMicros))
	s.hour(site, r.Hour).Add(own)
	s.day(site, r.Day).Add(own)
}
