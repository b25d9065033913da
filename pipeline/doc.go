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
//	taker.go       the taker, which takes over the chains of partitions (acquireall.go); acquire.go: of one; inspect.go: what its log holds;
//	               resume.go: where each lane continues, and whether it redoes an open step; newworker.go: the worker that continues them
//	shared.go      what all partitions share; owned.go: what one has of it; partitionbytes.go: what it may take in memory
//	owner.go       the owner of one partition; worker.go: its life; steps.go: its steps are cut, applied and settled; drain.go, panicked.go:
//	               its end; relief.go: how it gives up its part of the memory; flushed.go: what traces show of its flushes; watch.go: what
//	               other goroutines see of it
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
// docs/internals/decisions.md says where we depart from the design, and which invariants have bitten.
package pipeline
