package sketch

import (
	"cmp"
	"fmt"
	"slices"
)

const (
	// DefaultRows is how many values of a dimension a breakdown keeps unless it is told otherwise.
	DefaultRows = 512
	// MaxBreakdownBytes is how large Trim may let the bytes of a breakdown become, 350 KB: an item holds 400 KB, and bytes
	// that do not compress must fit in it with its other attributes.
	MaxBreakdownBytes = 350 << 10
)

// Breakdown is what one partition knows of an hour of a site, by the values of each dimension.
//
// Each dimension is a Space-Saving of so many rows, as Top is, with the same order of eviction. Only an event admits:
// its value gets a row with 0 events, the dimension's floor as error and the event's position, and is counted then.
// An evicted row goes whole to the dimension's other, visitors included, and raises the floor to its rank. So the rows
// and other always add up to all that was fed; other is no value, and a value may be spelled like it.
//
// A session's numbers are booked to the row of a value if there is one that was admitted at or before the position of
// the booking, else to other. What is taken back later under the same position is then found where it is: if the row
// has been evicted it went to other with it, and a row admitted since is passed by. So no number falls below zero.
//
// The state is a function of the sequence of calls, provided that Trim is called at the same points of it, that is
// after each record and at no flush. The zero value has no rows: all that it counts goes to other. Not safe for
// concurrent use.
//
// In memory a row takes 200 bytes and those of its value; its visitors take 32 bytes up to 3, 128 at 10, 1 KB from 49 to 64, 256
// bytes at 65, 1 KB from some 200, 2 KB from some 400 and 4 KB from some 850. One record of 12 dimensions takes 7 KB. What Trim
// allows bounds the whole: 16 dimensions of 512 rows of one visitor take 2 MB, as many as fit of 860 visitors, the dearest of those
// with registers for their bytes, 2.3 MB together.
type Breakdown struct {
	capacity int
	own      []DimensionRows // as SetRows set them; no part of the state
	size     int             // of what rows and others take beyond fixedBytes
	held
	sets  sets // for the visitors of rows
	spare spare
	room  room // for dimensions to come
}

// NewBreakdown returns an empty Breakdown of so many rows a dimension, 0 to MaxRows; it panics on any other number.
func NewBreakdown(rows int) *Breakdown {
	if rows < 0 || rows > MaxRows {
		panic(fmt.Sprintf("sketch: a breakdown of %d rows: it must have 0 to %d", rows, MaxRows))
	}
	return &Breakdown{capacity: rows}
}

func (b *Breakdown) dimension(d Dimension) *dimension {
	if m := b.part(d); m != nil {
		return m
	}
	m := b.room.dimension()
	m.top.capacity, m.other = b.rows(d), newTally()
	if d >= storedProperty {
		b.size += dimensionBytes
	}
	if d < dimensions {
		b.parts[d] = m
		return m
	}
	at, _ := slices.BinarySearchFunc(b.chosen, d, func(c chosenDimension, d Dimension) int { return cmp.Compare(c.d, d) })
	b.chosen = slices.Insert(b.chosen, at, chosenDimension{d, m})
	return m
}

// rows returns how many rows the dimension may have.
func (b *Breakdown) rows(d Dimension) int {
	for _, own := range b.own {
		if own.Dimension == d {
			return own.Rows
		}
	}
	return b.capacity
}

// Event counts a record's own event for its value of the dimension, and admits the value if it has no row. The
// position is the record's, from 0 to 2^60 and never below that of the Event of the dimension before it; the record's bookings come
// after. Event keeps the value, and with it the larger text that it is a part of. For a value with a row it allocates only
// for the first value of a named event, and when the set of visitors grows, eleven times at most. The Spot is for Again.
func (b *Breakdown) Event(d Dimension, value string, position int64, h Hit) Spot {
	m := b.dimension(d)
	i := find(&m.top, value)
	if i < 0 {
		if m.top.capacity == 0 {
			b.pass(d, h)
			return 0
		}
		i = b.admit(m, value, position)
	}
	b.count(m, i, m.more[i].hit(d, h, &b.sets))
	return m.spot(i)
}

// Spot is where an Event was counted: the place of the row, and above it, since others may come to have that place, the
// position at which the row was admitted, plus one. Nobody feeds the 2^48 records in between that would make two alike.
// The zero Spot is nowhere.
type Spot uint64

const placeBits = 16 // of MaxRows places

func (m *dimension) spot(place int) Spot {
	return Spot(m.more[place].admitted+1)<<placeBits | Spot(place)
}

// Again counts another event of the value and the visitor that the Event was of which returned the Spot. It does what
// that would do, without looking for the row and the visitor. It returns false, and changes nothing, if the row has left
// its place, or the breakdown is another that never had it. No two Events of the dimension may have had the same position.
func (b *Breakdown) Again(d Dimension, at Spot, h Hit) (ok bool) {
	m, i := b.part(d), int(at&(1<<placeBits-1))
	if at == 0 || m == nil || i >= len(m.more) || m.spot(i) != at {
		return false
	}
	b.count(m, i, m.more[i].events(d, h))
	return true
}

// count counts an event of the row at this place, which made it that many bytes longer.
func (b *Breakdown) count(m *dimension, place, more int) {
	row := &m.top.rows[place]
	row.Count++
	b.size += more
	if row.Count > 1 { // a new row's size counts its first event
		b.size += growth(int64(row.Count))
	}
}

