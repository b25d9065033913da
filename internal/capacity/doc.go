// Package capacity tells what a table will cost before there is one, and where it will be at a limit.
//
// # How
//
// What is written follows from the flush protocol: an item is written once a step in which it is touched, and costs a unit per
// KB begun. How many steps touch an item depends on how events lie in time, and its bytes depend on what differs between
// them. Neither has a formula that holds for sites of ten events an hour and of a million alike. So the plan rehearses: it
// draws an hour of traffic of one site, cuts it into steps as a worker does, keeps the real sketches and breakdowns of
// package sketch, and weighs each item that a step touches by the sizes and units of package sinks, which the meters tell units
// by. Checkpoints, which a partition's sites share, have a formula.
//
// The draw is seeded: equal workloads have equal plans. Sites of little traffic are rehearsed for many hours, until some
// 30,000 events were drawn; those of very much are rehearsed with 100,000 an hour, and what grows with events is
// multiplied. `go test ./internal/bench -loads` holds plans against what pipelines wrote.
//
// # What is left out
//
// Questions that readers ask; items that are written once or rarely (settings, site entries, histories, rules); retries,
// redone steps and late events; bots. A visitor of a site that is spread over partitions is taken to stay in one, as with
// the Kafka key that the documents recommend.
//
//	workload.go  Workload: what is planned for
//	traffic.go   an hour of a site, drawn
//	rehearse.go  the steps of that hour; shared.go: what partitions share of it, and what is sealed
//	items.go     what items weigh
//	plan.go      Plan: a day of all sites; limits.go: what is near a limit
//	price.go     dollars
//	print.go     the plan for people
//
// Three files are about running processes: observe.go makes a plan of their meters, heat.go counts the writes of a process by partition
// key, and hot.go merges the counts of several processes.
package capacity
