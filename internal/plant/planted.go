//go:build planted

package plant

// The bugs, as variables. They are set while nothing of footfall runs.
var (
	NoIntent, NoHistory, RedoTooLong, NoMark, NotSettled,
	RawNotAwaited, TailLost, NoPrev, MinuteTwice, TotalsTwice,
	RecentMoved, LetGoTooSoon, PartForgotten, OtherSite, Midnight, BookedTwice, RawDefault, ByWallClock,
	BreakdownTwice, BookedFirst, BounceTwice, ExitNotMoved, TrimmedAtFlush, Readmitted, ExtremesLost,
	BotViewed, FloodForgotten, BotVisits,
	VisitorNoPrev, VisitApart, EarliestVisit, VisitHere, RulesMidStep, FirstRulesUnknown, ZoneOfStep, BookedByRules,
	ReachedForgotten, ReachedOfCur, ConvertedAtStart, ConversionOfSession,
	AdmittedKnown, NewSitesNoPrev, StandingNewest, NewSitesByClock, PortionPassed,
	LateUnread, CachedRowsKept, StrippedTaken, SweptUnread, LateTwice, LateDeletedEarly, LateDisordered,
	ErasureForgotten, ErasedKept, ErasedPages, VisitorNotForgotten,
	BudgetNoPrev, BudgetForgotten, BudgetNewest, BudgetByClock, OverBudgetUnseen,
	NewSitesJumpResets bool
)

var (
	SecondReadShort     bool
	ExpiryKept          bool
	WrongVisitForgotten bool

	RangeCountsNothing bool

	RecentOverwritten, ExpiredTakenForPresent bool
)

// Bug is a mistake that can be planted.
type Bug struct {
	Name    string // what is wrong
	Planted *bool  // the variable that the code looks at
}

// All lists the bugs.
var All = []Bug{
	{"step written without intent", &NoIntent},
	{"history not put again", &NoHistory},
	{"redo beyond its end", &RedoTooLong},
	{"rules changed within a step", &RulesMidStep},
	{"first rules of a site unknown", &FirstRulesUnknown},
	{"no applied mark", &NoMark},
	{"advance before settled", &NotSettled},
	{"raw events not awaited", &RawNotAwaited},
	{"batch tail lost", &TailLost},
	{"session without prev", &NoPrev},
	{"minute folded twice", &MinuteTwice},
	{"totals counted again", &TotalsTwice},
	{"recent under another step", &RecentMoved},
	{"state let go unsettled", &LetGoTooSoon},
	{"uniques part forgotten", &PartForgotten},
	{"second site's key", &OtherSite},
	{"session over midnight", &Midnight},
	{"session booked twice", &BookedTwice},
	{"shards by default", &RawDefault},
	{"day by the present zone", &ZoneOfStep},
	{"corrected by present rules", &BookedByRules},
	{"tombstone forgotten in a redo", &ErasureForgotten},
	{"raw event of the erased", &ErasedKept},
	{"erased session keeps pages", &ErasedPages},
	{"visits of the erased go on", &VisitorNotForgotten},
	{"duplicates by wall clock", &ByWallClock},
	{"journal of old hours not read", &LateUnread},
	{"dropped rows in memory", &CachedRowsKept},
	{"journal entry merged twice", &LateTwice},
	{"journal deleted before its merge", &LateDeletedEarly},
	{"journal out of order", &LateDisordered},
	{"breakdown folded twice", &BreakdownTwice},
	{"booked before its event", &BookedFirst},
	{"bounce taken back twice", &BounceTwice},
	{"exit not moved", &ExitNotMoved},
	{"trimmed at a flush", &TrimmedAtFlush},
	{"row admitted again", &Readmitted},
	{"extremes lost", &ExtremesLost},
	{"bot among page views", &BotViewed},
	{"flood forgotten", &FloodForgotten},
	{"bot visits in realtime", &BotVisits},
	{"visitor without prev", &VisitorNoPrev},
	{"visits apart at the gap", &VisitApart},
	{"earliest visit", &EarliestVisit},
	{"visit named by this event", &VisitHere},
	{"conversion counted twice", &ReachedForgotten},
	{"conversion lost in a redo", &ReachedOfCur},
	{"conversion at session's start", &ConvertedAtStart},
	{"conversion of its session's visitor", &ConversionOfSession},
	{"site known in its own redo", &AdmittedKnown},
	{"new sites without prev", &NewSitesNoPrev},
	{"redo by who is created now", &StandingNewest},
	{"new sites by wall clock", &NewSitesByClock},
	{"rest of a chunk passed", &PortionPassed},
	{"budget without prev", &BudgetNoPrev},
	{"budget forgotten by each step", &BudgetForgotten},
	{"budget by newer rules", &BudgetNewest},
	{"budget by wall clock", &BudgetByClock},
	{"new sites again after a jump", &NewSitesJumpResets},
	{"second batch read short", &SecondReadShort},
	{"time to live kept", &ExpiryKept},
	{"wrong visit forgotten", &WrongVisitForgotten},
	{"rejected range counts nothing", &RangeCountsNothing},
	{"recent sessions overwritten", &RecentOverwritten},
}

// Tested lists the bugs that the simulation cannot catch: package verify uses the same code, or the bug needs a situation that
// footfall promises nothing about. Each is caught by the test of that name, built with the tag planted, in the package that has the bug.
var Tested = []Bug{
	{"TestExpiredSessionTakenForPresentIsNoticed", &ExpiredTakenForPresent},
	{"TestVisitorsBeyondTheBudgetUnseenIsNoticed", &OverBudgetUnseen},
	{"TestStrippedEntryTakenForEmptyIsNoticed", &StrippedTaken},
	{"TestSweptHourWithoutItsJournalIsNoticed", &SweptUnread},
}
