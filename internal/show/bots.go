package show

import (
	"slices"

	"github.com/footfall/footfall/query"
)

// botColumns are shown to people where there are bots, or where they were asked for.
var botColumns = []column{{"botEvents", "Bot events", true}, {"botPageViews", "Bot page views", true}}

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
