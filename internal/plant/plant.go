//go:build !planted

// Package plant plants bugs in footfall, for the test that the suite notices them: a checker that has never failed proves
// nothing. A place in production code where a bug is planted reads
//
//	if plant.NoRedo {
//
// and holds a mistake that somebody might make. In the product each bug is the constant false, and what hangs on it is
// not compiled. Only with the build tag planted, which nothing but a test sets, are they variables, and one at a time is
// true: TestPlantedBugs in package pipeline has the suite look for each.
//
// That nothing is left in the product does not rest on the optimizer: a function On that always returned false left a call
// behind in a place where Go 1.26 does not inline. TestProductHasNoTraceOfBugs builds the product and looks.
package plant

// The bugs, by what they attack.
const (
	// The chain.
	NoIntent          = false // the checkpoint moves once the items are written
	NoHistory         = false // a redo leaves out the history that its step begins
	RedoTooLong       = false // it folds whatever came in the same fetch
	RulesMidStep      = false // a step goes on under a revision that was learnt after its first record
	FirstRulesUnknown = false // a worker counts a site that was created without a look at the rules that it got

	// Writes.
	NoMark        = false // items take a step however often it is sent
	NotSettled    = false // the next step is begun while writes of this one are under way
	RawNotAwaited = false // a step settles while raw and failed events of it are under way
	TailLost      = false // at shutdown, a batch of raw events that is not full is forgotten

	// What a redo finds.
	NoPrev        = false // the state after the step is taken for the one before
	MinuteTwice   = false // a redo folds into a realtime minute that has the step
	TotalsTwice   = false // a redo adds its records to the totals
	RecentMoved   = false // a redo lists its new sessions under the next step
	LetGoTooSoon  = false // memory forgets a state whose step is under way
	PartForgotten = false // a new owner does not read the part that lies in its own item

	// What numbers mean.
	OtherSite     = false // a site's stats go to the key of the site before
	Midnight      = false // a session is booked on the day that it ends
	BookedTwice   = false // a session's old figures are not taken back
	RawDefault    = false // a raw event's shard is of the default number, not of the site's own
	ZoneOfStep    = false // a day is cut by the zone that holds last, not by the one that holds at the event's time
	BookedByRules = false // a correction goes to the buckets that the present rules give, not to those that were booked

	// Breakdowns.
	BreakdownTwice = false // a redo folds into a breakdown that has the step
	BookedFirst    = false // what a record changes of its session is booked before its own event is counted
	BounceTwice    = false // a bounce that is none any more is taken back twice
	ExitNotMoved   = false // a page that a session goes on from stays its exit
	TrimmedAtFlush = false // a breakdown that has grown too large is cut when it is written
	Readmitted     = false // a correction goes to a row that was admitted after what it corrects
	ExtremesLost   = false // a redo leaves out the values of events, the greatest among them

	// Bots.
	BotViewed      = false // a bot's page view is counted among people's, too
	FloodForgotten = false // a new owner does not know that a session floods
	BotVisits      = false // realtime takes a listed bot for a visitor
	// Visits.
	VisitorNoPrev = false // a redo finds visits open that its own records open
	VisitApart    = false // events that are exactly the gap apart are of two visits
	EarliestVisit = false // of several visits the one that started first takes an event
	VisitHere     = false // an event's visit is named by its own position, not by that of the visit's first

	// Goals.
	ReachedForgotten    = false // a new owner does not know which goals a session has reached
	ReachedOfCur        = false // a redo takes for reached before the step what is reached after it
	ConvertedAtStart    = false // a conversion is counted where its session is
	ConversionOfSession = false // a conversion is the session's visitor's, who may be known later, not its event's
	// Sites.
	AdmittedKnown   = false // a redo takes a site that its own step has admitted for one that was known before
	NewSitesNoPrev  = false // a redo counts new sites behind those that it has admitted already
	StandingNewest  = false // a redo goes by whether a site is created, or deleted, by now
	NewSitesByClock = false // the hour of new sites is that of the clock, not of the records

	// Budgets of sites.
	BudgetNoPrev     = false // a redo spends after what its own step has spent already
	BudgetForgotten  = false // each step begins a minute with nothing spent
	BudgetNewest     = false // a redo goes by the budget that the site has by now
	OverBudgetUnseen = false // a journaled hour lacks the visitors of events beyond the budget
	BudgetByClock    = false // the minute of a budget is that of the clock, not of the records

	// Record time.
	NewSitesJumpResets = false // an hour that is days ahead begins with no new sites
	// Erasures.
	ErasureForgotten    = false // a redo does not know the tombstones of its revision
	ErasedKept          = false // the raw event of a person who is erased is written all the same
	ErasedPages         = false // an erased session keeps its pages and its ids
	VisitorNotForgotten = false // the visits of an erased visitor go on

	// Memory.
	PortionPassed = false // a lane is marked as done up to the end of a chunk that is folded in part

	// The journal of old hours.
	LateUnread       = false // an owner reads an hour's item without what the journal has of it
	CachedRowsKept   = false // an hour in memory keeps the rows that an erasure drops
	StrippedTaken    = false // an entry without texts is taken for one that says nothing
	SweptUnread      = false // an hour that an erasure has written is read without the visitors of its entries
	LateTwice        = false // an owner takes in entries that the item has already
	LateDeletedEarly = false // entries are deleted by the step that merges them, before its items are written
	LateDisordered   = false // an entry does not keep the order of positions

	// Lists and sketches.
	RecentOverwritten = false // all lists of a step's new sessions of one minute have the key of the first

	// Batches that the client cannot read.
	RangeCountsNothing = false // records that cannot be read are not among the totals

	// Duplicates.
	ByWallClock = false // the window is one of time

	// Checkpoints and writes.
	SecondReadShort = false // the first state of a second batch read is taken for absent
	ExpiryKept      = false // an item that is kept for ever from now on keeps its time to live

	// States.
	ExpiredTakenForPresent = false // what never changes is not written again to a session whose item may have been deleted

	WrongVisitForgotten = false // of nine visits one that ended later than others is forgotten
)
