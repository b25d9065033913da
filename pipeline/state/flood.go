package state

import (
	"encoding/binary"
	"math"
)

// FloodMinutes is how many minutes of a session have a count.
const FloodMinutes = 16

// MaxFloodEvents is the greatest count of a minute, and so the greatest rate that a session can be held to.
const MaxFloodEvents = math.MaxUint16

// Flood is what detects a bot by the rate of its session's events. Minutes are of event time, since the epoch: up to the end of the
// year 9999 they fit into 32 bits. Arrays keep states comparable, and free of allocations.
//
// The zero Flood is that of a session without events.
type Flood struct {
	// Minutes are those that have a count, the one that had an event last in the log first. Events are their counts; 0: there is
	// no such minute, and none after it. Once Known, all of them lie before From.
	Minutes [FloodMinutes]uint32
	Events  [FloodMinutes]uint16

	Known bool   // a minute has passed the rate
	From  uint32 // the earliest minute that has
	Last  uint32 // the latest minute with an event that is a bot's by the rate
}

// Len is how many minutes have a count.
func (f *Flood) Len() int {
	for i, n := range f.Events {
		if n == 0 {
			return i
		}
	}
	return FloodMinutes
}

// The bytes of a Flood: once known, from less the minute of openedAt, and last less from; where minutes follow, how many there are,
// and for each the minute less the one before it, the first less that of openedAt, and its events as a uvarint.
const maxFloodBytes = 2*binary.MaxVarintLen64 + 1 + FloodMinutes*(binary.MaxVarintLen64+binary.MaxVarintLen16)

// appendBinary encodes the state of a session that was opened in a minute.
func (f *Flood) appendBinary(b []byte, opened int64) []byte {
	if f.Known {
		b = binary.AppendVarint(b, int64(f.From)-opened)
		b = binary.AppendVarint(b, int64(f.Last)-int64(f.From))
	}
	if n := f.Len(); n > 0 {
		b = append(b, byte(n))
		before := opened
		for i := range n {
			b = binary.AppendVarint(b, int64(f.Minutes[i])-before)
			b = binary.AppendUvarint(b, uint64(f.Events[i]))
			before = int64(f.Minutes[i])
		}
	}
	return b
}

// flood reads what appendBinary has written.
func (r *varints) flood(opened int64, known, minutes bool) Flood {
	f := Flood{Known: known}
	if known {
		f.From = r.minute(opened)
		f.Last = r.minute(int64(f.From))
		r.bad = r.bad || f.Last < f.From
	}
	if !minutes {
		return f
	}
	n := r.unsigned()
	if n == 0 || n > FloodMinutes {
		r.bad = true
		return f
	}
	before := opened
	for i := range n {
		f.Minutes[i] = r.minute(before)
		events := r.unsigned()
		r.bad = r.bad || events == 0 || events > MaxFloodEvents || known && f.Minutes[i] >= f.From
		for _, other := range f.Minutes[:i] {
			r.bad = r.bad || other == f.Minutes[i]
		}
		f.Events[i] = uint16(events)
		before = int64(f.Minutes[i])
	}
	return f
}

// minute reads a minute by its distance from another.
func (r *varints) minute(from int64) uint32 {
	m := from + r.next()
	if m < 0 || m > math.MaxUint32 {
		r.bad = true
	}
	return uint32(m)
}
