package query

import "github.com/footfall/footfall/internal/figures"

// Bots' events are counted apart. They can be added to those of people, and their page views and values too: these are
// sums. Visitors, sessions, breakdowns and what is derived from them have no bots in them, and none can be added.

// senders says whose events, page views and values figures are.
type senders bool

const (
	people    senders = false
	everybody senders = true // bots, too
)

func sendersOf(includeBots bool) senders {
	if includeBots {
		return everybody
	}
	return people
}

// include adds bots to the figures that can have them.
func (f *Figures) include(s *figures.Sums) {
	f.PageViews += s.Counts[figures.BotPageViews]
	f.Events += s.Counts[figures.BotEvents]
	f.Values += s.Counts[figures.BotValues]
	f.ValueSum = decimal(s.Micros(figures.ValueMicros).Plus(s.Micros(figures.BotValueMicros)))
}

// include adds bots to the counts that can have them.
func (a *RealtimeAnswer) include() {
	a.PageViews += a.BotPageViews
	a.Events += a.BotEvents
	for i := range a.Series {
		m := &a.Series[i]
		m.PageViews += m.BotPageViews
		m.Events += m.BotEvents
	}
}
