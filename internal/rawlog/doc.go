// Package rawlog makes the records that a topic has lost of the raw events of a table, in the order of their offsets. A rebuild counts them
// in place of the log.
//
//	collect.go   reads the raw events of all sites, items and packs
//	record.go    makes the value of a record of a raw event
//	spool.go     sorts records in a temporary file
//
// A record has what the raw event has: url and referrer lack the query parameters that were not kept. There is no record of an event that
// was rejected, that repeats another one, that has expired or whose visitor was erased.
package rawlog
