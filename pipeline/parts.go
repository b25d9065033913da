package pipeline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// The attributes of parts and states must have the kinds that the catalogue lists. The accessor of another kind returns zero, and a step
// that took this for an absent attribute would miscount without an error.

// emptyHour, emptyBreakdown, emptyMinute and emptyPages replace unreadable parts.
var (
	emptyHour   = sinks.Bytes(encoded(sketch.NewHour().AppendBinary(nil)))
	emptyMinute = sinks.Bytes(encoded(sketch.NewMinute().AppendBinary(nil)))
	emptyPages  = sinks.Bytes(encoded(sketch.NewTop(RealtimePages).AppendBinary(nil)))
)

func emptyBreakdown(rows int) sinks.Value {
	return sinks.Bytes(encoded(sketch.PackBreakdown(sketch.NewBreakdown(rows))))
}

func encoded(b []byte, err error) []byte {
	if err != nil {
		panic(fmt.Sprintf("our own sketch does not encode: %v", err))
	}
	return b
}

// faults gathers the attributes of an item that cannot be read.
type faults struct {
	attrs []string
	cause error // of the first
}

func (f *faults) add(attr string, cause error) {
	if cause != nil && !slices.Contains(f.attrs, attr) {
		f.attrs = append(f.attrs, attr)
		if f.cause == nil {
			f.cause = cause
		}
	}
}

// binary passes the bytes of an attribute to read. The attribute must be there.
func (f *faults) binary(it sinks.Item, attr string, read func([]byte) error) {
	switch v := it[attr]; v.Kind() {
	case sinks.Binary:
		f.add(attr, read(v.Bytes()))
	case sinks.None:
		f.add(attr, sinks.ErrMissing)
	default:
		f.add(attr, sinks.ErrKind)
	}
}

// kinds adds the attributes whose kind is not the one that the entity has them with. It leaves out other partitions' attributes, and those
// that every write sets.
func (f *faults) kinds(entity string, tp sinks.TP, it sinks.Item) {
	for _, name := range sinks.WrongKinds(entity, it) {
		if of, shared := sinks.PartitionOf(entity, name); name != sinks.AttrTTL && name != sinks.AttrEntity && name != sinks.AttrSchema && (!shared || of == tp) {
			f.add(name, sinks.ErrKind)
		}
	}
}

// mark adds the applied mark of an item that has none, or one that no step sets.
func (f *faults) mark(it sinks.Item, mark string) {
	switch v := it[mark]; {
	case v.Kind() == sinks.None && isLost(it): // It was quarantined before the chain had finished a step.
	case v.Kind() == sinks.None:
		f.add(mark, sinks.ErrMissing)
	case v.Kind() != sinks.Number:
		f.add(mark, sinks.ErrKind)
	case v.Int() <= 0:
		f.add(mark, fmt.Errorf("%v is no step", v))
	}
}

// counts adds the attributes of a NewSites or a Budget that are missing, negative or of another type.
func (f *faults) counts(it sinks.Item, names [4]string) {
	for _, name := range names {
		switch v := it[name]; {
		case v.Kind() == sinks.None:
			f.add(name, sinks.ErrMissing)
		case v.Kind() != sinks.Number:
			f.add(name, sinks.ErrKind)
		case v.Int() < 0:
			f.add(name, fmt.Errorf("%v is less than 0", v))
		}
	}
}

// state returns the error of a state that decides what other items receive, or nil if nothing is wrong. Only an operator may replace
// such a state.
func (f *faults) state(key sinks.Key) error {
	if len(f.attrs) == 0 {
		return nil
	}
	return sinks.Damaged(key, f.attrs[0], f.cause)
}

// badPart is a part that cannot be read.
type badPart struct {
	kind  string // of its item
	site  string
	key   sinks.Key
	item  sinks.Item
	attrs []string               // that cannot be read
	cause error                  // what is wrong with the first of them
	empty map[string]sinks.Value // what they are to be replaced by; the others are to be removed
}

// readHour reads this partition's part of an hour's visitors, as far as it lies in the stats item.
func (f *statsFold) readHour(site string, key sinks.Key, it sinks.Item, merge func([]byte) error) error {
	if it == nil {
		return nil
	}
	var sums, part faults
	own := sinks.AttrUniques(f.tp)
	sums.kinds(sinks.EntityStats, f.tp, it)
	sums.attrs = slices.DeleteFunc(sums.attrs, func(name string) bool { return name == own || name == f.mark || name == sinks.AttrLost(f.tp) })
	if err := sums.state(key); err != nil {
		return err // They are all partitions', and are added to.
	}
	if it[own].Kind() != sinks.None {
		part.binary(it, own, merge)
	}
	if it[f.mark].Kind() != sinks.None || it[own].Kind() != sinks.None {
		part.mark(it, f.mark)
	}
	if len(part.attrs) == 0 {
		return nil
	}
	return f.damaged(badPart{sinks.EntityStats, site, key, it, part.attrs, part.cause, nil})
}

// readUniques reads this partition's part of an hour's visitors in an item of its own.
func (f *statsFold) readUniques(site string, key sinks.Key, it sinks.Item, merge func([]byte) error) error {
	if it == nil {
		return nil
	}
	var part faults
	part.mark(it, f.mark)
	part.binary(it, sinks.AttrPart, merge)
	if len(part.attrs) == 0 {
		return nil
	}
	return f.damaged(badPart{sinks.EntityUniques, site, key, it, part.attrs, part.cause, map[string]sinks.Value{sinks.AttrPart: emptyHour}})
}

// readBreakdown reads an hour's breakdown.
func (f *statsFold) readBreakdown(site string, key sinks.Key, it sinks.Item, b *sketch.Breakdown) error {
	var part faults
	part.mark(it, f.mark)
	part.binary(it, sinks.AttrPart, func(packed []byte) error { return sketch.UnpackBreakdown(packed, b) })
	if len(part.attrs) == 0 {
		return nil
	}
	return f.damaged(badPart{sinks.EntityBreakdown, site, key, it, part.attrs, part.cause,
		map[string]sinks.Value{sinks.AttrPart: emptyBreakdown(f.settings.Breakdowns)}})
}

// readMinute reads a realtime minute.
func (f *realtimeFold) readMinute(key sinks.Key, it sinks.Item, m *minute) error {
	var part faults
	part.mark(it, f.mark)
	part.binary(it, sinks.AttrVisitors, m.visitors.UnmarshalBinary)
	part.binary(it, sinks.AttrPages, m.pages.UnmarshalBinary)
	part.kinds(sinks.EntityRealtime, f.tp, it) // The counters: what was added to them is lost, too.
	if len(part.attrs) == 0 {
		return nil
	}
	return f.damaged(badPart{sinks.EntityRealtime, m.site.id, key, it, part.attrs, part.cause,
		map[string]sinks.Value{sinks.AttrVisitors: emptyMinute, sinks.AttrPages: emptyPages}})
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
