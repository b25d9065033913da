package damage

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// The attributes of parts and states must have the kinds that the catalogue lists. The accessor of another kind returns zero, and a step
// that took this for an absent attribute would miscount without an error.

// RealtimePages is how many pages a realtime minute has a row for.
const RealtimePages = 50

// EmptyHour, EmptyMinute and EmptyPages replace unreadable parts.
var (
	EmptyHour   = sinks.Bytes(encoded(sketch.NewHour().AppendBinary(nil)))
	EmptyMinute = sinks.Bytes(encoded(sketch.NewMinute().AppendBinary(nil)))
	EmptyPages  = sinks.Bytes(encoded(sketch.NewTop(RealtimePages).AppendBinary(nil)))
)

// EmptyBreakdown replaces a breakdown that cannot be read.
func EmptyBreakdown(rows int) sinks.Value {
	return sinks.Bytes(encoded(sketch.PackBreakdown(sketch.NewBreakdown(rows))))
}

func encoded(b []byte, err error) []byte {
	if err != nil {
		panic(fmt.Sprintf("our own sketch does not encode: %v", err))
	}
	return b
}

// Faults gathers the attributes of an item that cannot be read.
type Faults struct {
	Attrs []string
	cause error // of the first
}

// Add notes that an attribute cannot be read, and why; nil: it can.
func (f *Faults) Add(attr string, cause error) {
	if cause != nil && !slices.Contains(f.Attrs, attr) {
		f.Attrs = append(f.Attrs, attr)
		if f.cause == nil {
			f.cause = cause
		}
	}
}

// Binary passes the bytes of an attribute to read. The attribute must be there.
func (f *Faults) Binary(it sinks.Item, attr string, read func([]byte) error) {
	switch v := it[attr]; v.Kind() {
	case sinks.Binary:
		f.Add(attr, read(v.Bytes()))
	case sinks.None:
		f.Add(attr, sinks.ErrMissing)
	default:
		f.Add(attr, sinks.ErrKind)
	}
}

// Kinds adds the attributes whose kind is not the one that the entity has them with. It leaves out other partitions' attributes, and those
// that every write sets.
func (f *Faults) Kinds(entity string, tp sinks.TP, it sinks.Item) {
	for _, name := range sinks.WrongKinds(entity, it) {
		if of, shared := sinks.PartitionOf(entity, name); name != sinks.AttrTTL && name != sinks.AttrEntity && name != sinks.AttrSchema &&
			(!shared || of == tp) {
			f.Add(name, sinks.ErrKind)
		}
	}
}

// Mark adds the applied mark of an item that has none, or one that no step sets.
func (f *Faults) Mark(it sinks.Item, mark string) {
	switch v := it[mark]; {
	case v.Kind() == sinks.None && isLost(it): // It was quarantined before the chain had finished a step.
	case v.Kind() == sinks.None:
		f.Add(mark, sinks.ErrMissing)
	case v.Kind() != sinks.Number:
		f.Add(mark, sinks.ErrKind)
	case v.Int() <= 0:
		f.Add(mark, fmt.Errorf("%v is no step", v))
	}
}

// Counts adds the attributes of a NewSites, a Budget or an Arrival that are missing, negative or of another type.
func (f *Faults) Counts(it sinks.Item, names []string) {
	for _, name := range names {
		switch v := it[name]; {
		case v.Kind() == sinks.None:
			f.Add(name, sinks.ErrMissing)
		case v.Kind() != sinks.Number:
			f.Add(name, sinks.ErrKind)
		case v.Int() < 0:
			f.Add(name, fmt.Errorf("%v is less than 0", v))
		}
	}
}

// Arrival adds the attributes of a partition's Arrival that cannot be read. One from before weeks were kept has none.
func (f *Faults) Arrival(it sinks.Item, tp sinks.TP, mark string) {
	f.Counts(it, sinks.ArrivalAttrs[:])
	if it[sinks.AttrWeeks].Kind() != sinks.None {
		f.Counts(it, sinks.ReturnAttrs[:])
	}
	f.Kinds(sinks.EntityArrival, tp, it)
	f.Mark(it, mark)
}

// CheckCounts returns the error of an item that has nothing but counts and its mark, or nil if nothing is wrong. it may be nil.
func CheckCounts(key sinks.Key, it sinks.Item, names []string, mark string) error {
	if it == nil {
		return nil
	}
	var f Faults
	f.Counts(it, names)
	f.Mark(it, mark)
	return f.State(key)
}

// State returns the error of a state that decides what other items receive, or nil if nothing is wrong. Only an operator may replace
// such a state.
func (f *Faults) State(key sinks.Key) error {
	if len(f.Attrs) == 0 {
		return nil
	}
	return sinks.Damaged(key, f.Attrs[0], f.cause)
}

// BadPart is a part that cannot be read.
type BadPart struct {
	Kind  string // of its item
	Site  string
	Key   sinks.Key
	Item  sinks.Item
	Attrs []string               // that cannot be read
	Cause error                  // what is wrong with the first of them
	Empty map[string]sinks.Value // what they are to be replaced by; the others are to be removed
}

// BadPart is the part that has the faults, if there are any.
func (f *Faults) BadPart(kind, site string, key sinks.Key, it sinks.Item, empty map[string]sinks.Value) BadPart {
	return BadPart{kind, site, key, it, f.Attrs, f.cause, empty}
}

// isLost reports whether an item is marked as one with a lost span.
func isLost(it sinks.Item) bool {
	for name := range it {
		if tp, err := sinks.ParseTP(strings.TrimPrefix(name, "l")); err == nil && name == sinks.AttrLost(tp) {
			return true
		}
	}
	return false
}

var errExtremes = errors.New("the least value is above the greatest")

// Extremes reads the least and greatest value that a partition has in an hour's stats. Both are there, or neither: if one of them cannot
// be read, both are added to what is wrong.
func (f *Faults) Extremes(it sinks.Item, tp sinks.TP) (least, greatest int64, known bool) {
	low, high := sinks.AttrLeast(tp), sinks.AttrGreatest(tp)
	var cause error
	switch a, b := it[low].Kind(), it[high].Kind(); {
	case a == sinks.None && b == sinks.None:
		return 0, 0, false
	case a == sinks.None || b == sinks.None:
		cause = sinks.ErrMissing
	case a != sinks.Number || b != sinks.Number:
		cause = sinks.ErrKind
	case it[low].Int() > it[high].Int():
		cause = errExtremes
	default:
		return it[low].Int(), it[high].Int(), true
	}
	f.Add(low, cause)
	f.Add(high, cause)
	return 0, 0, false
}
