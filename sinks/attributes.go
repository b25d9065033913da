package sinks

import (
	"slices"
	"time"
)

// marksOfLanes are the applied marks of items that both lanes have.
func marksOfLanes() (all []Attribute) {
	for _, lane := range []string{"stats", "realtime"} {
		all = append(all, Attribute{Name: perPartition(func(tp TP) string { return AttrMark(lane, tp) }), Kind: Number, Unit: UnitStep,
			How: []How{GuardedSet}, About: "applied mark: the flush of the partition's " + lane + " lane that set it last"})
	}
	return all
}

// bucketEnd returns the end of the bucket of that length that begins at the instant in an item's key.
func bucketEnd(length time.Duration) func(Item, Fields) int64 {
	return func(_ Item, f Fields) int64 { return f.At + length.Milliseconds() }
}

// written makes attributes that are written the given way, but for those that say otherwise.
func written(how []How, attributes ...Attribute) []Attribute {
	all := slices.Clone(attributes)
	for i := range all {
		if all[i].How == nil {
			all[i].How = how
		}
	}
	return all
}

// lostMark is the attribute of quarantined items.
func lostMark() Attribute {
	return Attribute{Name: perPartition(AttrLost), Kind: Number, Unit: UnitPosition, How: []How{SetQuarantined},
		About: "the item was damaged, and what the partition had folded into it up to this position is lost; absent: nothing is"}
}

// latestCount returns the attributes of an item that counts something in the latest span of record time, an hour or a minute.
func latestCount(span, counted string, names [4]string) []Attribute {
	return []Attribute{
		{Name: names[0], Kind: Number, Unit: UnitMillis, About: "start of the " + span},
		{Name: names[1], Kind: Number, Unit: UnitCount, About: counted + " in it"},
		{Name: names[2], Kind: Number, Unit: UnitMillis, About: "the " + span + " before the marked flush"},
		{Name: names[3], Kind: Number, Unit: UnitCount, About: counted + " in that " + span + ", before it"},
		lostMark(),
	}
}
