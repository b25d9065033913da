package sqlite

import "github.com/footfall/footfall/sinks"

// A file costs no units. They are reported as DynamoDB would bill them, so that a trial on a laptop says what the
// same traffic would cost there.

// indexKeys are an item's keys in both indexes, GSI1 first.
type indexKeys [2]struct{ pk, sk string }

func indexKeysOf(it sinks.Item) (k indexKeys) {
	k[0].pk, k[0].sk = it[sinks.AttrGSI1PK].Str(), it[sinks.AttrGSI1SK].Str()
	k[1].pk, k[1].sk = it[sinks.AttrGSI2PK].Str(), it[sinks.AttrGSI2SK].Str()
	return k
}

// indexUnits returns what a write costs in the indexes: a unit or more for an entry that comes or goes, both for one
// that moves, and nothing for one that stays, since entries hold keys only.
func indexUnits(k sinks.Key, was, is indexKeys) (units float64) {
	const names = len(sinks.AttrPK) + len(sinks.AttrSK) + len(sinks.AttrGSI1PK) + len(sinks.AttrGSI1SK)
	for i := range was {
		if was[i] == is[i] {
			continue
		}
		if was[i].pk != "" && was[i].sk != "" {
			units += sinks.WriteUnits(names + len(k.PK) + len(k.SK) + len(was[i].pk) + len(was[i].sk))
		}
		if is[i].pk != "" && is[i].sk != "" {
			units += sinks.WriteUnits(names + len(k.PK) + len(k.SK) + len(is[i].pk) + len(is[i].sk))
		}
	}
	return units
}

// readUnits returns what reading so many bytes costs: half a unit per 4,096 bytes begun, twice that for a strong
// read, and for nothing as much as for the least.
func readUnits(bytes int, consistent bool) float64 {
	units := float64(max(1, (bytes+4095)/4096))
	if consistent {
		return units
	}
	return units / 2
}
