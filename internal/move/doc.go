// Package move moves a site from one table to another: what is decided about it and what was counted of it.
//
// The site is deleted in the old table first, and every chain has recorded that: no flush changes its items any more. The new table has
// nothing of the site. There it is created as a deleted one, with all decisions of the old table in order, so that its events are rejected
// until the items are there. Then the items are copied. Last comes a revision under which the site is not deleted.
//
// An item keeps the marks of the flushes that it contains. They name partitions of topics by numbers, and the new table has given these
// numbers to topics of its own. So each topic of the old table gets another number there, under a name that no topic of Kafka has
// (sites.MovedTopic), and keys, marks and other attributes name that. No chain has such a number: what was copied is never changed by a
// flush, but for sums of hours and days, to which later flushes add under marks of their own. Package verify takes it for what another
// topic has counted, and leaves it out.
//
// Nothing says how far a move has come: what is there already is compared with what must be there. It may be killed at any point and
// repeated.
//
//	move.go     Run: from the first check to the last revision
//	tables.go   whether both tables can take part
//	decided.go  revisions of the site's rules, as the new table has them
//	copy.go     copies the items; spell.go: as the new table spells them
package move
