// Package consumed says what requests consume. There is one model of it: tables that stand in for DynamoDB count units by it, so does
// package dynamo for refusals, where DynamoDB gives no figure, and package capacity plans by it what a table will cost. Tests hold it
// against the ConsumedCapacity of DynamoDB Local.
//
// Deletes by time to live are free. Nothing here is transactional, which would be twice as much.
package consumed

import "github.com/footfall/footfall/sinks"

const (
	unitWriteBytes = 1024 // that one write unit writes
	unitReadBytes  = 4096 // that one read unit reads strongly
)

// WriteUnits returns what writing an item of so many bytes consumes in one table or index: one unit per 1,024
// bytes begun, and one at least. Of an item that is changed the larger size counts, before or after.
func WriteUnits(size int) float64 {
	return float64(max(1, (size+unitWriteBytes-1)/unitWriteBytes))
}

// ReadUnits returns what reading so many bytes in one request, or an item of a batch, consumes: half a unit per 4,096 bytes
// begun, twice that for a strong read, and for nothing as much as for the least.
func ReadUnits(bytes int, consistent bool) float64 {
	units := float64(max(1, (bytes+unitReadBytes-1)/unitReadBytes))
	if consistent {
		return units
	}
	return units / 2
}

// IndexKeyOf returns an item's key in GSI1. Where one of its two strings is empty the item is not in the index.
func IndexKeyOf(it sinks.Item) sinks.Key {
	return sinks.Key{PK: it[sinks.AttrGSI1PK].Str(), SK: it[sinks.AttrGSI1SK].Str()}
}

// EntrySize returns how many bytes the entry in GSI1 of an item takes, given the item's key and that in the index: both, and the names
// of their four attributes. It is 0 where the item has no entry.
func EntrySize(k, in sinks.Key) int {
	const names = len(sinks.AttrPK) + len(sinks.AttrSK) + len(sinks.AttrGSI1PK) + len(sinks.AttrGSI1SK)
	if in.PK == "" || in.SK == "" {
		return 0
	}
	return names + len(k.PK) + len(k.SK) + len(in.PK) + len(in.SK)
}

// IndexUnits returns what a write of the item with key k consumes in GSI1, given its key there before and after: a unit or more for an
// entry that comes or goes, both for one that moves, and nothing for one that stays, since entries hold keys only.
func IndexUnits(k, was, is sinks.Key) (units float64) {
	if was == is {
		return 0
	}
	for _, in := range [...]sinks.Key{was, is} {
		if size := EntrySize(k, in); size > 0 {
			units += WriteUnits(size)
		}
	}
	return units
}
