package show

import (
	"slices"

	"github.com/footfall/footfall/query"
)

// botColumns are shown to people where there are bots, or where they were asked for.
var botColumns = []column{{"botEvents", "Bot events", true}, {"botPageViews", "Bot page views", true}}

// newColumns are as well, and where new visitors are counted.
var newColumns = []column{{"newVisitors", "New", true}, {"returningVisitors", "Returning", true}}

// foreignColumn is shown to people where there are such events.
var foreignColumn = column{"foreignEvents", "Foreign", true}

// overColumn is as well.
var overColumn = column{"overBudgetEvents", "Over budget", true}

// excludedColumns are as well.
var excludedColumns = []column{{"excludedEvents", "Excluded events", true}, {"excludedPageViews", "", true}}

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
func (a statsView) has(it func(query.Figures) bool) bool {
	return a.Totals != nil && it(*a.Totals) || a.Previous != nil && a.Previous.Totals != nil && it(*a.Previous.Totals) ||
		slices.ContainsFunc(a.Buckets, func(b query.Bucket) bool { return it(b.Figures) || b.Previous != nil && it(b.Previous.Figures) })
}

// figureColumns are the columns of the answer's figures.
func (a statsView) figureColumns() []column {
	bots := a.IncludesBots || a.has(func(f query.Figures) bool { return f.BotEvents > 0 })
	columns := shown(figureColumns, bots, botColumns...)
	isNew := func(f query.Figures) bool { return f.NewVisitors != nil || f.ReturningVisitors != nil }
	columns = shown(columns, a.has(isNew), newColumns...)
	columns = shown(columns, a.has(func(f query.Figures) bool { return f.ForeignEvents > 0 }), foreignColumn)
	columns = shown(columns, a.has(func(f query.Figures) bool { return f.OverBudgetEvents > 0 }), overColumn)
	columns = shown(columns, a.has(func(f query.Figures) bool { return f.ExcludedEvents > 0 }), excludedColumns...)
	columns = shown(columns, a.has(func(f query.Figures) bool { return f.Values > 0 }), valueColumns...)
	columns = shown(columns, a.has(func(f query.Figures) bool { return f.ValueMin != nil }), extremeColumns...)
	return shown(columns, a.has(func(f query.Figures) bool { return f.Conversions > 0 }), conversionColumn)
}

// withBots returns the columns of realtime with those of bots.
func (a realtimeView) withBots(columns ...column) []column {
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
	return []string{"Events, page views and values include bots; visitors, sessions and rates do not."}
}
