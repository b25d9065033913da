package judge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// Kind is what the catalogue of package sinks says of a kind of item that is compared one subject at a time, or lies among those.
type Kind struct {
	item          string // its name in the catalogue, where it has another one there
	sealed, month bool   // it is a sealed item, of a month
	Type          *sinks.ItemType
	Prefix        string // how sort keys begin
}

var Kinds = catalogued(map[string]*Kind{
	finding.KindNewSites: {}, finding.KindSite: {item: "site list entry"}, finding.KindMetadata: {item: "site"}, finding.KindGoal: {},
	finding.KindFunnel: {}, finding.KindSegment: {}, finding.KindBudget: {},
	finding.KindHour: {}, finding.KindDay: {}, finding.KindUniques: {}, finding.KindBreakdown: {}, finding.KindLate: {},
	finding.KindRealtime: {item: "realtime minute"},
	finding.KindSession:  {}, finding.KindVisitor: {}, finding.KindArrival: {}, finding.KindRecent: {}, finding.KindNew: {},
	finding.KindListed: {}, finding.KindConversion: {}, finding.KindEvent: {},
	finding.KindPack:  {},
	finding.KindMonth: {sealed: true, month: true}, finding.KindDayUniques: {sealed: true},
	finding.KindMonthUniques: {sealed: true, month: true},
	finding.KindDayBreakdown: {sealed: true}, finding.KindMonthBreakdown: {sealed: true, month: true},
})

// catalogued completes kinds with how their keys are spelled.
func catalogued(all map[string]*Kind) map[string]*Kind {
	types := sinks.Catalogue()
	for name, k := range all {
		i := slices.IndexFunc(types, func(t sinks.ItemType) bool { return t.Name == cmp.Or(k.item, name) })
		k.Type = &types[i]
		_, sk := k.Type.Templates()
		k.Prefix, _, _ = strings.Cut(string(sk), "{")
	}
	return all
}
