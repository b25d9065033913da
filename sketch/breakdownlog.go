package sketch

import "encoding/binary"

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
	l.ops = append(l.ops, opProp, d.stored(), h.flags())
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
	l.ops = append(l.ops, opBooking, d.stored())
	l.text(value)
	for _, n := range [...]int64{position, k.Sessions, k.Bounces, k.DurationMs, k.Entries, k.Exits} {
		l.ops = binary.AppendVarint(l.ops, n)
	}
}

// Attend notes a Breakdown.Attend.
func (l *BreakdownLog) Attend(page string, position int64, k Attention) {
	l.ops = append(l.ops, opAttend)
	l.text(page)
	for _, n := range [...]int64{position, k.Timed, k.TimeMs, k.Scrolled, k.Depth} {
		l.ops = binary.AppendVarint(l.ops, n)
	}
}

// Convert notes a Breakdown.Convert.
func (l *BreakdownLog) Convert(d Dimension, value string, position int64, k Conversions) {
	l.ops = append(l.ops, opConvert, d.stored())
	l.text(value)
	for _, n := range [...]int64{position, k.Sessions, k.Further} {
		l.ops = binary.AppendVarint(l.ops, n)
	}
	l.ops = appendWide(l.ops, k.Worth)
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
		l.ops = binary.AppendUvarint(append(l.ops, x.Dimension.stored()), uint64(x.Rows))
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
