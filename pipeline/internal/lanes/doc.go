// Package lanes holds the state of a partition's lanes. A lane is a sequence of flushes: one accumulates
// while the one before it is written.
//
//	lane.go        Lane: the flush that accumulates (Take), begins (Begin), or is done again (BeginAgain)
//	openstep.go    Open: the flush that is being written; apply.go: Applier, which writes its items; past.go: and merges the history
//	calm.go        how long a flush waits for more records
//	recordtime.go  up to when record timestamps are believed
//	script.go      a rebuild follows the flushes of the live items; maps.go: mappings and schemas
//	renew.go       whether a site is registered; a site that was purged and created again
//	lanedamage.go  parts that cannot be read
package lanes
