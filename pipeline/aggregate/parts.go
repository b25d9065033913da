package aggregate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// The attributes of parts and states must have the kinds that the catalogue lists. The accessor of another kind returns zero, and a step
// that took this for an absent attribute would miscount without an error.

// EmptyHour, EmptyMinute and EmptyPages replace unreadable parts.
var (
	EmptyHour   = sinks.Bytes(encoded(sketch.NewHour().AppendBinary(nil)))
	EmptyMinute = sinks.Bytes(encoded(sketch.NewMinute().AppendBinary(nil)))
	EmptyPages  = sinks.Bytes(encoded(sketch.NewTop(RealtimePages).AppendBinary(nil)))
)

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

// readHour reads this partition's part of an hour's visitors, as far as it lies in the stats item, and its extremes.
func (a *accumulating) readHour(h *hour, it sinks.Item) error {
	if it == nil {
		return nil
	}
	key := a.keys.HourStats(h.Site.ID, &h.Site.names, h.start)
	var sums, part Faults
	own := sinks.AttrUniques(a.TP)
	sums.Kinds(sinks.EntityStats, a.TP, it)
	sums.Attrs = slices.DeleteFunc(sums.Attrs, func(name string) bool {
		_, ours := sinks.PartitionOf(sinks.EntityStats, name)
		return ours
	})
	if err := sums.State(key); err != nil {
		return err // They are all partitions', and are added to.
	}
	if it[own].Kind() != sinks.None {
		part.Binary(it, own, h.mergePart)
	}
	least, greatest, known := part.Extremes(it, a.TP)
	if known {
		h.extremes = extremes{least: least, greatest: greatest, known: true}
	}
	if it[a.Mark].Kind() != sinks.None || it[own].Kind() != sinks.None || known {
		part.Mark(it, a.Mark)
	}
	if len(part.Attrs) == 0 {
		return nil
	}
	return a.Damaged(BadPart{sinks.EntityStats, h.Site.ID, key, it, part.Attrs, part.cause, nil})
}

// readUniques reads this partition's part of an hour's visitors in an item of its own.
func (a *accumulating) readUniques(h *hour, it sinks.Item) error {
	if it == nil {
		return nil
	}
	var part Faults
	part.Mark(it, a.Mark)
	part.Binary(it, sinks.AttrPart, h.mergePart)
	if len(part.Attrs) == 0 {
		return nil
	}
	return a.Damaged(BadPart{sinks.EntityUniques, h.Site.ID, a.keys.Uniques(h.Site.ID, &h.Site.names, h.start), it, part.Attrs, part.cause,
		map[string]sinks.Value{sinks.AttrPart: EmptyHour}})
}

// readBreakdown reads an hour's breakdown.
func (a *accumulating) readBreakdown(site string, key sinks.Key, it sinks.Item, b *sketch.Breakdown) error {
	var part Faults
	part.Mark(it, a.Mark)
	part.Binary(it, sinks.AttrPart, func(packed []byte) error { return sketch.UnpackBreakdown(packed, b) })
	if len(part.Attrs) == 0 {
		return nil
	}
	return a.Damaged(BadPart{sinks.EntityBreakdown, site, key, it, part.Attrs, part.cause,
		map[string]sinks.Value{sinks.AttrPart: EmptyBreakdown(a.settings.Breakdowns)}})
}

// readMinute reads a realtime minute.
func (f *Realtime) readMinute(it sinks.Item, m *minute) error {
	var part Faults
	part.Mark(it, f.Mark)
	part.Binary(it, sinks.AttrVisitors, m.Visitors.UnmarshalBinary)
	part.Binary(it, sinks.AttrPages, m.Pages.UnmarshalBinary)
	part.Kinds(sinks.EntityRealtime, f.TP, it) // The counters: what was added to them is lost, too.
	if len(part.Attrs) == 0 {
		return nil
	}
	return f.Damaged(BadPart{sinks.EntityRealtime, m.site.ID, m.key, it, part.Attrs, part.cause,
		map[string]sinks.Value{sinks.AttrVisitors: EmptyMinute, sinks.AttrPages: EmptyPages}})
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
