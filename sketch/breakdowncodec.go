package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/footfall/footfall/sinks/int128"
)

const breakdownMark = 'B'

// AppendBinary appends the breakdown's bytes as the package comment draws them. The error is always nil; it is there
// for encoding.BinaryAppender.
func (b *Breakdown) AppendBinary(to []byte) ([]byte, error) {
	from := len(to)
	to = append(slices.Grow(to, b.Size()), version, breakdownMark)
	to = binary.AppendUvarint(to, uint64(b.capacity))
	at := len(to)
	to = append(to, 0)
	for d, m := range b.all() {
		if !m.empty() {
			to[at]++
			to = m.append(append(to, byte(d)))
		}
	}
	return seal(to, from), nil
}

func (m *dimension) append(b []byte) []byte {
	b = binary.AppendUvarint(b, m.top.floor)
	b = binary.AppendUvarint(b, m.top.other)
	b = appendTally(b, &m.other, 0)
	b = binary.AppendUvarint(b, uint64(len(m.top.rows)))
	last := ""
	var room [64]int // few hours have a dimension with more rows
	for _, i := range m.places(room[:0], byValue) {
		row, more := m.top.rows[i], &m.more[i]
		b = appendValue(b, last, row.Value)
		b = binary.AppendUvarint(b, row.Count)
		b = appendTally(b, &more.tally, row.Error)
		b = binary.AppendUvarint(b, uint64(more.admitted))
		last = row.Value
	}
	return b
}

// What the first byte of a tally says is there. The byte of a row says also whether its error is above 0.
const (
	hasPageViews = 1 << iota
	hasSessions  // and in this order the other four of a Booking
	_
	_
	_
	_
	hasMore
	hasError
)

// What the byte says that hasMore is for.
const (
	hasTimed = 1 << iota // and in this order the other three of an Attention
	_
	_
	_
	hasValues
	hasConverted // and in this order the other two of Conversions
	hasFurther
	hasWorth
)

// appendTally appends the tally, and the error of a row, as the package comment draws them.
func appendTally(b []byte, t *tally, rowError uint64) []byte {
	at, has := len(b), byte(0)
	b = append(b, 0)
	put := func(flag byte, n uint64) {
		if n > 0 {
			has |= flag
			b = binary.AppendUvarint(b, n)
		}
	}
	put(hasError, rowError)
	put(hasPageViews, uint64(t.pageViews))
	for i, n := range t.fields() {
		put(hasSessions<<i, uint64(*n))
	}
	if t.moreBytes() > 0 {
		has |= hasMore
		b = t.appendMore(b)
	}
	b[at] = has
	return t.visitors.append(b)
}

// appendMore appends what few rows have.
func (t *tally) appendMore(b []byte) []byte {
	at, has := len(b), byte(0)
	b = append(b, 0)
	if a := t.attention; a != nil {
		for i, n := range a.fields() {
			if *n > 0 {
				has |= hasTimed << i
				b = binary.AppendUvarint(b, uint64(*n))
			}
		}
	}
	if v := t.values; v != nil {
		has |= hasValues
		b = appendWide(binary.AppendUvarint(b, uint64(v.n)), v.sum)
		b = binary.AppendVarint(binary.AppendVarint(b, v.min), v.max)
	}
	if c := t.conversions; c != nil {
		if c.Sessions > 0 {
			has |= hasConverted
			b = binary.AppendUvarint(b, uint64(c.Sessions))
		}
		if c.Further > 0 {
			has |= hasFurther
			b = binary.AppendUvarint(b, uint64(c.Further))
		}
		if c.Worth != (int128.Int{}) {
			has |= hasWorth
			b = appendWide(b, c.Worth)
		}
	}
	b[at] = has
	return b
}

// tally reads a tally of so many events in the dimension, and the error of a row.
func (r *reader) tally(d Dimension, events uint64) (t tally, rowError uint64) {
	t = newTally()
	first := r.bytes(1)
	if r.err != nil {
		return t, 0
	}
	has := first[0]
	rowError = r.optional(has&hasError, maxCount)
	t.pageViews = int64(r.optional(has&hasPageViews, events))
	for i, n := range t.fields() {
		*n = int64(r.optional(has&(hasSessions<<i), maxCount))
	}
	if has&hasMore != 0 {
		r.more(d, events, &t)
	}
	t.visitors = r.rowVisitors()
	if r.err == nil {
		r.err = t.visitors.possible(events)
	}
	return t, rowError
}

func (r *reader) conversions(has byte, t *tally) {
	if has&(hasConverted|hasFurther|hasWorth) == 0 {
		return
	}
	c := Conversions{Sessions: int64(r.optional(has&hasConverted, maxCount)), Further: int64(r.optional(has&hasFurther, maxCount))}
	if has&hasWorth != 0 {
		if c.Worth = r.wide(); c.Worth == (int128.Int{}) && r.err == nil {
			r.err = errors.New("a worth that is there is 0")
		}
	}
	t.conversions = &c
}

