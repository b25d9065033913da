package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/footfall/footfall/sinks/int128"
)

// Replay does to b what a log says, in its order. On an error b is half done, and of no use. b may be nil: then the log is
// only checked. see, if not nil, is called with the visitor of each event.
func (b *Breakdown) Replay(log []byte, see func(visitor uint64)) error {
	r := logReader{rest: log}
	if b != nil {
		b.SetRows(nil)
	}
	for len(r.rest) > 0 {
		switch op := r.byte(); op {
		case opEvent:
			r.event(b, see)
		case opBooking:
			r.booking(b)
		case opAttend:
			r.attention(b)
		case opConvert:
			r.conversions(b)
		case opProp:
			r.property(b)
		case opOther:
			r.other(b, see)
		case opPurge:
			if visitor := r.take(8); b != nil && r.err == nil {
				only := binary.LittleEndian.Uint64(visitor)
				b.Purge(func(v uint64) bool { return v == only })
			}
		case opMerged:
		case opRows:
			if own := r.rows(); b != nil && r.err == nil {
				b.SetRows(own)
			}
		case opTrim:
			if most := r.varint(); b != nil && r.err == nil {
				b.Trim(int(most))
			}
		default:
			r.err = fmt.Errorf("operation %q", op)
		}
		if r.err != nil {
			return fmt.Errorf("log of a breakdown, %d bytes before its end: %w", len(r.rest), r.err)
		}
	}
	return nil
}

type logReader struct {
	rest []byte
	err  error
}

var errLogEnds = errors.New("it ends too early")

func (r *logReader) event(b *Breakdown, see func(uint64)) {
	flags, visitor := r.byte(), r.take(8)
	position := r.varint()
	h, mask := r.hit(flags, visitor, see)
	for d := range dimensions {
		if r.err != nil {
			return
		}
		if mask&(1<<d) == 0 {
			continue
		}
		value := r.text()
		if b != nil && r.err == nil {
			b.Event(d, value, position, h)
		}
	}
}

func (r *logReader) other(b *Breakdown, see func(uint64)) {
	flags, visitor := r.byte(), r.take(8)
	h, mask := r.hit(flags, visitor, see)
	if b == nil || r.err != nil {
		return
	}
	for d := range dimensions {
		if mask&(1<<d) != 0 {
			b.other(d, h)
		}
	}
}

// hit reads the rest of an event but for its texts, and shows its visitor to see. mask are its dimensions.
func (r *logReader) hit(flags byte, visitor []byte, see func(uint64)) (h Hit, mask uint64) {
	h = Hit{PageView: flags&flagPageView != 0, HasValue: flags&flagValue != 0}
	if h.HasValue {
		h.Value = r.varint()
	}
	mask = r.uvarint()
	if r.err == nil && (flags&^(flagPageView|flagValue) != 0 || mask >= 1<<dimensions) {
		r.err = fmt.Errorf("an event of flags %x and dimensions %x", flags, mask)
	}
	if r.err != nil {
		return h, mask
	}
	h.Visitor = binary.LittleEndian.Uint64(visitor)
	if see != nil {
		see(h.Visitor)
	}
	return h, mask
}

// StripLog returns what is left of a log whose hour's item has it: who its events are of, each visitor once, and not a text.
func StripLog(log []byte) ([]byte, error) {
	l := BreakdownLog{ops: []byte{opMerged}}
	seen := make(map[uint64]bool)
	err := (*Breakdown)(nil).Replay(log, func(visitor uint64) {
		if !seen[visitor] {
			seen[visitor] = true
			l.Event(new([dimensions]string), 0, Hit{Visitor: visitor})
		}
	})
	return l.ops, err
}

// Stripped reports whether a log is one that StripLog returned.
func Stripped(log []byte) bool { return len(log) > 0 && log[0] == opMerged }

func (r *logReader) booking(b *Breakdown) {
	d, value := dimensionOf(r.byte()), r.text()
	var n [6]int64
	for i := range n {
		n[i] = r.varint()
	}
	if r.err == nil && d >= dimensions {
		r.err = fmt.Errorf("dimension %d", d)
	}
	if b != nil && r.err == nil {
		b.Book(d, value, n[0], Booking{Sessions: n[1], Bounces: n[2], DurationMs: n[3], Entries: n[4], Exits: n[5]})
	}
}

func (r *logReader) attention(b *Breakdown) {
	page := r.text()
	var n [5]int64
	for i := range n {
		n[i] = r.varint()
	}
	if b != nil && r.err == nil {
		b.Attend(page, n[0], Attention{Timed: n[1], TimeMs: n[2], Scrolled: n[3], Depth: n[4]})
	}
}

func (r *logReader) conversions(b *Breakdown) {
	d, value := dimensionOf(r.byte()), r.text()
	position := r.varint()
	k := Conversions{Sessions: r.varint(), Further: r.varint()}
	hi := r.uvarint()
	k.Worth = int128.Unzigzag(hi, r.uvarint())
	if r.err == nil && !d.Converts() {
		r.err = fmt.Errorf("conversions of dimension %d", d)
	}
	if b != nil && r.err == nil {
		b.Convert(d, value, position, k)
	}
}

func (r *logReader) property(b *Breakdown) {
	d, flags, visitor := dimensionOf(r.byte()), r.byte(), r.take(8)
	position := r.varint()
	value := string(r.take(r.uvarint()))
	if _, ok := d.Property(); r.err == nil && (!ok || flags&^(flagPageView|flagValue) != 0) {
		r.err = fmt.Errorf("an event of flags %x and dimension %d", flags, d)
	}
	if b == nil || r.err != nil {
		return
	}
	h := Hit{Visitor: binary.LittleEndian.Uint64(visitor), PageView: flags&flagPageView != 0}
	if value == "" {
		b.other(d, h)
		return
	}
	b.Event(d, value, position, h)
}

func (r *logReader) rows() (own []DimensionRows) {
	n := r.uvarint()
	if n > uint64(dimensions) {
		r.err = errors.Join(r.err, fmt.Errorf("rows of %d dimensions", n))
	}
	for i := uint64(0); i < n && r.err == nil; i++ {
		d, rows := dimensionOf(r.byte()), r.uvarint()
		if d >= dimensions || rows > MaxRows {
			r.err = errors.Join(r.err, fmt.Errorf("%d rows of dimension %d", rows, d))
		}
		own = append(own, DimensionRows{d, int(rows)})
	}
	return own
}

func (r *logReader) byte() byte {
	if b := r.take(1); b != nil {
		return b[0]
	}
	return 0
}

// take returns the next n bytes; nil: there are not as many.
func (r *logReader) take(n uint64) []byte {
	if r.err != nil || n > uint64(len(r.rest)) {
		r.err = errors.Join(r.err, errLogEnds)
		r.rest = nil
		return nil
	}
	b := r.rest[:n]
	r.rest = r.rest[n:]
	return b
}

// text returns a string; "" only with an error, for the empty value has no row.
func (r *logReader) text() string {
	b := r.take(r.uvarint())
	if len(b) == 0 && r.err == nil {
		r.err = errors.New("an empty value")
	}
	return string(b)
}

func (r *logReader) varint() int64 {
	n, size := binary.Varint(r.rest)
	return r.number(n, size)
}

func (r *logReader) uvarint() uint64 {
	n, size := binary.Uvarint(r.rest)
	return uint64(r.number(int64(n), size))
}

func (r *logReader) number(n int64, size int) int64 {
	if r.err != nil || size <= 0 {
		r.err = errors.Join(r.err, errLogEnds)
		r.rest = nil
		return 0
	}
	r.rest = r.rest[size:]
	return n
}
