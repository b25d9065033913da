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
// Each of these types has what those before it have:
//
//	scope.go      scope: which table, topic, sites and times
//	rules.go      rulebook: what was decided about sites by revision, and the settings of steps
//	model.go      model: the recount, read from the log by package topiclog
//	judge.go      judges: one item against the model
//	scan.go       scanner: every item of the table, and every one that it lacks (sitescan.go: of one site)
//	verify.go     verifier: one pass, and what did not agree read again (settle.go)
//
// and beside them:
//
//	passes.go     Run: passes over parts of the sites (part.go), what they cost (cost.go), where to continue (progress.go)
//	chain.go      the chains' checkpoints and histories; wait.go: waiting for them; heads.go: every attribute of them
//	cell.go       two versions of a value
//	recount.go    the fold of the stats lane; session.go, realtime.go: sessions, realtime minutes; visit.go: visits, and
//	              what is kept of visitors for them; bots.go: who is counted apart; buckets.go: the hour and the day of an instant
//	arrival.go    where visitors are counted as new
//	raw.go        raw events by a hash of what their records make; rawitem.go: that; rawsettle.go: those that are not so, by
//	              their records, read again
//	goals.go      goals that sessions reach, their sums and conversions
//	admission.go  which sites are counted; foreign.go: whose url is of another domain; exclude.go: whose page is excluded
//	latest.go     counts of the latest hour or minute: new sites, and what is spent of budgets (budget.go)
//	kinds.go      the table of the kinds of items: their event time, their judge, what excuses them; subject.go: one item
//	lists.go      what lies under each partition key of a site; funnel.go: definitions of funnels
//	table.go      what the table was made with, and its topics
//	metadata.go   what the rules of sites say without any record: entries in the list of sites, metadata
//	judge_session.go  judges of sessions; compare.go: one attribute
//	lost.go       lost spans of quarantined items, and what they excuse; lostitem.go: the spans' own items
//	sealed.go     sealed days and months, while they hold
//	token.go, annotation.go, verification.go   access tokens, annotations, results of earlier recounts: by their keys and by themselves
//	tally.go      what was found; report.go: the report of it
package verify
