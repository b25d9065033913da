package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
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
	for n := range byte(allDimensions) {
		if m := b.part(dimensionOf(n)); m != nil && !m.empty() {
			to[at]++
			to = m.append(append(to, n))
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
		n := int(r.number(uint64(allDimensions) - 1))
		if r.err != nil {
			break
		}
		d := dimensionOf(byte(n))
		if n < least {
			return nil, fmt.Errorf("%s is not in order", d)
		}
		if err := b.decode(d, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", d, err)
		}
		least = n + 1
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
