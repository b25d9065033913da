// Package replay publishes the entries of a failed-events topic to their source topic again: for operators who changed a
// setting, or installed a release, that accepts what was rejected.
//
// Each entry goes to the partition it came from, with its key, its value and its record's time as they were, and with the
// header event.HeaderSource, which identifies the rejected record to the pipeline.
//
// # What is promised
//
// Each rejected record is published once, however often a replay is run, wherever it is killed, and even if another runs
// at the same time. Three things keep it.
//
//   - A position for each partition of the failed-events topic and each class of entries, in the table, changed by
//     compare-and-set under an epoch that each run raises (position.go). A class is a reason, and whether the rejected
//     record was a replayed one itself. So a run that takes some reasons neither loses nor repeats the others.
//   - A transaction for each batch, under a transactional id that the topics name (publish.go). A batch is intended in the
//     position, with the end offsets of the partitions it goes to, before it is published, and settled after. A run that
//     finds a batch open begins by looking after those offsets for records with the batch's sources, and publishes what
//     is not there. Starting the transactional producer has ended, or undone, whatever an earlier run had in flight, in a
//     paused process or in the network: nothing can come later than the look. An idempotent producer alone could not
//     promise that.
//   - The set of what the positions have passed (seen in topics.go). A worker that does a step again publishes its entries again,
//     maybe to another partition of the failed-events topic: the set finds them. It costs a read of the topic up to the
//     positions, and some 50 bytes of memory for each rejected record, less where many lie together.
//
// A run ends at the end offsets that the failed-events topic had when it began, so it does not meet its own work again.
// Entries of records that were replayed before and rejected again are taken only when asked for: a loop that runs
// failed replay does not publish the same records over and over.
//
// Only what its chain has rejected is published. A process publishes entries before it begins the step that has their
// records. If it is killed in between, another process may begin that step under other settings and accept them. So
// where settings decide, a record is judged again under those that the chain names for its position (fate in
// replay.go). A record that no step has yet ends the run of its partition of the failed-events topic: the position
// stays before it, for the next run.
//
// # What is not
//
// The positions are in the table. With an empty one everything is published again, and then only the duplicates' window
// of the pipeline detects repetitions. The same holds for a run with --again.
package replay
