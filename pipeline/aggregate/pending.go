package aggregate

import (
	"unsafe"

	"github.com/footfall/footfall/sketch"
)

// Most events say the same as the earliest event of their session, in all dimensions but the page and the event's name. The rows of
// an hour do not count them one by one. They are pending: those of a session are one entry of a list, and the entries are counted
// together, one dimension after the other, which finds the rows of that dimension in the processor's caches.
//
// The rows become the same as if each event had been counted at once. Entries are in the order of their first events, so a row is
// admitted at the same position. Entries are counted before anything else happens to a row of these dimensions, and before a dimension
// could have to evict a row: from then on the dimension counts each event at once. Entries lengthen the breakdown by a known number of
// bytes at most, and they are counted before a breakdown is trimmed. Memory for these bytes is held from the start. Where it is short,
// the entries are counted, which shows what the rows really take.

const (
	// nearlyFull is the share of a dimension's rows that must be free for its events to be pending: with fewer they would be counted
	// too often.
	nearlyFull = 16
	// mostUncounted is by how many bytes the pending events of a step may lengthen its breakdowns at most, since the size of a step does
	// not include them: an eighth of the usual bound of a flush.
	mostUncounted = 8 << 20
	pendingRoom   = int(unsafe.Sizeof(pendingEntry{}))
	// firstPending is how many entries a list has room for at first, in 768 bytes.
	firstPending = 16
	// pendingRow is what a row takes at most beside its value: 4 bytes for the value's length, 9 for each of its position, its error
	// and its visitor, 5 for each of its events and page views, and 3 for what says which numbers there are.
	pendingRow = 4 + 3*9 + 2*5 + 3
)

// plan decides in which dimensions events may be pending, before the first one is.
func (p *pendingEvents) plan(rows *sketch.Breakdown) {
	p.planned, p.dims, p.room = true, 0, 1<<15
	for d := range sketch.Dimension(len(values{})) {
		if d == sketch.Page || d == sketch.EventName {
			continue
		}
		if free, of := rows.Free(d); free > of/nearlyFull {
			p.dims |= 1 << d
			p.room = min(p.room, free)
		}
	}
}

// same returns in which of the dimensions an event is counted where the earliest event of its session is. If another value is to be
// counted in one of them, ok is false.
func (p *pendingEvents) same(own, first *values) (dims dimensionSet, ok bool) {
	for d := range sketch.Dimension(len(own)) {
		if !p.dims.has(d) || !ofSession(d) && own[d] == "" || first[d] == "" && (ofSession(d) || own[d] == "") {
			continue
		}
		if !ofSession(d) && own[d] != first[d] {
			return 0, false
		}
		dims |= 1 << d
	}
	return dims, true
}

// pend leaves an event pending, and returns the dimensions that it did so in. at is nil where it has no session.
func (b *breakdowns) pend(r *Input, own *values, at *spots) dimensionSet {
	h := r.hour
	p := &h.Breakdown.pending
	if at == nil {
		b.count(h)
		return 0
	}
	first := r.session.Cur.First
	if !p.planned {
		p.plan(h.Breakdown.Breakdown)
	}
	dims, ok := p.same(own, first)
	if !ok {
		b.count(h)
		return 0
	}
	if dims == 0 {
		return 0
	}
	if at.entry == 0 || at.round != p.round || p.list[at.entry-1].dims != dims {
		if len(p.list) == p.room {
			b.count(h)
			return b.pend(r, own, at)
		}
		b.addPending(h, pendingEntry{said: first, at: at, position: b.position(r), visitor: r.Visitor, dims: dims})
		more := len(values{})*pendingRow + int(r.session.firstBytes)
		p.bytes += more
		b.uncounted += more
	}
	e := &p.list[at.entry-1]
	e.events++
	if r.Event.IsPageView() {
		e.pageViews++
	}
	return dims
}

func (b *breakdowns) addPending(h *hour, e pendingEntry) {
	p := &h.Breakdown.pending
	if last := len(b.unused) - 1; p.list == nil && last >= 0 {
		p.list, b.unused[last] = b.unused[last], nil
		b.unused = b.unused[:last]
	}
	room := cap(p.list)
	if room == 0 {
		p.list = make([]pendingEntry, 0, firstPending)
	}
	p.list = append(p.list, e)
	b.pending += (cap(p.list) - room) * pendingRoom
	e.at.round, e.at.entry = p.round, int32(len(p.list))
}

// count has the rows of an hour count its pending events.
func (b *breakdowns) count(h *hour) {
	p, rows := &h.Breakdown.pending, h.Breakdown.Breakdown
	p.planned = false
	if len(p.list) == 0 {
		return
	}
	size := rows.Size()
	for d := range sketch.Dimension(len(values{})) {
		if p.dims.has(d) {
			h.Breakdown.countIn(d)
		}
	}
	more := max(0, rows.Size()-size)
	b.bytes += more
	b.grown += more
	b.uncounted -= p.bytes
	clear(p.list) // It holds sessions' texts.
	p.list, p.bytes = p.list[:0], 0
	p.round++
}

// countIn has the rows of a dimension count the pending events.
func (b *hourBreakdown) countIn(d sketch.Dimension) {
	for i := range b.pending.list {
		e := &b.pending.list[i]
		if !e.dims.has(d) {
			continue
		}
		hits := sketch.Hits{Visitor: e.visitor, Events: int64(e.events), PageViews: int64(e.pageViews)}
		last := e.at.reading == b.reading && e.at.round == b.pending.round && int(e.at.entry) == i+1 // Its spots are of this entry.
		if last && b.HitsAgain(d, e.at.spots[d], hits) {
			continue
		}
		if spot := b.Hits(d, e.said[d], e.position, hits); last {
			e.at.spots[d] = spot
		}
	}
}

// countAll counts all pending events, when memory is short.
func (b *breakdowns) countAll(hours []*hour) {
	for _, h := range hours {
		b.countLast(h)
	}
}

// countLast counts the pending events of an hour, and keeps their list for other hours.
func (b *breakdowns) countLast(h *hour) {
	b.count(h)
	if p := &h.Breakdown.pending; p.list != nil {
		b.unused = append(b.unused, p.list)
		p.list = nil
	}
}

// giveUpUnused frees the lists that no hour uses.
func (b *breakdowns) giveUpUnused() {
	for _, list := range b.unused {
		b.pending -= cap(list) * pendingRoom
	}
	b.unused = nil
}

// fits reports whether the breakdown takes at most this number of bytes, with all that is not counted and not booked yet.
func (b *hourBreakdown) fits(bytes int) bool {
	return b.Size()+b.waiting.bytes+b.pending.bytes <= bytes
}
