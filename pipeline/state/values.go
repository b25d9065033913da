package state

import (
	"encoding/binary"
	"math/bits"

	"github.com/footfall/footfall/sinks"
)

// Values are what an event says in each dimension of breakdowns, in the order of sinks.DimensionAttrs; "" is nothing.
type Values [len(sinks.DimensionAttrs)]string

// Shown is what a session's item shows of it in attributes of their own. The bytes of a state leave it out.
type Shown struct {
	EntryPage, ExitPage string
	First               *Values // nil: nothing
}

// ShownBy returns what a session's item shows.
func ShownBy(it sinks.Item) Shown {
	first := new(Values)
	for d, name := range sinks.DimensionAttrs {
		if name != "" {
			first[d] = it[name].Str()
		}
	}
	return Shown{EntryPage: it[sinks.AttrEntryPage].Str(), ExitPage: it[sinks.AttrExitPage].Str(), First: first}
}

// The bytes of values: a uvarint with a bit for each dimension in which they differ from the item's own attributes, the first
// dimension's the least; then, of each of these, the length as a uvarint, 0 where there is no value, and the value.

// maxValueBytes is how long a value may be: no longer than the url that it may be a part of.
const maxValueBytes = 2048

var nothing Values

func (v *Values) orNothing() *Values {
	if v == nil {
		return &nothing
	}
	return v
}

// differs reports whether two have different values. Both may be nil.
func (v *Values) differs(o *Values) bool { return v != o && *v.orNothing() != *o.orNothing() }

func (v *Values) appendBinary(b []byte, shown *Values) []byte {
	v, shown = v.orNothing(), shown.orNothing()
	different := uint64(0)
	for d := range v {
		if v[d] != shown[d] {
			different |= 1 << d
		}
	}
	b = binary.AppendUvarint(b, different)
	for d := range v {
		if different>>d&1 != 0 {
			b = binary.AppendUvarint(b, uint64(len(v[d])))
			b = append(b, v[d]...)
		}
	}
	return b
}

func (r *varints) values(shown *Values) *Values {
	v := *shown.orNothing()
	different, size := binary.Uvarint(r.b)
	if size <= 0 || different == 0 || bits.Len64(different) > len(v) {
		r.bad, r.b = true, nil
		return nil
	}
	r.b = r.b[size:]
	for d, name := range sinks.DimensionAttrs {
		if different>>d&1 != 0 {
			v[d] = r.text(maxValueBytes)
			r.bad = r.bad || name == ""
		}
	}
	return &v
}
