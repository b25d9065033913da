// Package rebuild counts a topic once more into another generation of items beside the live one, shows what differs, and makes it the live
// one. Members keep counting the live generation. Each answer to a reader comes from one generation, or from one and those that keep
// earlier dates for it (package kept).
//
//	generations.go  the table's settings: which generation is live, built or kept; each change is one compare-and-set, then a fence
//	job.go          Job: the whole of a rebuild; source.go: whether the topic has all records; keepbefore.go: from which date on
//	phases.go       one pipeline after the other
//	counting.go     runs a pipeline during a phase
//	fromraw.go      Job.FromRaw: raw events serve for what the topic has lost; rawdates.go: from which date on they are complete
//	purged.go       refuses to flip where a site was purged before the new generation had counted what lies before it
//	positions.go    how far the chains of both generations are; distance.go: waits for them, and warns if they make no progress
//	compare.go      Compare: what differs, by site and figure; cells.go: what is compared
//	estimate.go     cost, storage and duration, from a sample; estimateraw.go: of raw events; pace.go: meters and limits the units
//	drop.go         deletes items that do not expire
//	restored.go     Resume: counts the topic again for a copy of a table; copied.go: what the settings say of it; mending.go: what all
//	                generations of a copy have in common; ends.go: where the topic ends
//
// # The phases
//
// Counting: a pipeline of the new generation repeats the topic. Its flushes are marked as rebuilt. They send no raw events and no failed
// events, because the live generation has sent them, and these belong to all generations.
//
// Comparing: once the new generation has caught up, both are compared.
//
// Following: the new generation's chains are fenced, and its pipeline continues as an ordinary one, which sends raw and failed events, from
// positions Q on. The flip waits until the live chains have passed Q. So at least one of the two generations writes each raw event. A
// repeated raw event is the same item, or the same event in another pack. Readers return it once.
//
// Handing off: after the flip the chains of the former generation are fenced. Their owners read that it is not live, start a pipeline of
// the live one, and take its chains over. Writes that they still have in flight reach keys that no reader asks for. A zombie stays fenced.
//
// A rebuild that was killed is continued by the next run. The checkpoints hold its position, and the table's settings say whether it was
// flipped.
package rebuild
