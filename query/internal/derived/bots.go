package derived

import (
	declared "github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/query/figures"
	"github.com/footfall/footfall/query/internal/numbers"
)

// Bots' events are counted apart. They can be added to those of people, and their page views and values too: these are
// sums. Visitors, sessions, breakdowns and what is derived from them have no bots in them, and none can be added.

// Senders says whose events, page views and values figures are.
type Senders bool

// Whose figures are.
const (
	People    Senders = false
	Everybody Senders = true // bots, too
)

// SendersOf returns whose events are asked for.
func SendersOf(includeBots bool) Senders {
	if includeBots {
		return Everybody
	}
	return People
}

// include adds bots to the figures that can have them.
func include(f *figures.Figures, s *declared.Sums) {
	f.PageViews += s.Counts[declared.BotPageViews]
	f.Events += s.Counts[declared.BotEvents]
	f.Values += s.Counts[declared.BotValues]
	f.ValueSum = numbers.Decimal(s.Micros(declared.ValueMicros).Plus(s.Micros(declared.BotValueMicros)))
}
