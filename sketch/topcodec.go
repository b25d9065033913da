package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	topMark   = 'T'
	maxShared = 255
	// maxCount bounds every number in a Top's bytes: sums of two stay far inside 64 bits, and no topic is that long.
	maxCount = 1 << 60
	// maxValueBytes bounds the length of a value: an int holds it wherever there is Go.
	maxValueBytes = 1 << 30
)

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

func byValue(a, b Row) int { return strings.Compare(a.Value, b.Value) }

// appendValue appends a value. The reader has the one before it.
func appendValue(b []byte, last, value string) []byte {
	shared := sharedPrefix(last, value)
	b = append(b, byte(shared))
	b = binary.AppendUvarint(b, uint64(len(value)-shared))
	return append(b, value[shared:]...)
}

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b), maxShared)
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

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

// reader takes apart the bytes of a Top or a Breakdown; its first error stays.
type reader struct {
	b   []byte
	err error
}

var errShort = errors.New("the bytes end too soon")

func (r *reader) number(limit uint64) uint64 {
	n, size := binary.Uvarint(r.b)
	switch {
	case r.err != nil:
		return 0
	case size == 0:
		r.err = errShort
		return 0
	case size < 0 || n > limit:
		r.err = fmt.Errorf("a number above %d", limit)
		return 0
	case size > 1 && n>>(7*(size-1)) == 0:
		r.err = fmt.Errorf("the number %d takes %d bytes: fewer would do", n, size)
		return 0
	}
	r.b = r.b[size:]
	return n
}

// bytes reads n bytes. The result aliases the input.
func (r *reader) bytes(n int) []byte {
	switch {
	case r.err != nil:
		return nil
	case n > len(r.b):
		r.err = errShort
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// value reads a value; last is the one before it.
func (r *reader) value(last string) string {
	first := r.bytes(1)
	rest := r.bytes(int(r.number(maxValueBytes)))
	if r.err != nil {
		return ""
	}
	shared := int(first[0])
	if shared > len(last) {
		r.err = fmt.Errorf("it shares %d bytes with %q", shared, last)
		return ""
	}
	value := last[:shared] + string(rest)
	if shared != sharedPrefix(last, value) {
		r.err = fmt.Errorf("%q shares %d bytes with %q, not %d", value, sharedPrefix(last, value), last, shared)
	}
	return value
}

// row reads a row of a Top; last is the value before it.
func (r *reader) row(last string) Row {
	return Row{Value: r.value(last), Count: r.number(maxCount), Error: r.number(maxCount)}
}
