// Package verify recounts a topic from its log and compares the table with the recount, item by item. It is the
// proof of footfall's claim that each number in the table equals an offline recount of the topic.
//
// The recount is written from the definitions and shares no code with the pipeline's fold: only how a record is
// decoded, how checkpoints, keys, rules of sites and sketches are spelled. It is straightforward where the pipeline is fast.
//
//	log -> recount (one for each chain, as of f and as of t of its last step)
//	table -> scan of every partition of every site -> judge: equal, left out, or to be read again
//	read again: advance the recounts, read the items between two reads of the checkpoints -> a difference, or again
//
// What an item must hold depends on how far each chain has come with it. A chain's last step k covers [f, t). When
// it is done every item is as of t. While it is open an item that carries its mark k is as of t, and any other as of
// f: step k has not reached it. So the recount keeps two versions of what the open step changes (count.Cell), and a
// comparison is never of a moment, but of what the item itself says it holds. A difference counts only if the
// checkpoints that it was judged by were the same before the item was read and after.
//
// The packages below, from the bottom up:
//
//	finding   the comparison of an item by its attributes, differences, the report
//	repeats   which events are in the log before, within the window of duplicates
//	count     the figures of one hour, day, session or visitor, by their definitions
//	scope     which table, topic, sites and times; rules by revision, erasures
//	recount   what the log says, chain by chain
//	judge     the comparison of each kind of item with the recount
//	audit     checkpoints, and what else belongs to no site
//
// This package makes passes over parts of the sites (passes.go), waits for the chains (wait.go), scans the table (scan.go,
// sitescan.go), reads again what did not agree (settle.go, rawsettle.go, views.go), and keeps where to continue (progress.go).
package verify
