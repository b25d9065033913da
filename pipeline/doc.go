// Package pipeline turns the records of a Kafka topic into the items of a table, and makes each number equal to a
// recount of the log: after any number of kill -9, rebalances, zombies, throttles and lost answers.
//
// # The picture
//
//	Kafka topic
//	  -> poll              pipeline.go   records arrive by partition; the owner of a partition is one goroutine
//	  -> decode, validate  event/        record -> event.Event, or a reject with a reason (data, never an error)
//	  -> dedupe            duplicates    a window over the partition's own log
//	  -> load              loading       states that a step touches first, in batches; memory is a cache of the table
//	  -> fold              aggregate/    deltas in memory, no locks, no I/O, no clock
//	  -> cut               aggregate/    step k: exact positions [from, to) and the writes they amount to
//	  -> intend            checkpoint/   the step is durable in the checkpoint before its first write
//	  -> apply             lanes         every write is refused a second time
//	  -> settle            steps.go      only when every item has answered may the next step be intended
//
// The main loop is [Pipeline.Run] and poll in pipeline.go; the life of a partition is run and advance
// in worker.go, cut and settle in steps.go, and drain in drain.go. Start with those files.
//
// # The promises, and what keeps each
//
// make test runs the tests that are named here, some of them with fewer cases. Only make test-all runs TestBurstStaysWithinItsCeilings,
// TestHostileLoadStaysUnderItsCeilings, TestSiteThatFillsItsPastOf600Hours, TestThrottledTableAndHotKey and TestConsumerWithAnotherClock.
// TestSimulation is in pipeline/simulation. Tests that ask by package query, such as TestRowsOfErasedVisitorAreDropped, are in
// pipeline/answers.
//
//   - Exact. Table = a fold of the log in offset order. Chain in package checkpoint: a step is intended under a fencing epoch
//     before it is applied, and each item is written under its applied mark. TestKillAtEveryRequest; TestSimulation
//     under every fault of the table, the brokers and the processes.
//   - Nothing vanishes. Each record is counted or rejected with a reason; [checkpoint.Totals] add up. account in account.go.
//     TestHostileRecordsAreAllAccountedFor, TestRejectedRecordsReachTheFailedTopic, TestRecordThatPanicsIsIsolated,
//     TestFailedTopicUnavailableStopsConsumption; totals and failed events under faults are judged by TestSimulation.
//   - One owner. [worker] in owner.go. A goroutine beside it may decode (nextchunk.go); it has no part in the states. The race detector
//     over TestMembersComeAndGo.
//   - Bounded. [Limits]; the budget in internal/budget; blocked in worker.go, Enqueue in internal/inbox. TestQueueStaysBounded,
//     TestBurstStaysWithinItsCeilings, TestHostileLoadStaysUnderItsCeilings.
//   - Deterministic. Each step names its [checkpoint.Settings] and the revision of the sites' rules. The clock decides only what has
//     expired and is no longer written (aggregate/plan/expiry.go), and up to when record timestamps are believed, which each step
//     records (internal/lanes/recordtime.go). TestStepIsRedoneUnderItsOwnSettings, TestFlushTimingChangesNothing,
//     TestConsumerWithAnotherClock;
//     of the rules TestStepKeepsItsRules, TestCreatedSiteIsCountedByItsRulesAtOnce, TestEventsZoneFollowsItsOwnTime,
//     TestRedoFindsTheSameConversions.
//   - Sites are those that are wanted. admission.go decides which are counted, once for each record, by what the lane itself has
//     on record: TestNewSitesOfAnHourAreBounded, TestOnlyRegisteredSitesAreCounted, TestRefusedSitesAreForgotten.
//   - A site pays for itself. Old hours are journaled: TestSiteThatFillsItsPastOf600Hours, TestThrottledTableAndHotKey. Events beyond
//     the site's budget are in its totals alone: TestSiteBeyondItsBudgetKeepsItsTotals.
//   - Who is erased does not come back. A tombstone in the rules of a site, which steps obey: aggregate/erased.go;
//     TestErasedPersonDoesNotComeBack, TestRowsOfErasedVisitorAreDropped, TestReplacedOwnerAsksBeforeItWrites, and TestSimulation looks for
//     what is left.
//   - Sealed days hold. A day's marks are written after all of its hours: plan.Plan, TestDayIsMarkedAfterItsHours.
//   - Tenants never meet. sinks.Keys; TestKeysNeverCollide in package sinks.
//
// # Words
//
// A position is an offset plus the chain's base; the base is raised when a topic is created again, so a position
// never goes back. A lane is a chain of its own with its own interval: "stats" and "realtime". A step, or intent,
// is k: [from, to). The mark of an item is the last step of a chain that is folded into it. The epoch fences: each
// takeover raises it. Offset, lag and end offset are Kafka's.
//
// # The three kinds of state
//
//  1. Sums are added under the mark and never loaded.
//  2. A part that decides only itself (uniques, breakdowns, realtime minutes) is set under the mark. A redo that finds its own
//     mark on the item leaves the whole step out for it. Uniques are folded in any case: union is idempotent. Breakdowns of
//     hours that few events come to are written to the journal instead (aggregate/journals.go): the state is the item and, after it, the
//     entries of later steps than its mark. docs/internals/exactly-once.md has the protocol and why each failure is harmless.
//  3. State that decides other items keeps two versions, cur and prev: sessions, whether they are bots' by their rate, which goals they
//     have reached, and what their earliest events say, under which breakdowns have them; visitors' last visits, and where
//     they are counted as new; what
//     is spent of sites' budgets. A redo that finds its own mark goes back to prev.
//
// # Files
//
//	pipeline.go    New, Run, the poll loop; process.go: the type; roster.go: the partitions of a process; options.go: what a pipeline is
//	               made of; names.go: names of packages below that programs use
//	group.go       the consumer group: partitions assigned, revoked and lost; register.go: a worker begins and ends; retire.go: drains
//	groupoffsets.go the committed offsets, which tools read; settled.go: how far a partition is settled; groupsettled.go: and the group
//	instance.go    a static member leaves its place to its successor
//	takeovers.go   who took partitions over in the last day: the metadata of the commits
//	returning.go   what brings a partition back: fenced, its log looked at again, its gap accepted; stopping.go: what it waits for
//	groups.go      two consumer groups on one table: which of them counts, and when the other may
//	park.go        partitions that wait for an operator; standstill.go: why, in the checkpoint, or an open step of another release;
//	               parkeditem.go: the damaged item is read once more
//	taker.go       the taker, which takes over the chains of partitions (takeover.go); acquire.go: of one; inspect.go: what its log holds;
//	               resume.go: where each lane continues, and whether it redoes an open step; newworker.go: the worker that continues them
//	shared.go      what all partitions share; owned.go: what one has of it
//	owner.go       the owner of one partition; worker.go: its life; steps.go: its steps are cut, applied and settled; drain.go, panicked.go:
//	               its end; relief.go: how it gives up its part of the memory; flushed.go: what traces show of its flushes
//	nextchunk.go       chunks that another goroutine decodes before their turn, with limits.chunksAhead; what becomes of a record is still
//	               the owner's to decide
//	ingest.go      records of a chunk up to the end of a redo; intake.go, fold.go: through the window of duplicates (dedupe.go), load and
//	               fold; portions.go: how many at once; account.go: where each record ends
//	meet.go        what must be true of a site before its first record is folded; admission.go: which sites are counted: created, deleted,
//	               and new ones; rawmarks.go: where readers look for raw events
//	fetcherrors.go what follows from errors of fetches; batches that the client cannot read are streamed;
//	               stall.go: restarts the fetching of a partition that has unread records and delivers none
//	observe.go     the observer, which looks every second: gauges, warnings, the lag of what is not fetched; held.go: open transactions;
//	               watchoutages.go: when the table or the brokers do not answer
//	watchdog.go    what ends a process that waits for something that does not come; ready.go: why the process is not ready
//	sealing.go     who seals days and months; see package seal
//
// # Packages below
//
//	internal/lanes      a lane: what its accumulating step has, when a step of the realtime lane waits (calm.go), up to when record
//	                    timestamps are believed (recordtime.go); apply.go: applies the writes of a step
//	internal/inbox      what a partition has fetched and not folded; how far it is behind its log (lag.go), and whether it is fetched
//	internal/streaming  batches that the client cannot read, and records that the topic has lost
//	internal/decoding   records into events; pipe.go: ahead of their turn; replayed.go: those that come back
//	internal/duplicates the window that detects repetitions; reach.go: how far back it reaches
//	internal/loading    reads the states that aggregates ask for; quarantinepart.go: the owner quarantines a part that it cannot read;
//	                    package internal/quarantine: the command for other items
//	internal/outgoing   raw events and failed events, which go out as records arrive, or in packs with their flush; queries.go: which query
//	                    parameters are written; rejections.go: a warning when many records are rejected
//	internal/rulebook   the rules of sites by revision, learnt by all workers from one book; package sites: what they say
//	internal/requests   requests to the table, which package sinks/retry repeats; limiter.go: how much is in flight; timed.go: how long they
//	                    take; outage.go: that none is answered
//	internal/budget     what the process may hold in memory
//	telemetry           what operators watch; registry.go: names and help
//	checkpoint          what the table keeps of flushes, gaps and parked partitions, the chain that writes it, what
//	                    operators see of it, and the commands that continue it
//	event               bytes to Events
//	state               sessions, visitors and arrivals as their items keep them
//	aggregate           what events add up to, and the writes of a step
//
// # Planted bugs
//
// What the simulation cannot notice it does not prove. The files in internal/plant/bugs are a table of bugs: each entry replaces
// statements of the source by wrong ones. `make mutants` builds them into the tests with an overlay, turns them on one at a time,
// and fails when the simulation, or the test that an entry names, takes a broken pipeline for a right one. A new kind of item, a
// new guard or a new wait comes with the mistake that it prevents. A bug that is not caught shows what simulation/input_test.go
// does not feed, internal/testpipeline/faulty.go does not break, or package verify does not judge.
//
// # Where we depart from the design, and why
//
//   - What is decided about sites lies in one log of revisions, not in METADATA, which follows from it: a step names a
//     revision, and a process finds a change without reading thousands of items. A site's first rules, of `site create`, hold for all
//     steps, and an entry of the list of sites says that there are such.
//   - The ids of an hour's new sites are not kept as a set of hashes. The set would also bound known sites among those that were never
//     created, and its item would be 16 KB. Instead, a mark on the site's entry in the list of sites says that a lane has admitted it.
//     The mark is written once, and only the number of new sites in the hour is counted. Both facts are under the lane's own marks,
//     so a redo decides the same. Marks are also set without a bound, so that a bound that is set later finds the sites known.
//   - Whether a site is registered is a matter of the revision that a step names, also where its first rules hold always: a
//     step that rejected its events before rejects them in its redo.
//   - A site that was deleted and is created again keeps the zone and the shards that were decided, since its past was cut by
//     them; `site update` changes them, with its notice.
//   - A day is a span of time: where clocks are set back over midnight, the new day continues, although they show
//     the date before once more. An hour ends where clocks are set by a part of an hour, so that hours do not overlap either.
//   - Keys of conversions and names of sums have their goal's number, not its id. A goal that is created again under the same id is
//     another goal. With ids, a session that continues would overwrite the first goal's conversion, and a late put of a former
//     owner would bring it back.
//   - A conversion by a duration is worth nothing unless the goal says what: the event that it was reached by is any.
//   - Times to live of hours and days follow from their names alone: an hour's as if it had 60 minutes, a day's from the end of its
//     date in UTC, in any zone.
//   - Lanes of one partition share its goroutine. A lane whose hot key holds it up keeps accumulating, up to two
//     steps' worth (ceilingSteps), while the other lane continues; beyond that the partition's fetching pauses.
//   - What a partition reads (states) and writes beside its steps (raw events, failed events) is shared by its
//     lanes: a throttled read, or 2,000 raw events on their way, holds up both until it is answered.
//   - Of the visits that an event is near, those that it would make longer than a day are passed over, rather than that the one
//     that started last alone decides: an event between two visits belongs to one of them wherever it can.
//   - Raw events do not name their visits. They go out as records arrive, and a step that is folded later may decide otherwise. A
//     replay of a visit takes what its visitor did in its span.
//   - A breakdown may find less than a correction takes back when its item has expired while a session that lies in it lives
//     on. Nothing of such an hour is written, so that is no reason to exit; nor is it once a longer retention brings the hour
//     back, which verify leaves out.
//   - A sealed item names its marks by a hash of 64 bits: a month would have those of 31 days, each with one for every
//     partition. Who seals is the owner of partition 0, whatever the site; it need not be alone (package seal).
//   - A gap stops its partition, not the process, and not for ever: an operator makes it a step of the chain. It is in
//     the checkpoint until then, and in the chain's history from then on.
//   - The window of duplicates does not reach over a topic that was created again: its first log cannot be read again,
//     and a verdict that a new owner could not repeat would be none.
//   - A tombstone has an instant of event time in place of a position per partition: it holds for topics and partitions that
//     did not exist at the erasure, and for copies of the log, and is a function of the record alone.
//   - An erased visitor's visits are found under an alias. The table has only its keyed hash. A new item of the visitor would have
//     the visitor's id in its key, and a replay of the log would bring it back.
//   - A session that a record in the middle of a step erases keeps the state before the step until another step touches it, or
//     a sweep finds the step settled: a redo books from it what came before that record. Such a session was never known by the
//     person's id, so its pages are of events without a person, or of another person.
//   - Owners do not drop an hour's breakdown from memory when they learn of an erasure that includes breakdowns. A dropped hour may be read
//     again before the sweep has come to it, and would bring the row back. Steps remove the rows themselves (aggregate/purge.go).
//   - The last sweep of an erasure waits for ten minutes from when every chain was seen to have recorded the tombstone, not from
//     the tombstone itself: an owner that was replaced just before may write for another minute.
//   - The checkpoint also names the last step that has a history item (hist), so that a redo can decide whether to put it
//     again. And it names the position up to which its owner has read (n), when nothing but markers of transactions
//     and what aborted ones left came after the last step: retention may take those from an idle partition, and
//     that is no gap.
//
// # Invariants that have bitten
//
//   - A fetch that was under way while its partition was lost and given back may deliver the old position's
//     records to the new worker. Records that begin right at the worker's start are right whatever they stem from;
//     after a gap, in the first poll, the client is made to fetch again (deliver in pipeline.go).
//   - An item's own mark at k in a redo of k means different things by kind of state; taking cur for prev counts a
//     session's events twice.
//   - What a session has booked lies in the breakdowns of its start's hour. That hour must stay in memory as long as the
//     session does, so touching the session touches it; only then may it be let go.
//   - To which visit a record belongs depends on the records before it, of the same chunk too, so no state can be asked for until
//     the visitors' states are there. It is then decided once, before the sessions are asked for (visits.find), and not again
//     when the record is folded: a session that is loaded for a record and not touched by it would stay in memory for ever.
//   - Rules may cut an instant otherwise than they did when a session was booked at it. A session's state names the hour
//     and the day that it lies in; finding them by its time again would take figures from buckets that never had them.
//   - The first rules of a site that `site create` has listed hold always, also in a step of an earlier revision: the owner that folds
//     its first event has read them (meet), or has put it on record that there are none. A step without them would
//     cut the first minute of a site otherwise than all the rest (TestCreatedSiteIsCountedByItsRulesAtOnce).
//   - The item of a conversion is put without a mark, so it may say nothing but what its record and the rules of its step say. The
//     visitor that the session is of may be known to a redo and not to the step: the item names the event's.
//   - A site that a step has admitted must stay in memory until the step is settled: read again before, its entry would not have
//     the mark, and the site would be new twice (aggregate.Admission).
//   - What a step rejects depends on its rules, so they are fixed before its records are judged, and stay while sites are met:
//     meeting a site may read newer ones, and the step takes from them what holds always.
//   - An attribute that an update does not set stays: an item that is kept for ever from some revision on must lose the time
//     to live that it was written with before.
//   - An owner that was replaced without having noticed may read one state from before its successor's step and another
//     from after it. A mark level with a step that is no redo says so, before such a mixture is folded.
//   - What an item shows of a session beside its states, whose it is above all, is in a redo as the step has left it. It may
//     decide nothing that the step's own records change: hence a session is never named by an id with a tombstone.
//   - Pausing and resuming a partition happen under the queue's mutex: a resume that overtakes its pause would stop
//     the partition for ever.
//   - A lane's step may be cut only when the lane's redo is over, and a redo is cut at the very position its intent
//     names, whatever else came in the same fetch.
package pipeline
