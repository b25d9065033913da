// Package adopt lets a table continue in a mirror of its topic: on another cluster, with another topic id and other offsets.
//
// A mirror, as MirrorMaker makes it, has each record in the partition that it had, in the same order. It may have begun later, and has
// markers of transactions of its own or none. So an offset says nothing about a record, and a record is known by its bytes: key, value,
// timestamp and headers. Of each chain the last records before its position are read from the old cluster, and those of the same
// timestamps from the mirror:
//
//	old      ... r r a r r | r r r          | the chain's position
//	mirror       r r a r r | r r r r        a: the last record before it that both have exactly once
//
// From a on, all records must be equal up to the position, which gives the mirror's next offset. All others that both have must be equal,
// too. If anything else is found, nothing is changed, and the error says what it is.
//
// Nothing is written before all chains are compared. Each then makes one step: see checkpoint.ContinueInMirror.
package adopt
