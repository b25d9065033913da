package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// The kinds of items, as reports name them.
const (
	kindTable        = "table settings"
	kindTopic        = "topic"
	kindCheckpoint   = "checkpoint"
	kindHistory      = "history"
	kindLost         = "lost span"
	kindNewSites     = "new sites"
	kindToken        = "token"
	kindAnnotation   = "annotation"
	kindVerification = "verification"

	kindSite     = "site"
	kindMetadata = "metadata"
	kindGoal     = "goal"
	kindFunnel   = "funnel"
	kindBudget   = "budget"

	kindHour      = "hour stats"
	kindDay       = "day stats"
	kindUniques   = "uniques"
	kindBreakdown = "breakdown"
	kindLate      = "journal entry"
	kindRealtime  = "realtime"

	kindSession    = "session"
	kindVisitor    = "visitor"
	kindArrival    = "arrival"
	kindRecent     = "recent sessions"
	kindNew        = "new sessions" // compared with the two
	kindListed     = "visitor sessions"
	kindConversion = "conversion"
	kindEvent      = "event"
	kindPack       = "pack" // an event of one

	kindMonth          = "month stats"
	kindDayUniques     = "sealed uniques of a day"
	kindMonthUniques   = "sealed uniques of a month"
	kindDayBreakdown   = "sealed breakdown of a day"
	kindMonthBreakdown = "sealed breakdown of a month"

	kindUnknown = "unknown" // at a key that no template spells
)

// kind is what the catalogue of package sinks says of a kind of item that is compared one subject at a time, or lies among those.
type kind struct {
	item          string // its name in the catalogue, where it has another one there
	sealed, month bool   // it is a sealed item, of a month
	typ           *sinks.ItemType
	prefix        string // how sort keys begin
}

var kinds = catalogued(map[string]*kind{
	kindNewSites: {}, kindSite: {item: "site list entry"}, kindMetadata: {item: "site"}, kindGoal: {}, kindFunnel: {}, kindBudget: {},
	kindHour: {}, kindDay: {}, kindUniques: {}, kindBreakdown: {}, kindLate: {}, kindRealtime: {item: "realtime minute"},
	kindSession: {}, kindVisitor: {}, kindArrival: {}, kindRecent: {}, kindNew: {}, kindListed: {}, kindConversion: {}, kindEvent: {},
	kindPack:  {},
	kindMonth: {sealed: true, month: true}, kindDayUniques: {sealed: true}, kindMonthUniques: {sealed: true, month: true},
	kindDayBreakdown: {sealed: true}, kindMonthBreakdown: {sealed: true, month: true},
})

// catalogued completes kinds with how their keys are spelled.
func catalogued(all map[string]*kind) map[string]*kind {
	types := sinks.Catalogue()
	for name, k := range all {
		i := slices.IndexFunc(types, func(t sinks.ItemType) bool { return t.Name == cmp.Or(k.item, name) })
		k.typ = &types[i]
		_, sk := k.typ.Templates()
		k.prefix, _, _ = strings.Cut(string(sk), "{")
	}
	return all
}