// Hits are events of one visitor that all have the same value of a dimension, other than EventName.
type Hits struct {
	Visitor           uint64
	Events, PageViews int64
}

// Hits does what hits.Events calls of Event would, the first with this position.
func (b *Breakdown) Hits(d Dimension, value string, position int64, h Hits) Spot {
	m := b.dimension(d)
	i := find(&m.top, value)
	if i < 0 {
		if m.top.capacity == 0 {
			panic("sketch: hits of a dimension without rows")
		}
		i = b.admit(m, value, position)
	}
	b.size += m.more[i].visitors.add(h.Visitor, &b.sets)
	b.countHits(m, i, h)
	return m.spot(i)
}

// HitsAgain does what hits.Events calls of Again would.
func (b *Breakdown) HitsAgain(d Dimension, at Spot, h Hits) (ok bool) {
	m, i := b.part(d), int(at&(1<<placeBits-1))
	if at == 0 || m == nil || i >= len(m.more) || m.spot(i) != at {
		return false
	}
	b.countHits(m, i, h)
	return true
}

// countHits counts events of the row at this place, whose visitor is there.
func (b *Breakdown) countHits(m *dimension, place int, h Hits) {
	row, more := &m.top.rows[place], &m.more[place]
	b.size -= uvarintBytes(row.Count) + optionalBytes(more.pageViews)
	row.Count += uint64(h.Events)
	more.pageViews += h.PageViews
	b.size += uvarintBytes(row.Count) + optionalBytes(more.pageViews)
}

// Free returns how many values the dimension can admit before it evicts one, and how many rows it may have.
func (b *Breakdown) Free(d Dimension) (free, rows int) {
	if m := b.part(d); m != nil {
		return max(0, m.top.capacity-len(m.top.rows)), m.top.capacity
	}
	rows = b.rows(d)
	return rows, rows
}

// pass counts an event where there are no rows: its value is admitted and evicted at once.
func (b *Breakdown) pass(d Dimension, h Hit) {
	m := b.dimension(d)
	b.size -= m.otherBytes()
	m.top.floor++
	m.top.other++
	m.other.hit(d, h, nil)
	b.size += m.otherBytes()
}

// admit gives the value a row that has counted nothing, and returns its place.
func (b *Breakdown) admit(m *dimension, value string, position int64) (place int) {
	more := rest{position, newTally()}
	if len(m.top.rows) < m.top.capacity {
		more.visitors.u.set = b.sets.take(firstSet)
		b.room.grow(m)
		place = m.push(Row{Value: value, Error: m.top.floor}, more)
	} else {
		place = b.giveUp(m)
		more.visitors.u.set = b.sets.take(firstSet)
		m.top.replaceLeast(Row{Value: value})
		m.more[place] = more
		b.size += m.otherBytes()
	}
	b.size += m.bytes(place)
	return place
}

// giveUp adds what the least row has, all but its events, to other, and takes both from the size. The row must be
// replaced or dropped at once, and other's size added again.
func (b *Breakdown) giveUp(m *dimension) (place int) {
	place = m.top.least()
	b.size -= m.bytes(place) + m.otherBytes()
	m.other.merge(&m.more[place].tally)
	b.sets.give(m.more[place].visitors.u.set) // Its hashes are in other now.
	m.more[place].visitors.u.set = nil
	b.spare.give(m.more[place].attention)
	m.more[place].attention = nil
	return place
}

// Trim evicts rows until Size is at most so many bytes, MaxBreakdownBytes or less: of all dimensions the row of the least
// rank, of equals that of the first dimension, then the one whose value is least by bytes. Dimensions that SetRows gave more
// rows than the breakdown's number come first while they have more, so that they take no room from the others. It must be called
// after each record and never else, so that what is evicted depends on the records alone.
func (b *Breakdown) Trim(most int) {
	for b.Size() > most {
		m := b.least(b.capacity)
		if m == nil {
			return
		}
		b.drop(m)
	}
}

// drop evicts the least row of the dimension and leaves its room free.
func (b *Breakdown) drop(m *dimension) {
	place, last := b.giveUp(m), len(m.more)-1
	m.top.dropLeast()
	m.more[place] = m.more[last]
	m.more[last] = rest{}
	m.more = m.more[:last]
	b.size += m.otherBytes()
}

// Size returns the most that AppendBinary will append, in bytes; what neighbouring values share is not taken off. It
// is a function of the state, kept up to date by each call.
func (b *Breakdown) Size() int { return fixedBytes + b.size }

// Empty reports whether nothing has been counted.
func (b *Breakdown) Empty() bool { return b.size == 0 }

// Clone returns a copy that shares nothing with b.
func (b *Breakdown) Clone() *Breakdown {
	c := *b
	c.chosen, c.sets, c.spare, c.room = slices.Clone(b.chosen), sets{}, spare{}, room{}
	for d, m := range b.all() {
		n := &dimension{top: *m.top.Clone(), more: slices.Clone(m.more), other: m.other.clone()}
		for i := range n.more {
			n.more[i].tally = m.more[i].clone()
		}
		*c.place(d) = n
	}
	return &c
}
