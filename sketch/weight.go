package sketch

import "unsafe"

// What the parts of a sketch take in memory. A value's text counts for its row although others may share it, so that the
// weight is at most a little too large where pages repeat.
const (
	dimensionRoom = int(unsafe.Sizeof(dimension{}))
	rowRoom       = int(unsafe.Sizeof(Row{}))
	restRoom      = int(unsafe.Sizeof(rest{}))
	seenRoom      = int(unsafe.Sizeof(seen{}))
	uniquesRoom   = int(unsafe.Sizeof(Uniques{}))
	textRoom      = 8 // of the allocator, for a text of any length
)

// Weight returns about how many bytes the sketch takes in memory. It costs a look at each of the rows.
func (t *Top) Weight() int {
	n := int(unsafe.Sizeof(*t)) + cap(t.rows)*rowRoom + cap(t.heap)*seenRoom + 4*len(t.index)
	for i := range t.rows {
		n += len(t.rows[i].Value) + textRoom
	}
	return n
}

// Weight returns about how many bytes the sketch takes in memory.
func (u *Uniques) Weight() int { return uniquesRoom + 8*cap(u.set) + cap(u.regs) }

// Weight returns about how many bytes the breakdown takes in memory. It costs a look at each of the rows.
func (b *Breakdown) Weight() int {
	n := int(unsafe.Sizeof(*b))
	for _, m := range b.all() {
		n += dimensionRoom + m.top.Weight() + cap(m.more)*restRoom
		for i := range m.more {
			n += m.more[i].weight()
		}
		n += m.other.weight()
	}
	return n + b.sets.weight() + b.room.weight() + b.spare.weight()
}

// weight is what the tally takes beside itself.
func (t *tally) weight() int {
	n := 8*cap(t.visitors.u.set) + cap(t.visitors.u.regs)
	if t.attention != nil {
		n += int(unsafe.Sizeof(*t.attention))
	}
	if t.conversions != nil {
		n += int(unsafe.Sizeof(*t.conversions))
	}
	if t.values != nil {
		n += int(unsafe.Sizeof(*t.values))
	}
	return n
}

// weight returns how many bytes the room takes that no dimension has.
func (r *room) weight() int {
	return len(r.dims)*dimensionRoom + (len(r.first.row)+len(r.second.row))*(rowRoom+restRoom)
}
