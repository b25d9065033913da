package sinks

// What requests consume. There is one model of it: the file that stands in for DynamoDB tells units by it, the refusals of
// DynamoDB, which say nothing, are counted by it, and what a table will cost is planned by it (package capacity). Tests hold it
// against the ConsumedCapacity of DynamoDB Local.
//
// Deletes by time to live are free. Nothing here is transactional, which would be twice as much.

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

// IndexKeys are an item's keys in both indexes, GSI1 first. Where one of a pair is empty the item is not in that index.
type IndexKeys [2]Key

// IndexKeysOf returns the keys in indexes that an item has.
func IndexKeysOf(it Item) IndexKeys {
	return IndexKeys{
		{it[AttrGSI1PK].Str(), it[AttrGSI1SK].Str()},
		{it[AttrGSI2PK].Str(), it[AttrGSI2SK].Str()},
	}
}

// EntrySizes returns how many bytes the entries of an item in both indexes take, 0 where it has none: its own key, the index's
// and the names of the four attributes.
func (x IndexKeys) EntrySizes(k Key) (sizes [2]int) {
	const names = len(AttrPK) + len(AttrSK) + len(AttrGSI1PK) + len(AttrGSI1SK)
	for i, in := range x {
		if in.PK != "" && in.SK != "" {
			sizes[i] = names + len(k.PK) + len(k.SK) + len(in.PK) + len(in.SK)
		}
	}
	return sizes
}

// IndexUnits returns what a write of the item consumes in both indexes: a unit or more for an entry that comes or goes, both
// for one that moves, and nothing for one that stays, since entries hold keys only.
func IndexUnits(k Key, was, is IndexKeys) (units [2]float64) {
	before, after := was.EntrySizes(k), is.EntrySizes(k)
	for i := range was {
		if was[i] == is[i] {
			continue
		}
		for _, size := range [...]int{before[i], after[i]} {
			if size > 0 {
				units[i] += WriteUnits(size)
			}
		}
	}
	return units
}
