// Package rebuild counts a topic once more into a generation of items of its own beside the live one, shows what differs, and makes it the
// live one. Nobody's numbers stop meanwhile: the live generation is counted on, and readers see one or the other, never both.
//
//	generations.go  the table's settings: which generation is live, built or kept; each change is one compare-and-set, then a fence
//	job.go          Job: the whole of a rebuild; source.go: whether the topic has all of it; phases.go: one pipeline after the other
//	positions.go    how far the chains of both generations are; distance.go: waits for them, with a warning where they stay
//	compare.go      Compare: what differs, by site and figure; cells.go: what is compared
//	estimate.go     what it will take, by a sample; pace.go: the units that it takes, and how many a second
//	drop.go         deletes what a generation leaves for good
//
// # The phases
//
// First a pipeline of the new generation repeats the topic. Its flushes are marked as rebuilt: raw events and failed events of their
// records have gone out already, and belong to all generations. Once it has come to where the live chains are, both are compared. Before
// the flip its chains are fenced, and the pipeline continues as an ordinary one, which sends raw and failed events, until the live chains
// have passed the positions at which it began to: so each raw event is written by one of the two at least, and a repeated one is the
// same item, or the same event in another pack, which readers take for one.
//
// After the flip the chains of the former generation are fenced. Their owners read that it is not live, begin anew with the live one, and
// take its chains over. What they may still have under way goes to keys that nobody reads. A process that never notices (a zombie, a
// stopped one) is fenced for good.
//
// A rebuild that is killed at any point is continued by the next one: the chains know how far they are, the settings whether it was
// flipped.
package rebuild
