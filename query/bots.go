package query

import (
	"slices"

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

// botColumns are shown to people where there are bots, or where they were asked for.
var botColumns = []column{{"botEvents", "Bot events", true}, {"botPageViews", "Bot page views", true}}

// foreignColumn is shown to people where there are such events.
var foreignColumn = column{"foreignEvents", "Foreign", true}

// overColumn is as well.
var overColumn = column{"overBudgetEvents", "Over budget", true}

// shown returns the columns, without titles for some of them unless these are worth a place in the table.
func shown(columns []column, worth bool, some ...column) []column {
	if worth {
		return columns
	}
	bare := slices.Clone(columns)
	for i, c := range bare {
		if slices.Contains(some, c) {
			bare[i].title = ""
		}
	}
	return bare
}

// has reports whether any figures of the answer have it.
func (a StatsAnswer) has(it func(Figures) bool) bool {
	return a.Totals != nil && it(*a.Totals) || a.Previous != nil && a.Previous.Totals != nil && it(*a.Previous.Totals) ||
		slices.ContainsFunc(a.Buckets, func(b Bucket) bool { return it(b.Figures) || b.Previous != nil && it(b.Previous.Figures) })
}

// figureColumns are the columns of the answer's figures.
func (a StatsAnswer) figureColumns() []column {
	bots := a.IncludesBots || a.has(func(f Figures) bool { return f.BotEvents > 0 })
	columns := shown(figureColumns, bots, botColumns...)
	columns = shown(columns, a.has(func(f Figures) bool { return f.ForeignEvents > 0 }), foreignColumn)
	columns = shown(columns, a.has(func(f Figures) bool { return f.OverBudgetEvents > 0 }), overColumn)
	return shown(columns, a.has(func(f Figures) bool { return f.Conversions > 0 }), conversionColumn)
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
