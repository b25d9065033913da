package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A BreakdownLog is what was done to a breakdown, in order: replayed on a breakdown that is equal to what the first one was
// before, it makes one that is equal to what the first one was after. The zero value is an empty log.
// Not safe for concurrent use.
//
//	event    'e' flags visitor(8) position [value] mask {length text}...    one text for each bit of the mask, a dimension
//	booking  'b' dimension length text position sessions bounces duration entries exits
//	attend   'a' length page position timed timeMs scrolled depth
//	convert  'c' dimension length text position sessions further worth    the worth in two halves, the high one first
//	trim     't' most
//	rows     'r' number {dimension rows}...       SetRows, at the beginning; without it no dimension has rows of its own
//	other    'o' flags visitor(8) [value] mask    an event of which these dimensions had no row, and get none
//	property 'p' dimension flags visitor(8) position length text    an event's value of a property; length 0: it has no row, and gets none
//	purge    'x' visitor(8)
//	merged   'm'                                  at the beginning: the item has it; of events the visitors are left
//
// Numbers are varints, those that may be negative in zigzag.
type BreakdownLog struct{ ops []byte }

const (
	opEvent   = 'e'
	opBooking = 'b'
	opAttend  = 'a'
	opConvert = 'c'
	opTrim    = 't'
	opRows    = 'r'
	opOther   = 'o'
	opProp    = 'p'
	opPurge   = 'x'
	opMerged  = 'm'

	flagPageView = 1
	flagValue    = 2
)

// Event notes an event: Breakdown.Event, or what Breakdown.Again did in its place, for every value that is not "".
func (l *BreakdownLog) Event(values *[dimensions]string, position int64, h Hit) {
	mask := uint64(0)
	for d, v := range values {
		if v != "" {
			mask |= 1 << d
		}
	}
	l.ops = append(l.ops, opEvent, h.flags())
	l.ops = binary.LittleEndian.AppendUint64(l.ops, h.Visitor)
	l.ops = binary.AppendVarint(l.ops, position)
	if h.HasValue {
		l.ops = binary.AppendVarint(l.ops, h.Value)
	}
	l.ops = binary.AppendUvarint(l.ops, mask)
	for _, v := range values {
		if v != "" {
			l.text(v)
		}
	}
}

func (h Hit) flags() (flags byte) {
	if h.PageView {
		flags |= flagPageView
	}
	if h.HasValue {
		flags |= flagValue
	}
	return flags
}

// Other notes a Breakdown.EventOfGone that found no row, in every dimension whose bit is set.
func (l *BreakdownLog) Other(mask uint64, h Hit) {
	l.ops = append(l.ops, opOther, h.flags())
	l.ops = binary.LittleEndian.AppendUint64(l.ops, h.Visitor)
	if h.HasValue {
		l.ops = binary.AppendVarint(l.ops, h.Value)
	}
	l.ops = binary.AppendUvarint(l.ops, mask)
}

// Property notes what an event says in the dimension of a property, after the event itself: Breakdown.Event, or with "" an EventOfGone
// that found no row.
func (l *BreakdownLog) Property(d Dimension, value string, position int64, h Hit) {
	l.ops = append(l.ops, opProp, byte(d), h.flags())
	l.ops = binary.LittleEndian.AppendUint64(l.ops, h.Visitor)
	l.ops = binary.AppendVarint(l.ops, position)
	l.text(value)
}

// Purge notes a Breakdown.Purge that has dropped rows of the visitor.
func (l *BreakdownLog) Purge(visitor uint64) {
	l.ops = binary.LittleEndian.AppendUint64(append(l.ops, opPurge), visitor)
}

// Book notes a Breakdown.Book.
func (l *BreakdownLog) Book(d Dimension, value string, position int64, k Booking) {
	l.ops = append(l.ops, opBooking, byte(d))
	l.text(value)
	for _, n := range [...]int64{position, k.Sessions, k.Bounces, k.DurationMs, k.Entries, k.Exits} {
		l.ops = binary.AppendVarint(l.ops, n)
	}
}

// Trim notes a Breakdown.Trim.
func (l *BreakdownLog) Trim(most int) {
	l.ops = append(l.ops, opTrim)
	l.ops = binary.AppendVarint(l.ops, int64(most))
}

// SetRows notes a Breakdown.SetRows, unless it names no dimension.
func (l *BreakdownLog) SetRows(own []DimensionRows) {
	if len(own) == 0 {
		return
	}
	l.ops = binary.AppendUvarint(append(l.ops, opRows), uint64(len(own)))
	for _, x := range own {
		l.ops = binary.AppendUvarint(append(l.ops, byte(x.Dimension)), uint64(x.Rows))
	}
}

func (l *BreakdownLog) text(s string) {
	l.ops = binary.AppendUvarint(l.ops, uint64(len(s)))
	l.ops = append(l.ops, s...)
}

// Bytes returns the log. It stays valid until the next Reset.
func (l *BreakdownLog) Bytes() []byte { return l.ops }

// Reset empties the log, and keeps its room.
func (l *BreakdownLog) Reset() { l.ops = l.ops[:0] }

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
	d, value := Dimension(r.byte()), r.text()
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

func (r *logReader) property(b *Breakdown) {
	d, flags, visitor := Dimension(r.byte()), r.byte(), r.take(8)
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
		d, rows := Dimension(r.byte()), r.uvarint()
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
