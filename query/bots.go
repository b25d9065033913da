package query

import (
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

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

// bots are the counters of bots of stats items and realtime minutes.
type bots struct {
	pageViews, events, values int64
	valueMicros               int128.Int
}

// add folds in an item; absent attributes are 0.
func (b *bots) add(it sinks.Item) {
	b.pageViews += it[sinks.AttrBotPageViews].Int()
	b.events += it[sinks.AttrBotEvents].Int()
	b.values += it[sinks.AttrBotValues].Int()
	b.valueMicros = b.valueMicros.Plus(it[sinks.AttrBotValueMicros].Num())
}

func (b *bots) plus(o bots) {
	b.pageViews += o.pageViews
	b.events += o.events
	b.values += o.values
	b.valueMicros = b.valueMicros.Plus(o.valueMicros)
}

// include adds bots to the figures that can have them.
func (f *Figures) include(s *sums) {
	f.PageViews += s.bots.pageViews
	f.Events += s.bots.events
	f.Values += s.bots.values
	f.ValueSum = decimal(s.valueMicros.Plus(s.bots.valueMicros))
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
