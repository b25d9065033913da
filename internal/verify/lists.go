package verify

import (
	"strings"

	"github.com/footfall/footfall/sinks"
)

// What lies under each partition key of a site. A key is read as a whole: an item that no prefix explains is nobody's.

// list is a partition key, or a part of one, and what lies there.
type list struct {
	query   sinks.Query
	kinds   []prefixed
	journal *lateDate // whose journal is read instead
}

// everything is all that lies under a partition key.
func everything(pk string, kinds []prefixed) list {
	return list{query: sinks.Query{PK: pk}, kinds: kinds}
}

// prefixed says of which kind items are whose sort keys begin so.
type prefixed struct{ prefix, kind string }

var (
	siteLists = []prefixed{{sinks.Keys{}.Metadata("").SK, kindMetadata}, {sinks.GoalPrefix, kindGoal}, {funnelPrefix, kindFunnel},
		{sinks.HourStatsPrefix, kindHour}, {sinks.DayStatsPrefix, kindDay}, {sinks.MonthStatsPrefix, kindMonth}, {sinks.RealtimePrefix, kindRealtime},
		{sinks.BudgetPrefix, kindBudget}}
	recentLists    = []prefixed{{"", kindRecent}}
	uniquesLists   = []prefixed{{sinks.UniquesPrefix, kindUniques}}
	breakdownLists = []prefixed{{sinks.BreakdownPrefix, kindBreakdown}, {sinks.LatePrefix, kindLate}}
	sealedUniques  = []prefixed{{"day#", kindDayUniques}, {"month#", kindMonthUniques}}
	sealedTops     = []prefixed{{"day#", kindDayBreakdown}, {"month#", kindMonthBreakdown}}
	shardLists     = []prefixed{{sinks.SessionPrefix, kindSession}, {sinks.VisitorPrefix, kindVisitor},
		{sinks.ConversionPrefix, kindConversion}, {sinks.EventPrefix, kindEvent}}
)

var _, funnelPrefix = sinks.Keys{}.Funnels("")

// kindOf says of which kind the item at a sort key is.
func (l list) kindOf(sk string) string {
	for _, k := range l.kinds {
		if strings.HasPrefix(sk, k.prefix) {
			return k.kind
		}
	}
	return kindUnknown
}

// shardLists are what is read of a shard: all of it, or, where not all raw events are wanted, each kind by itself.
func (v *verifier) shardLists(pk string) (all []list) {
	if !v.opts.SkipRaw && v.opts.From.IsZero() && v.opts.To.IsZero() {
		return []list{everything(pk, shardLists)}
	}
	for _, k := range shardLists {
		switch {
		case k.kind != kindEvent:
			all = append(all, list{query: sinks.Query{PK: pk, Prefix: k.prefix}, kinds: shardLists})
		case !v.opts.SkipRaw:
			all = append(all, list{query: v.eventQuery(pk), kinds: shardLists})
		}
	}
	return all
}
