package sinks

import "fmt"

// A table may have several generations of items, complete sets beside one another. Readers use the live one. A rebuild counts the topic
// into the next one, and a compare-and-set on the table's settings makes that the live one: see package rebuild.

// Attributes of the table's settings. All of them are numbers.
const (
	AttrGeneration  = "generation"  // the live one; absent: 1
	AttrBuilding    = "building"    // the one that is being rebuilt; absent: none
	AttrFollowing   = "following"   // no flush of the one that is being rebuilt begins as a rebuilt one any more; absent: they do
	AttrFormer      = "former"      // the one that was live before, and may be again; absent: none
	AttrGenerations = "generations" // the last number given out; absent: 1
	AttrDropping    = "dropping"    // the one whose items are being deleted; absent: none
	AttrFlipped     = "flipped"     // the chains of another generation than the live one may have owners; absent: they have none
)

// Generations are the generations of a table, as of its settings.
type Generations struct {
	Live     int  // 1 or more: what readers read
	Building int  // what a rebuild writes; 0: none
	Former   int  // what was live before, and can be made live again; 0: none
	Dropping int  // whose items are being deleted; 0: none
	Last     int  // the greatest number that was given out
	Flipped  bool // chains of the former generation may have owners who do not know that it is not live
	// Following: the generation that is being rebuilt is about to become live. Its flushes send raw events and failed events from now on.
	Following bool
}

func readGenerations(it Item) Generations {
	return Generations{
		Live: max(1, int(it[AttrGeneration].Int())), Building: int(it[AttrBuilding].Int()), Former: int(it[AttrFormer].Int()),
		Dropping: int(it[AttrDropping].Int()), Last: max(1, int(it[AttrGenerations].Int())), Flipped: it[AttrFlipped].Int() == 1,
		Following: it[AttrFollowing].Int() == 1,
	}
}

// Keys returns the keys of the live generation.
func (g Generations) Keys() Keys { return KeysOfGeneration(g.Live) }

// BuildingKeys returns the keys of the generation that is being rebuilt.
func (g Generations) BuildingKeys() Keys { return KeysOfGeneration(g.Building) }

// FormerKeys returns the keys of the generation that was live before.
func (g Generations) FormerKeys() Keys { return KeysOfGeneration(g.Former) }

// All returns the keys of all generations that the table has: the live one first.
func (g Generations) All() []Keys {
	all := []Keys{g.Keys()}
	for _, n := range []int{g.Building, g.Former} {
		if n > 0 {
			all = append(all, KeysOfGeneration(n))
		}
	}
	return all
}

// KeysOfGeneration returns the keys of a generation. Those of the first are the zero value, however it was named.
func KeysOfGeneration(n int) Keys {
	if n <= 1 {
		return Keys{}
	}
	return Keys{Generation: n}
}

// Check returns a *GenerationError unless the generation of the keys is live or being rebuilt.
func (g Generations) Check(keys Keys) error {
	if n := max(1, keys.Generation); n != g.Live && n != g.Building {
		return &GenerationError{Generation: n, Live: g.Live}
	}
	return nil
}

// MayBeRebuilt reports whether flushes of the generation may be marked as rebuilt, which send no raw events and failed events: the live
// generation sends them.
func (g Generations) MayBeRebuilt(keys Keys) bool {
	return max(1, keys.Generation) == g.Building && !g.Following
}

// GenerationError reports that a generation of items is neither live nor being rebuilt: what owned its chains must continue those of the
// live one.
type GenerationError struct{ Generation, Live int }

func (e *GenerationError) Error() string {
	return fmt.Sprintf("generation %d of the table's items is not the live one, which is generation %d since a rebuild: a new process reads "+
		"and writes that", e.Generation, e.Live)
}

// KeysOf returns the keys of the generation that a partition key belongs to.
func KeysOf(pk string) Keys {
	keys, _ := generation(pk)
	return keys
}
