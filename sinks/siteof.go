package sinks

import (
	"strings"

	"github.com/footfall/footfall/sinks/internal/ids"
)

// SiteOf returns the site that an item belongs to by its key, and false for items of the table itself. An id that is too
// long for a key is returned as the key has it, shortened.
func SiteOf(key Key) (site string, ok bool) {
	rest := key.PK
	if g, after, found := strings.Cut(rest, "#"); found && isGeneration(g) {
		rest = after
	}
	var segment string
	switch {
	case strings.HasPrefix(rest, sitePrefix):
		segment, _, _ = strings.Cut(rest[len(sitePrefix):], "#")
	case strings.HasPrefix(rest, siteListPrefix):
		segment = key.SK
	default:
		return "", false
	}
	id, shortened, err := ids.Unescape(segment)
	if shortened || err != nil {
		return segment, true
	}
	return id, true
}

// EntityOf returns the entity of an item by its key, and "" for items that are written rarely: settings, entries, histories and others.
// The key of a query, whose sort key is the beginning of a range, is enough.
func EntityOf(key Key) string {
	rest := key.PK
	if g, after, found := strings.Cut(rest, "#"); found && isGeneration(g) {
		rest = after
	}
	if !strings.HasPrefix(rest, sitePrefix) {
		if strings.HasPrefix(rest, "CHAIN#") && strings.HasPrefix(key.SK, "P#") && strings.Count(key.SK, "#") == 2 {
			return EntityCheckpoint
		}
		if rest == pipelinePK && strings.HasPrefix(key.SK, schemaPrefix) {
			return EntitySchema
		}
		return ""
	}
	_, list, _ := strings.Cut(rest[len(sitePrefix):], "#")
	list, _, _ = strings.Cut(list, "#")
	for _, e := range entitiesOfLists[list] {
		if strings.HasPrefix(key.SK, e.prefix) {
			return e.entity
		}
	}
	return ""
}

// entitiesOfLists are the entities by the lists of a site and by the beginnings of sort keys.
var entitiesOfLists = map[string][]struct{ prefix, entity string }{
	"": {{RealtimePrefix, EntityRealtime}, {HourStatsPrefix, EntityStats}, {DayStatsPrefix, EntityStats}, {MonthStatsPrefix, EntityMonthStats},
		{BudgetPrefix, EntityBudget}},
	"SHARD": {{SessionPrefix, EntitySession}, {EventPrefix, EntityEvent}, {PackPrefix, EntityPack}, {VisitorPrefix, EntityVisitor},
		{ArrivalPrefix, EntityArrival}, {ConversionPrefix, EntityConversion}},
	"RECENT":   {{"", EntityRecent}},
	"VISITORS": {{NewSessionsPrefix, EntityNewSessions}, {"", EntityVisitorSessions}},
	"UNIQUES":  {{UniquesPrefix, EntityUniques}, {sealedDayPrefix, EntitySealedUniques}, {sealedMonthPrefix, EntitySealedUniques}},
	"BREAKDOWN": {{BreakdownPrefix, EntityBreakdown}, {LatePrefix, EntityLate}, {sealedDayPrefix, EntitySealedBreakdown},
		{sealedMonthPrefix, EntitySealedBreakdown}},
}
