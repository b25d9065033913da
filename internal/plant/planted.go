//go:build planted

package plant

// The bugs, as variables. They are set while nothing of footfall runs.
var (
	NoIntent, NoRedo, NoEpoch, GroupsFight, CommitFirst, NoHistory, RedoTooLong, RedoOwnRules, NoMark, NotSettled,
	RawNotAwaited, DropThrottled, LeftDropped, TailLost, DoneTooEarly, NoPrev, MinuteTwice, TotalsTwice,
	RecentMoved, LetGoTooSoon, PartForgotten, OtherSite, Midnight, BookedTwice, RawDefault, ByWallClock,
	ColdWindow, BreakdownTwice, BookedFirst, BounceTwice, ExitNotMoved, TrimmedAtFlush, Readmitted, ExtremesLost,
	BotViewed, FloodForgotten, BotVisits, SealedMarksLate, SealedMonthLess, SealedIgnored,
	VisitorNoPrev, VisitApart, EarliestVisit, VisitHere, RulesMidStep, RedoNewRules, FirstRulesUnknown, ZoneOfStep, BookedByRules,
	ReachedForgotten, ReachedOfCur, ConvertedAtStart, ConversionOfSession,
	AdmittedKnown, NewSitesNoPrev, StandingNewest, NewSitesByClock, ReleasedUnsettled, PortionPassed,
	LateUnread, CachedRowsKept, PurgeUnmarked, StrippedTaken, SweptUnread, LateUnseen, LateTwice, LateDeletedEarly, LateDisordered,
	ErasureForgotten, ErasedKept, ErasedPages, VisitorNotForgotten,
	BudgetNoPrev, BudgetForgotten, BudgetNewest, BudgetByClock, OverBudgetUnseen,
	NewSitesJumpResets, NotAfterByClock, NotAfterUnrecorded,
	QueryByOwnSettings, FailedQueryKept bool
)

var (
	FinishAnyStep       bool
	IntendAnyStep       bool
	SecondReadShort     bool
	ReadLeftDropped     bool
	ExpiryKept          bool
	RawRecordTime       bool
	RawTimestamp        bool
	RawBrowser          bool
	RawValue            bool
	WrongVisitForgotten bool

	RangeCountsNothing, StreamTailLost, GapPassed, ForgottenUnnamed, SkipFloorOfStep bool

	RecentOverwritten, RegistersLowered, WindowShort, ExpiredTakenForPresent bool
)

// The bugs of damaged items.
var QuarantineUnrecorded, QuarantineUnmarked bool

// Bug is a mistake that can be planted.
type Bug struct {
	Name    string // what is wrong
	Planted *bool  // the variable that the code looks at
}

// All lists the bugs.
var All = []Bug{
	{"step written without intent", &NoIntent},
	{"open step not redone", &NoRedo},
	{"epoch ignored", &NoEpoch},
	{"groups fight", &GroupsFight},
	{"commit before write", &CommitFirst},
	{"history not put again", &NoHistory},
	{"redo beyond its end", &RedoTooLong},
	{"redo under own settings", &RedoOwnRules},
	{"rules changed within a step", &RulesMidStep},
	{"first rules of a site unknown", &FirstRulesUnknown},
	{"redo under newer rules", &RedoNewRules},
	{"no applied mark", &NoMark},
	{"advance before settled", &NotSettled},
	{"raw events not awaited", &RawNotAwaited},
	{"dropped on throttle", &DropThrottled},
	{"batch leftover dropped", &LeftDropped},
	{"batch tail lost", &TailLost},
	{"done at the deadline", &DoneTooEarly},
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
	{"quarantine without a record", &QuarantineUnrecorded},
	{"quarantine without a mark", &QuarantineUnmarked},
	{"tombstone forgotten in a redo", &ErasureForgotten},
	{"raw event of the erased", &ErasedKept},
	{"erased session keeps pages", &ErasedPages},
	{"visits of the erased go on", &VisitorNotForgotten},
	{"query cut by own settings", &QueryByOwnSettings},
	{"query of a failed event kept", &FailedQueryKept},
	{"duplicates by wall clock", &ByWallClock},
	{"journal of old hours not read", &LateUnread},
	{"journal not applied by a reader", &LateUnseen},
	{"dropped rows in memory", &CachedRowsKept},
	{"journal entry merged twice", &LateTwice},
	{"journal deleted before its merge", &LateDeletedEarly},
	{"journal out of order", &LateDisordered},
	{"window not warmed up", &ColdWindow},
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
	{"sealed under later marks", &SealedMarksLate},
	{"month lacks a day", &SealedMonthLess},
	{"stale sealed item used", &SealedIgnored},
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
	{"state released unsettled", &ReleasedUnsettled},
	{"rest of a chunk passed", &PortionPassed},
	{"budget without prev", &BudgetNoPrev},
	{"budget forgotten by each step", &BudgetForgotten},
	{"budget by newer rules", &BudgetNewest},
	{"budget by wall clock", &BudgetByClock},
	{"new sites again after a jump", &NewSitesJumpResets},
	{"record times by a redo's clock", &NotAfterByClock},
	{"last record time not recorded", &NotAfterUnrecorded},
	{"done marked for a later step", &FinishAnyStep},
	{"intent without its step", &IntendAnyStep},
	{"second batch read short", &SecondReadShort},
	{"read leftover dropped", &ReadLeftDropped},
	{"time to live kept", &ExpiryKept},
	{"raw event's record time", &RawRecordTime},
	{"raw event's timestamp", &RawTimestamp},
	{"raw event's browser", &RawBrowser},
	{"raw event's value", &RawValue},
	{"wrong visit forgotten", &WrongVisitForgotten},
	{"gap passed silently", &GapPassed},
	{"rejected range counts nothing", &RangeCountsNothing},
	{"end of a streamed batch lost", &StreamTailLost},
	{"recent sessions overwritten", &RecentOverwritten},
	{"window one position short", &WindowShort},
}

// Tested lists the bugs that the simulation cannot catch: package verify uses the same code, or the bug needs a situation that
// footfall promises nothing about. Each is caught by the test of that name, built with the tag planted, in the package that has the bug.
var Tested = []Bug{
	{"TestExpiredSessionTakenForPresentIsNoticed", &ExpiredTakenForPresent},
	{"TestForgottenOffsetsUnnamedAreNoticed", &ForgottenUnnamed},
	{"TestWindowThatLacksAnUndecidedStepIsNoticed", &SkipFloorOfStep},
	{"TestLoweredRegistersAreNoticed", &RegistersLowered},
	{"TestVisitorsBeyondTheBudgetUnseenIsNoticed", &OverBudgetUnseen},
	{"TestRowsDroppedOverALaterWriteIsNoticed", &PurgeUnmarked},
	{"TestStrippedEntryTakenForEmptyIsNoticed", &StrippedTaken},
	{"TestSweptHourWithoutItsJournalIsNoticed", &SweptUnread},
}
