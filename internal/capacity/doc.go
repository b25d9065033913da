// Package capacity estimates what a table will cost before there is one, and where it will be at a limit.
//
// # How
//
// What is written follows from the flush protocol: an item is written once per flush that touches it, and costs a unit per KB begun.
// How many flushes touch an item depends on how events lie in time, and its bytes depend on what differs between them. Neither has a
// formula that holds for sites of ten events an hour and of a million. So the plan rehearses: it draws the traffic of a site, folds
// it with package aggregate, as the workers of its partitions do, and counts the writes of each flush, and the states that are read,
// by the sizes and units of package sinks. The table is a map in memory. Checkpoints and sealed items, which have no fold, have a
// formula.
//
// The draw is seeded: equal workloads have equal plans.
//
// # The sample
//
// For all sites of one size, one site is rehearsed. It is folded for as many hours as have 30,000 events, but for 3,000 at most: what
// is drawn of sessions has a standard error below 1 %. Of a site with more than 80,000 events an hour, as many partitions are drawn as have
// these, and the figures of all but shared items are multiplied. If one partition has more, 80,000 are drawn, and events, sessions,
// visitors and recent sessions are multiplied. The other items of an hour are about as large as they get: drawing 100,000 events
// makes breakdowns 9 % larger, which are then some 5 % of all units. Visits without sessionIds join sessions and pass over the end of an
// hour: for them the hour before is drawn as well. TestBusySitesAreScaled, TestSampledPartitionsAreScaled and
// TestRehearsalAgreesWithTheArithmetic hold the sample to this; `FOOTFALL_TEST_ALL=1 go test ./internal/bench -loads` compares plans with
// what pipelines wrote: within 10 % in all, and within 15 % of each kind that has a hundredth of the units.
//
// # What is left out
//
// Questions of readers but for views of a dashboard (readers.go); items that are written once or rarely (settings, site entries,
// histories, rules); retries, redone flushes and late events; flushes that end early because a process is at limits.memoryBytes, and
// states that leave memory for want of room; bots on the lists.
// A visitor of a site that is spread over partitions is taken to stay in one, as with the Kafka key that the documents recommend.
//
//	workload.go  Workload: what is planned for
//	traffic.go   hours of a site, drawn
//	simulate.go  the partitions of that site; memory.go: their table
//	cuts.go      when their flushes end: with the interval, or early at a limit
//	rehearse.go  how much is drawn, and how it is multiplied; figures.go: what is counted
//	shared.go    checkpoints, and what is sealed
//	plan.go      Plan: a day of all sites; limits.go: what is near a limit
//	members.go   the processes that a load needs, and how they recover
//	readers.go   what views of a dashboard read
//	price.go     dollars
//	print.go     the plan for people
//
// Others are about running processes: observe.go makes a plan of their meters; heat.go counts the writes of a process by partition key, and
// hot.go merges the counts of several processes; ledger.go and cost.go count units by site and kind, and costreport.go merges and prices
// them.
package capacity
