package sketch

import "slices"

// Purge drops the rows that one visitor alone made, if gone says so of the visitor: all that such a row has counted goes to the
// dimension's other, so that nothing changes in the sums of rows and other. It returns whose rows they were, ascending, and how
// many.
//
// The floor stays: Floor and the errors of rows say nothing of the events of those whose rows were dropped. What a session has
// booked in such a row is found in other afterwards, as after an eviction.
//
// A row has been made by one visitor if its visitors are that one, which is exact up to RowExact visitors. Purge does nothing
// the second time, unless Event made such rows in between; EventOfGone makes none.
func (b *Breakdown) Purge(gone func(visitor uint64) bool) (whose []uint64, rows int) {
	for _, m := range b.all() {
		for place := 0; place < len(m.top.rows); {
			only, ok := m.more[place].visitors.u.only()
			if !ok || !gone(only) {
				place++ // Else the last of the rows comes to this place.
				continue
			}
			rows++
			whose = append(whose, only)
			b.size -= m.bytes(place) + m.otherBytes()
			m.other.merge(&m.more[place].tally)
			m.remove(place)
			b.size += m.otherBytes()
		}
	}
	slices.Sort(whose)
	return slices.Compact(whose), rows
}

// Alone reports whether a row has one visitor, of whom gone says true: Purge would drop it.
func (b *Breakdown) Alone(gone func(visitor uint64) bool) bool {
	for _, m := range b.all() {
		for i := range m.more {
			if only, ok := m.more[i].visitors.u.only(); ok && gone(only) {
				return true
			}
		}
	}
	return false
}

// remove takes a row out, whose events go to other. The last of the rows moves to its place.
func (m *dimension) remove(place int) {
	last := len(m.more) - 1
	m.top.remove(place)
	m.more[place] = m.more[last]
	m.more[last] = rest{}
	m.more = m.more[:last]
}

// remove takes a row out, and leaves the floor as it is.
func (t *Top) remove(place int) {
	last := len(t.rows) - 1
	t.other += t.rows[place].Count
	t.index.remove(t.rows, place)
	if place != last {
		t.index.move(t.rows, last, place)
		t.rows[place] = t.rows[last]
	}
	t.rows[last] = Row{}
	t.rows = t.rows[:last]
	t.heap = nil // It is built when the least row is needed.
}

// only returns the one hash of the set; ok is false where there are none, or more, or registers.
func (u *Uniques) only() (hash uint64, ok bool) {
	if u.Entries() != 1 {
		return 0, false
	}
	u.each(func(h uint64) { hash = h })
	return hash, true
}

// EventOfGone counts an event of a visitor for whom no row is made any more: in the value's row where it has one, else in other,
// and leaves the floor as it is. It reports whether there is a row.
func (b *Breakdown) EventOfGone(d Dimension, value string, h Hit) (row bool) {
	m := b.dimension(d)
	if i := find(&m.top, value); i >= 0 {
		b.count(m, i, m.more[i].hit(d, h, &b.sets))
		return true
	}
	b.other(d, h)
	return false
}

// other counts an event in what has no row, and leaves the floor as it is.
func (b *Breakdown) other(d Dimension, h Hit) {
	m := b.dimension(d)
	b.size -= m.otherBytes()
	m.top.other++
	m.other.hit(d, h, nil)
	b.size += m.otherBytes()
}
