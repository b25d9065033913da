package query_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// suite is what must hold on every table. Each test gets a world of its own.
var suite = []struct {
	name string
	test func(*testing.T, *world)
}{
	{"StatsMergeVisitorsOfPartitionsAndPlaces", testStatsMergeVisitors},
	{"StatsByDayMergeTheHours", testStatsByDay},
	{"StatsPagesAddUp", testStatsPages},
	{"VisitorsOfADayAreUnknownOnceItsHoursExpired", testExpiredHours},
	{"StatsOfAnyRangeEqualARecount", testStatsOfAnyRange},
	{"StatsPagesOfAnySizeAddUp", testStatsPagesOfAnySize},
	{"RowsOfExpiredHoursAreIncomplete", testStatsOfExpiredHours},
	{"RowsOfExpiredDaysAreIncomplete", testStatsOfExpiredDays},
	{"StatsAreComparedWithTheRangeBefore", testStatsCompared},
	{"StatsAreComparedWithAnyRange", testStatsAgainst},
	{"RunningPeriodsAreComparedWithAsMuch", testStatsComparedSoFar},
	{"NothingIsRelativeInTheFirstHour", testComparedEarly},
	{"RowsAreComparedByNumberAndHour", testStatsComparedRows},
	{"FilledStatsHaveARowForEachBucket", testStatsFilled},
	{"FilledRowsThatMayHaveExpiredSaySo", testFilledRowsExpire},
	{"UniquesOfDatesInAZone", testUniquesOfAZone},
	{"UniquesAreMergedNotAdded", testUniques},
	{"TopValuesAreMergedOverHoursPartitionsAndSites", testTop},
	{"TopPagesAreTheWholeList", testTopPages},
	{"TopListsAreReadTogether", testTops},
	{"PropertiesThatSitesHaveChosen", testTopProperty},
	{"SealedAnswersAreThoseOfTheHours", testSealed},
	{"SealedAnswersOutliveTheHours", testSealedSourcesExpire},
	{"LateEventsTakeNothingFromWhatIsSealed", testSealedLateAfterExpiry},
	{"SealedSumsOutliveTheDays", testSealedSumsOutliveDays},
	{"LateEventsOfAMonthWhoseDaysExpiredAreAdded", testSealedLateAfterDaysExpired},
	{"RealtimeMergesMinutesAndPartitions", testRealtime},
	{"BotsAreAddedWhereAskedFor", testBots},
	{"RecentSessionsComeNewestFirst", testRecentSessions},
	{"SessionsOfUserAndVisitor", testIndexedSessions},
	{"SessionsOfOneSortKey", testTiedSessions},
	{"SessionsListedTwice", testListedSessions},
	{"SessionSeenByTwoPartitionsHasTwoParts", testSession},
	{"EventsOfASession", testSessionEvents},
	{"VisitIsFoundByItsIDAlone", testVisit},
	{"EventsOfAllShardsAreMergedByTime", testEvents},
	{"StatsOfASiteWithItsOwnZone", testStatsOfOwnZone},
	{"EventsAreFoundWhereverShardsHaveChanged", testEventsOfChangedShards},
	{"SitesOfAllListsAndOwners", testSites},
	{"SitesAddUpByTheirOwnDays", testStatsOfSites},
	{"HoursOfSitesAddUpWhereTheyBegin", testHoursOfSites},
	{"NewVisitorsAreUnknownWhereNoneWereCounted", testNewVisitorsUnknown},
	{"GoalsComeByID", testGoals},
	{"GoalsAreCountedByBucket", testGoalStats},
	{"GoalsOfARangeThatEndsWithinADay", testGoalTotals},
	{"ConversionsOfAllShardsAreMergedByTime", testConversions},
	{"DeletedSitesAreLeftOutOfTheList", testDeletedSites},
	{"WhatIsSwitchedOffIsSaid", testSwitchedOff},
	{"UnknownSiteIsAnEmptyAnswer", testUnknownSite},
	{"AnswersWithoutDataSayWhereItLies", testStored},
	{"RangesBeforeTheFirstDayAreNotCompared", testComparedWithoutData},
	{"ChangesSinceAPartOfADayHaveNoPercentages", testFirstDayIsAPart},
	{"NothingExpiredOfANewSite", testNothingExpiredOfANewSite},
	{"NewVisitorsSaySinceWhenTheyAreCounted", testNewVisitorsSince},
	{"EmptyListsSayWhereDataLies", testEmptyListsSayWhereDataLies},
	{"FiguresComeFromWhatHasNotExpired", testStoredOfOneKind},
	{"SitesHaveFigures", testSitesFigures},
	{"SitesAreSorted", testSitesSorted},
	{"SitesNeverMeet", testSitesNeverMeet},
	{"ExportedEventsComeInOrder", testExportEvents},
	{"ExportReadsAllPagesAndShards", testExportPages},
	{"FilteredStatsAreOfWhatPasses", testFilteredStats},
	{"SeveralValuesAreTheirRowsTogether", testFilteredRows},
	{"FiltersByLandingSelectEventsOfSessions", testLandings},
	{"SessionsAreListedByTheirLanding", testSessionsByLanding},
	{"FilteredRowsByLandingAreOfSessions", testLandedRows},
	{"LockedFiltersHideOtherLandings", testLockedLandings},
	{"FiltersByGoalSelectSessionsThatReachIt", testGoalFilters},
	{"FiltersByGoalAreRefusedByName", testGoalFiltersRefused},
	{"SessionsAreListedByTheirGoals", testSessionsByGoal},
	{"SessionsOfUnknownValuesAreNotWithoutOne", testSessionsOfUnknownValues},
	{"SessionsThatMissTheGoalTakeNoRows", testMissedValues},
	{"FilteredRowsHaveConversions", testFilteredConversions},
	{"GoalsAreReachedByEventsThatPass", testFilteredGoals},
	{"FilteredGoalRatesAreOneAtMost", testFilteredGoalRates},
	{"FilteredRowsAreSortedByAllOfTheirFigures", testFilteredOrder},
	{"GoalsUnderFiltersAreThoseOfEachQuestion", testFilteredGoalsTogether},
	{"FilteredStatsAreComparedAlike", testFilteredCompared},
	{"FilteredListsAreComparedAlike", testFilteredListsCompared},
	{"FiltersAreRefusedWithoutRawEvents", testFilteredRefused},
	{"FilteredListsAreThoseOfEachQuestion", testFilteredLists},
	{"FilteredListIsRefusedAlone", testFilteredListRefused},
	{"FilteredRowsHaveTheVisitorsOfTotals", testRowsOfAllVisitors},
	{"RecountsCoverTheirRange", testVerified},
	{"RetentionIsKnownWhereAllAreFollowed", testRetention},
	{"RetentionOfDeletedDays", testRetentionOfDeletedDays},
	{"FunnelsOfASite", testFunnels},
	{"FunnelReportIsOfEachVisitorsBestAttempt", testFunnelReport},
	{"FunnelReportIsOfSessionsThatPass", testFunnelFiltered},
	{"FunnelReportKeepsFewEvents", testFunnelFilterBound},
	{"FunnelReportReadsAllPagesAndShards", testFunnelPages},
	{"FunnelReportIsRefusedWithoutRawEvents", testFunnelRefused},
	{"PathsAreThePagesAroundAPage", testPaths},
	{"PathsWithoutAnAnswerAreRefused", testPathsRefused},
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	all, real, ran := make(map[string]bool), make(map[string]bool), 0
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			table := &asking{Table: testworld.Table(t), kinds: make(map[string]bool)}
			s.test(t, worldOn(t, table, sinks.Keys{}))
			maps.Copy(all, table.kinds)
			if slices.Contains(onReal, s.name) {
				maps.Copy(real, table.kinds)
			}
			ran++
		})
	}
	for kind := range all {
		if ran == len(suite) && !real[kind] {
			t.Errorf("no test among onReal asks the table for %s", kind)
		}
	}
}

// TestPackedRawEvents: answers are the same where raw events lie in packs, or some do.
func TestPackedRawEvents(t *testing.T) {
	packs := 0
	for _, s := range suite {
		if strings.HasPrefix(s.name, "LateEvents") { // Of stats.
			continue
		}
		if !strings.Contains(s.name, "Event") && !strings.Contains(s.name, "Visit") && !strings.Contains(s.name, "Export") &&
			!strings.Contains(s.name, "Funnel") && s.name != "SitesNeverMeet" {
			continue
		}
		for _, share := range []int{2, 10} {
			t.Run(fmt.Sprintf("%s/%d", s.name, share), func(t *testing.T) {
				w := packedWorld(t, share)
				s.test(t, w)
				packs += w.packing.packs
			})
		}
	}
	if packs < 200 {
		t.Errorf("%d packs were read", packs)
	}
}

func at(hour int) time.Time { return time.Date(2026, 5, 12, hour, 0, 0, 0, time.UTC) }

func small(from, to int) sinks.Value { return visitors(sketch.NewHour(), from, to) }
