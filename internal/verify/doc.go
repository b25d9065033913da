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
// f: step k has not reached it. So the recount keeps two versions of what the open step changes (cell), and a
// comparison is never of a moment, but of what the item itself says it holds. A difference counts only if the
// checkpoints that it was judged by were the same before the item was read and after.
//
//	passes.go    Run: passes over parts of the sites (part.go), what they cost (cost.go), where to continue (progress.go)
//	verify.go    Options, and how the log is recounted
//	log.go       the topic, by partition, without a group
//	chain.go     the chains' checkpoints and histories; wait.go: waiting for them
//	cell.go      two versions of a value
//	recount.go   the fold of the stats lane; session.go, realtime.go: sessions, realtime minutes; visit.go: visits, and
//	             what is kept of visitors for them; bots.go: who is counted apart
//	raw.go       raw events by a hash of what their records make; rawitem.go: that; rawsettle.go: those that are not so, by
//	             their records, read again
//	goals.go     goals that sessions reach, their sums and conversions
//	admission.go which sites are counted; foreign.go: whose url is of another domain
//	latest.go    counts of the latest hour or minute: new sites, and what is spent of budgets (budget.go)
//	kinds.go     the table of the kinds of items: their event time, their judge, what excuses them
//	lists.go     what lies under each partition key of a site; funnel.go: definitions of funnels
//	heads.go     every attribute of checkpoints and histories
//	table.go     what the table was made with, and its topics
//	rules.go     the rules of sites by revision, and the hour and the day of an instant by them
//	subject.go   what is compared at a time; read.go: reading the table
//	scan.go      every site, sitescan.go: every item of one, and every one that the table lacks
//	settle.go    reading again what did not agree
//	metadata.go  what the rules of sites say without any record: entries in the list of sites, metadata
//	judge.go     one item against the recount, judge_session.go those of sessions; compare.go: one attribute
//	lost.go      lost spans of quarantined items, and what they excuse; lostitem.go: the spans' own items
//	sealed.go    sealed days and months, while they hold
//	report.go    what was found
package verify
