package sinks

import (
	"fmt"
	"slices"
	"strings"
)

// A table may have several generations of items, complete sets beside one another. Readers use the live one. A rebuild counts the topic
// into the next one, and a compare-and-set on the table's settings makes that the live one: see package rebuild.

// Attributes of the table's settings: numbers, if they do not say otherwise.
const (
	AttrGeneration  = "generation"  // the live one; absent: 1
	AttrBuilding    = "building"    // the one that is being rebuilt; absent: none
	AttrFollowing   = "following"   // no flush of the one that is being rebuilt begins as a rebuilt one any more; absent: they do
	AttrFormer      = "former"      // the one that was live before, and may be again; absent: none
	AttrGenerations = "generations" // the last number given out; absent: 1
	AttrDropping    = "dropping"    // the one whose items are being deleted; absent: none
	AttrFlipped     = "flipped"     // the chains of another generation than the live one may have owners; absent: they have none
	AttrKeepBefore  = "keepBefore"  // the first date that is counted once more by the rebuild under way, ms; absent: all are
	AttrFromRaw     = "fromRaw"     // the rebuild under way reads raw events for records that the topic has lost; absent: it does not
	AttrKept        = "kept"        // a text: which generations have what lies before a date in another one; absent: none
	AttrToday       = "today"       // a text: until when decisions hold for all that generations have, as kept.Since; absent: for none
	AttrTableID     = "tableId"     // a text: the id of the table that the settings were written for; absent: not recorded
	AttrRestoring   = "restoring"   // the live generation is that of a copy, and the one that is being rebuilt will replace it
	AttrRestored    = "restored"    // items with numbers of topics up to it may be those of a copy that lacks the topics; absent: it was none
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
	// KeepBefore is the first date of the generation that is being rebuilt, ms since the epoch: the topic has lost records of before. 0: it
	// has all.
	KeepBefore int64
	FromRaw    bool   // the generation that is being rebuilt is made of raw events where the topic has lost records
	Kept       string // where what lies before the first dates of generations is, as AttrKept; see KeptBefore
	Today      string // as AttrToday
	// Restoring: the live generation is that of a copy of the table, and the one that is being rebuilt will replace it.
	Restoring bool
	Restored  int64  // up to which number of a topic items may be those of a copy that lacks the topic; 0: the table was no copy
	TableID   string // of the table that the settings were written for, as AttrTableID; "": not recorded
}

// Kept says that a generation begins with a date, and which one has what lies before it.
type Kept struct {
	Of   int   // the generation
	From int   // the other one
	Date int64 // the first date of the generation in UTC, ms since the epoch
}

// String spells it as AttrKept does: "2:1:2026-11-25".
func (k Kept) String() string { return fmt.Sprintf("%d:%d:%s", k.Of, k.From, Day(k.Date)) }

// KeptBefore returns where what lies before the first date of a generation is. ok is false if the generation has all.
func (g Generations) KeptBefore(generation int) (k Kept, ok bool) {
	all, _ := readKept(g.Kept) // No error: readGenerations has refused what cannot be read.
	i := slices.IndexFunc(all, func(k Kept) bool { return k.Of == generation })
	if i < 0 {
		return Kept{}, false
	}
	return all[i], true
}

// ReadKeys returns the keys of the generations that readers see: the live one, and those that keep earlier dates for it.
func (g Generations) ReadKeys() []Keys {
	all := []Keys{g.Keys()}
	for k, ok := g.KeptBefore(g.Live); ok; k, ok = g.KeptBefore(k.From) {
		all = append(all, KeysOfGeneration(k.From))
	}
	return all
}

// KeepsBefore returns the date, in ms since the epoch, before which other generations are read from this one: the live one, the former one
// or the one that is being rebuilt. 0: this one keeps nothing for others.
func (g Generations) KeepsBefore(generation int) (date int64) {
	for _, of := range []int{g.Live, g.Former, g.Building} {
		for k, ok := g.KeptBefore(of); ok; k, ok = g.KeptBefore(k.From) {
			if k.From == generation {
				date = max(date, k.Date)
			}
		}
	}
	if generation == g.Live && g.Building > 0 {
		date = max(date, g.KeepBefore)
	}
	return date
}

// readKept reads the entries of AttrKept, in the order of the flips. What cannot be read is an error: readers would miss the past.
func readKept(text string) (all []Kept, err error) {
	for _, field := range strings.Fields(text) {
		var k Kept
		var date string
		_, err := fmt.Sscanf(strings.ReplaceAll(field, ":", " "), "%d %d %s", &k.Of, &k.From, &date)
		if err != nil || k.From >= k.Of || k.From < 1 {
			return nil, &SettingsError{[]string{fmt.Sprintf("%s: the table has %q, and entries such as 2:1:2026-11-25 are possible: its settings "+
				"are damaged; restore the attribute", AttrKept, text)}}
		}
		if k.Date, err = ParseDay(date); err != nil {
			return nil, &SettingsError{[]string{fmt.Sprintf("%s: %q of the table names no date: its settings are damaged; restore the attribute",
				AttrKept, text)}}
		}
		all = append(all, k)
	}
	return all, nil
}

func readGenerations(it Item) (Generations, error) {
	_, err := readKept(it[AttrKept].Str())
	return Generations{
		Live: max(1, int(it[AttrGeneration].Int())), Building: int(it[AttrBuilding].Int()), Former: int(it[AttrFormer].Int()),
		Dropping: int(it[AttrDropping].Int()), Last: max(1, int(it[AttrGenerations].Int())), Flipped: it[AttrFlipped].Int() == 1,
		Following: it[AttrFollowing].Int() == 1, KeepBefore: it[AttrKeepBefore].Int(), Kept: it[AttrKept].Str(),
		FromRaw: it[AttrFromRaw].Int() == 1, Today: it[AttrToday].Str(),
		Restoring: it[AttrRestoring].Int() == 1, Restored: it[AttrRestored].Int(), TableID: it[AttrTableID].Str(),
	}, err
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

// Check returns a *GenerationError unless the generation of the keys is live or being rebuilt, and a *RestoringError if it is that of a
// copy.
func (g Generations) Check(keys Keys) error {
	n := max(1, keys.Generation)
	if n == g.Live && g.Restoring {
		return &RestoringError{}
	}
	if n != g.Live && n != g.Building {
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

// RestoringError reports a copy that is being counted again.
type RestoringError struct{}

func (*RestoringError) Error() string {
	return "this table is a copy that is being counted again: footfall table resume-restored makes it usable; if that has ended, run it again"
}

// SettingsError reports that a table was made under other settings than the process has.
type SettingsError struct{ Differences []string }

func (e *SettingsError) Error() string {
	s := "the table was made with other settings, and its numbers cannot be continued with these:"
	for _, d := range e.Differences {
		s += "\n  " + d
	}
	return s
}

// KeysOf returns the keys of the generation that a partition key belongs to.
func KeysOf(pk string) Keys {
	keys, _ := generation(pk)
	return keys
}
