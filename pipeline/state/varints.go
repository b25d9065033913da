package state

import "encoding/binary"

// varints reads a sequence of varints and texts; bad is set once something is missing.
type varints struct {
	b   []byte
	bad bool
}

func (r *varints) next() int64 {
	n, size := binary.Varint(r.b)
	r.pass(size)
	return n
}

func (r *varints) unsigned() uint64 {
	n, size := binary.Uvarint(r.b)
	r.pass(size)
	return n
}

func (r *varints) byte() (b byte) {
	if len(r.b) == 0 {
		r.bad = true
		return 0
	}
	b, r.b = r.b[0], r.b[1:]
	return b
}

// pass leaves out the bytes of a number that was read; 0 or less: there was none, which reads as 0.
func (r *varints) pass(size int) {
	if size <= 0 {
		r.bad, r.b = true, nil
		return
	}
	r.b = r.b[size:]
}

// text reads a length and as many bytes, at most most.
func (r *varints) text(most uint64) string { return r.bytes(r.unsigned(), most) }

// bytes reads n bytes, at most most.
func (r *varints) bytes(n, most uint64) string {
	if n > most || n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return ""
	}
	text := string(r.b[:n])
	r.b = r.b[n:]
	return text
}
