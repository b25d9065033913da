package query

import (
	"slices"

	"github.com/footfall/footfall/sinks"
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
	valueMicros               sinks.Int128
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

// botColumns are shown to people where there are bots, or where they were asked for.
var botColumns = []column{{"botEvents", "Bot events", true}, {"botPageViews", "Bot page views", true}}

// shown returns the columns, without titles for some of them unless they are worth a place in the table.
func shown(columns []column, worth bool, some ...column) []column {
	if worth {
		return columns
	}
	bare := slices.Clone(columns)
	for i := range bare {
		if slices.Contains(some, bare[i]) {
			bare[i].title = ""
		}
	}
	return bare
}

// figureColumns are the columns of the answer's figures: those of bots and conversions where there are any.
func (a StatsAnswer) figureColumns() []column {
	var bots, conversions int64
	look := func(f *Figures) {
		if f != nil {
			bots, conversions = bots+f.BotEvents, conversions+f.Conversions
		}
	}
	look(a.Totals)
	if a.Previous != nil {
		look(a.Previous.Totals)
	}
	for i := range a.Buckets {
		look(&a.Buckets[i].Figures)
		if before := a.Buckets[i].Previous; before != nil {
			look(&before.Figures)
		}
	}
	return shown(shown(figureColumns, a.IncludesBots || bots > 0, botColumns...), conversions > 0, conversionColumn)
}

// withBots returns the columns of realtime with those of bots.
func (a RealtimeAnswer) withBots(columns ...column) []column {
	worth := a.IncludesBots || a.BotEvents > 0
	for _, m := range a.Series {
		worth = worth || m.BotEvents > 0
	}
	return shown(append(columns, botColumns...), worth, botColumns...)
}

// aboutBots are the notes about bots of an answer.
func aboutBots(included bool) []string {
	if !included {
		return nil
	}
	return []string{"Events, page views and values are those of bots, too; visitors, sessions and what is divided by them are not."}
}
