package sketch

import (
	"encoding/binary"
	"fmt"
	"slices"
)

const topMark = 'T'

// AppendBinary appends the bytes as the package comment draws them. The error is always nil; it is there for
// encoding.BinaryAppender.
func (t *Top) AppendBinary(b []byte) ([]byte, error) {
	from := len(b)
	b = append(slices.Grow(b, 32+24*len(t.rows)), version, topMark)
	for _, n := range []uint64{uint64(t.capacity), t.floor, t.other, uint64(len(t.rows))} {
		b = binary.AppendUvarint(b, n)
	}
	var room [fewRows]Row // most minutes have no more
	rows := append(room[:0], t.rows...)
	slices.SortFunc(rows, byValue)
	last := ""
	for _, r := range rows {
		b = appendValue(b, last, r.Value)
		b = binary.AppendUvarint(b, r.Count)
		b = binary.AppendUvarint(b, r.Error)
		last = r.Value
	}
	return seal(b, from), nil
}

// fewRows are the rows of small sites: that many are sorted without room from the heap.
const fewRows = 16

// UnmarshalBinary makes t what AppendBinary wrote, its capacity included. On an error t is what it was before. What it
// allocates is bounded by a multiple of the length of the bytes. It keeps none of them.
func (t *Top) UnmarshalBinary(b []byte) error {
	d, err := decodeTop(b)
	if err != nil {
		return fmt.Errorf("top: %w", err)
	}
	*t = *d
	return nil
}

func decodeTop(b []byte) (*Top, error) {
	b, err := open(b)
	if err != nil {
		return nil, err
	}
	if len(b) < 1 || b[0] != topMark {
		return nil, fmt.Errorf("the second byte is not %q: these are the bytes of something else", topMark)
	}
	r := reader{b: b[1:]}
	capacity, floor, other, count := r.number(MaxRows), r.number(maxCount), r.number(maxCount), r.number(MaxRows)
	switch {
	case r.err != nil:
		return nil, r.err
	case count > capacity:
		return nil, fmt.Errorf("%d rows in a capacity of %d", count, capacity)
	case (floor == 0) != (other == 0) || floor > 0 && count < capacity:
		return nil, fmt.Errorf("floor %d, other %d and %d of %d rows: rows are evicted only when all are taken",
			floor, other, count, capacity)
	}
	t := &Top{capacity: int(capacity), floor: floor, other: other}
	last := ""
	for i := range count {
		row := r.row(last)
		switch {
		case r.err != nil:
			return nil, fmt.Errorf("row %d: %w", i, r.err)
		case i > 0 && row.Value <= last:
			return nil, fmt.Errorf("row %d: value %q is not above %q before it", i, row.Value, last)
		case row.Count == 0 || row.Error > floor:
			return nil, fmt.Errorf("row %d: count %d and error %d at floor %d", i, row.Count, row.Error, floor)
		}
		t.push(row)
		last = row.Value
	}
	if len(r.b) > 0 {
		return nil, fmt.Errorf("%d bytes are left over", len(r.b))
	}
	return t, nil
}

// row reads a row of a Top; last is the value before it.
func (r *reader) row(last string) Row {
	return Row{Value: r.value(last), Count: r.number(maxCount), Error: r.number(maxCount)}
}