// optional reads a number that is there if flag is not 0, and is 0 otherwise.
func (r *reader) optional(flag byte, limit uint64) uint64 {
	if flag == 0 {
		return 0
	}
	n := r.number(limit)
	if n == 0 && r.err == nil {
		r.err = errors.New("a number that is there is 0")
	}
	return n
}

// more reads what few rows have.
func (r *reader) more(d Dimension, events uint64, t *tally) {
	first := r.bytes(1)
	if r.err != nil {
		return
	}
	has := first[0]
	if has == 0 {
		r.err = errors.New("more numbers, which are none")
		return
	}
	var a Attention
	for i, n := range a.fields() {
		*n = int64(r.optional(has&(hasTimed<<i), maxCount))
	}
	if a != (Attention{}) {
		t.attention = &a
	}
	if n := r.optional(has&hasValues, events); n > 0 {
		t.values = r.values(int64(n))
	}
	r.conversions(has, t)
	switch {
	case r.err != nil:
	case t.conversions != nil && !d.Converts():
		r.err = fmt.Errorf("conversions of dimension %s", d)
	case t.attention != nil && d != Page:
		r.err = fmt.Errorf("times of dimension %s: only %s has them", d, Page)
	case t.values != nil && d != EventName:
		r.err = fmt.Errorf("values of dimension %s: only %s has them", d, EventName)
	}
}

func (r *reader) values(n int64) *values {
	v := &values{n: n}
	v.sum = r.wide()
	v.min, v.max = r.varint(), r.varint()
	if v.min > v.max && r.err == nil {
		r.err = fmt.Errorf("least value %d, greatest %d", v.min, v.max)
	}
	return v
}

// possible returns an error unless these can be the visitors of so many events.
func (v *rowVisitors) possible(events uint64) error {
	least := uint64(v.u.n)
	if v.u.regs != nil {
		least = max(RowExact+1, uint64(v.filled))
	}
	if least > events || least == 0 && events > 0 {
		return fmt.Errorf("%d visitors at least of %d events", least, events)
	}
	return nil
}

// UnmarshalBinary makes b what AppendBinary wrote, the number of its rows included. On an error b is what it was before.
// What it allocates is bounded by a multiple of the length of the bytes, of which it keeps none.
func (b *Breakdown) UnmarshalBinary(data []byte) error {
	d, err := decodeBreakdown(data)
	if err != nil {
		return fmt.Errorf("breakdown: %w", err)
	}
	*b = *d
	return nil
}

func decodeBreakdown(data []byte) (*Breakdown, error) {
	data, err := open(data)
	if err != nil {
		return nil, err
	}
	if len(data) < 1 || data[0] != breakdownMark {
		return nil, fmt.Errorf("the second byte is not %q: these are the bytes of something else", breakdownMark)
	}
	r := reader{b: data[1:]}
	b := &Breakdown{capacity: int(r.number(MaxRows))}
	least := 0
	for range r.number(uint64(allDimensions)) {
		d := int(r.number(uint64(allDimensions) - 1))
		if r.err != nil {
			break
		}
		if d < least {
			return nil, fmt.Errorf("%s is not in order", Dimension(d))
		}
		if err := b.decode(Dimension(d), &r); err != nil {
			return nil, fmt.Errorf("%s: %w", Dimension(d), err)
		}
		least = d + 1
	}
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes are left over", len(r.b))
	}
	return b, r.err
}

// decode reads a dimension.
func (b *Breakdown) decode(d Dimension, r *reader) error {
	m := b.dimension(d)
	m.top.floor, m.top.other = r.number(maxCount), r.number(maxCount)
	var otherError uint64
	m.other, otherError = r.tally(d, m.top.other)
	count := r.number(MaxRows) // SetRows may have made room for more than the capacity.
	switch {
	case r.err != nil:
		return r.err
	case otherError > 0:
		return errors.New("its other has an error")
	case m.top.floor > m.top.other: // Less where rows were purged, which leaves the floor.
		return fmt.Errorf("floor %d with %d events in other", m.top.floor, m.top.other)
	case count == 0 && m.empty():
		return errors.New("it has nothing")
	}
	b.size += m.otherBytes() - emptyBytes
	last := ""
	for i := range count {
		row, more := r.breakdownRow(d, last)
		switch {
		case r.err != nil:
			return fmt.Errorf("row %d: %w", i, r.err)
		case i > 0 && row.Value <= last:
			return fmt.Errorf("row %d: value %q is not above %q before it", i, row.Value, last)
		case row.Count == 0 || row.Error > m.top.floor || row.Rank() < m.top.floor:
			return fmt.Errorf("row %d: %d events and error %d at floor %d", i, row.Count, row.Error, m.top.floor)
		}
		b.size += m.bytes(m.push(row, more))
		last = row.Value
	}
	return nil
}

func (r *reader) breakdownRow(d Dimension, last string) (row Row, more rest) {
	row.Value, row.Count = r.value(last), r.number(maxCount)
	more.tally, row.Error = r.tally(d, row.Count)
	more.admitted = int64(r.number(maxCount))
	return row, more
}
