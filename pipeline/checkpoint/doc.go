// Package checkpoint holds what the table keeps of a partition's flushes: the head of each chain, its history, the settings that each
// step was folded under, gaps, and why a partition is parked. A [Chain] changes it by compare-and-set; package verify and operators'
// commands read it.
//
//	chain.go      Chain: takes a chain over, begins a step, records that it is done; amend.go: what changes between steps
//	turn.go       which of two consumer groups takes a chain over
//	confirm.go    an owner that has not heard from its chain asks it before it writes
//	head.go       Head: the last step, its positions, its owner; Totals; History
//	script.go     Script: the settings and rules of all flushes of a chain, for a rebuild to follow
//	settings.go   Settings: what changes numbers, and is therefore named by each step; lateness.go: which events are on time
//	maps.go       Maps: by which mappings records are made events
//	merged.go     MergesOf: items of the history that nothing needs any more
//	gap.go        Gap: records that were lost before they were folded; extent.go: what a partition's log holds
//	mirror.go     a chain continues in a mirror of its topic
//	forgotten.go  Forgotten: folded records that can no longer be read
//	park.go       Park: why a partition waits for an operator
package checkpoint
