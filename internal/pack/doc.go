// Package pack keeps raw events many to an item. A pack holds events of one flush, site and shard, in the order of their ULIDs,
// compressed with Zstandard and a dictionary that ships with footfall.
//
// A flush's packs are a pure function of its records, rules and settings: which events a pack has is decided by their times and by
// their bytes before compression. So another owner that repeats the flush writes the same keys with any compressor, and
// overwrites each item.
//
//	event.go       the bytes of one event
//	limits.go      what decides where a pack ends
//	builder.go     events of a flush into packs
//	codec.go       packs into items and back
//	dictionary.go  the dictionary
package pack
