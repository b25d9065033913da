package plan

import (
	"unsafe"

	"github.com/footfall/footfall/sinks"
)

// Write is one request of a step. Its bytes are final when the step is cut: every try sends the same.
type Write struct {
	Kind   string       // the item's entity type
	Update sinks.Update // guarded by the applied mark; used when Item is nil
	Item   sinks.Item   // put whole and unconditionally: repeating it changes nothing
}

// Key is that of the item that is written.
func (w *Write) Key() sinks.Key {
	if w.Item != nil {
		return w.Item.Key()
	}
	return w.Update.Key
}

// Plan is what a step amounts to: a pure function of the states before the step, its records and its settings,
// except that writes of expired items are left out.
//
// A day's stats are written after everything else of the step, with their mark even when no counter changes: who
// reads the marks of a day and then its hours sees in the hours at least the steps that the marks name.
type Plan struct {
	Raw     []Write // packs of raw events, written before all else: they never lag behind what counts their events
	Writes  []Write
	Days    []Write
	Deletes []sinks.Key // journal entries that were merged in a step that is settled
	Parts   int         // bytes of states, sketches and breakdowns in the writes
	Counts  Counts
}

// Counts are what operators watch of a step.
type Counts struct {
	Expired        map[string]int // writes that were left out since their items have expired, by kind of item
	BreakdownsFull int            // breakdowns that have more values than rows
	GoalsFull      int            // conversions that could not be noted
}

// Expire counts a write that was left out since its item has expired.
func (c *Counts) Expire(kind string) {
	if c.Expired == nil {
		c.Expired = make(map[string]int)
	}
	c.Expired[kind]++
}

// Size is how many writes there are beside those of raw events.
func (p *Plan) Size() int { return len(p.Writes) + len(p.Days) }

// Updates is how many of the writes are guarded.
func (p *Plan) Updates() (n int) {
	for _, list := range [][]Write{p.Writes, p.Days} {
		for i := range list {
			if list[i].Item == nil {
				n++
			}
		}
	}
	return n
}

// Guard is the mark of a chain's step, as a condition and as the attribute to set. All writes of the step share it.
type Guard struct {
	unless []sinks.Cond
	mark   sinks.Attr
}

// GuardOf returns the guard of a step. mark names the attribute of the chain's applied mark.
func GuardOf(mark string, step int64) Guard {
	return Guard{
		unless: []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: sinks.Int(step)}},
		mark:   sinks.Attr{Name: mark, Value: sinks.Int(step)},
	}
}

// GuardAttrs is how many attributes Guarded adds.
const GuardAttrs = 3

// Guarded makes an update of one item under the mark of a chain's step: it is refused once the step, or a later
// one, is in the item. That keeps the promise "exact" against every repetition.
func Guarded(kind string, key sinks.Key, g Guard, add, set []sinks.Attr) Write {
	set = append(set,
		sinks.Attr{Name: sinks.AttrEntity, Value: sinks.Str(kind)},
		sinks.Attr{Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)}, g.mark)
	return Write{Kind: kind, Update: sinks.Update{Key: key, Add: add, Set: set, Remove: unset(set), If: g.unless}}
}

// unset are the attributes that an item has no more: its time to live, once its retention is for ever.
func unset(set []sinks.Attr) []string {
	for i := range set {
		if set[i].Name == sinks.AttrTTL {
			return nil
		}
	}
	return noTTL
}

var noTTL = []string{sinks.AttrTTL}

// Of a step's writes.
const (
	writeRoom = int(unsafe.Sizeof(Write{})) + 128 // with its keys
	attrRoom  = 48
)

// Room is about how many bytes the writes take until they are answered, without the parts, which are counted as they are made.
func (p *Plan) Room() int {
	n := p.Parts
	for _, list := range [...][]Write{p.Writes, p.Days} {
		for i := range list {
			n += writeRoom + attrRoom*(len(list[i].Update.Set)+len(list[i].Update.Add)+2*len(list[i].Item))
		}
	}
	return n
}
