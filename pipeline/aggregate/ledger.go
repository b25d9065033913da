package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// A session lies in the breakdowns of the hour in which it starts. What it has there is a booking: it is taken back and booked again
// when a later record changes the session.

// MaxBookedMs is up to where a session's duration counts in breakdowns, 99.42 days: a producer may claim any time, and the
// sums of an hour stay below 2^60 whatever it claims.
const MaxBookedMs = 1 << 33

// booking returns what the session has to book. h is a hint, the hour that it most likely lies in, which saves a look-up.
func (x *session) booking(h *hour) booking {
	s := &x.Cur
	if s.Events == 0 || s.Booked == state.NotBooked {
		return booking{}
	}
	if s.Hour != h.start {
		h = x.site.hourAt(s.Hour)
	}
	b := booking{hour: h, at: s.Booked, first: s.First, entry: s.Entry, exit: s.Exit,
		counts: sketch.Booking{Sessions: 1, DurationMs: min(s.DurationMs(), MaxBookedMs)}}
	if s.Bounce() {
		b.counts.Bounces = 1
	}
	if s.Reached != "" {
		b.won = sketch.Conversions{Sessions: 1, Further: s.Reached.Len() - 1, Worth: int128.From(s.Worth)}
	}
	return b
}

// visitAt is the position of the record that booked the session's entry or exit: the page view's own, or the one that
// has moved the session's start since.
func (b *booking) visitAt(v *state.PageVisit) int64 { return max(v.Pos, b.at) }

// ledger has the sessions that records of the accumulating step have changed and whose bookings the breakdowns lack.
type ledger struct {
	*accumulating
	breakdowns *breakdowns
	open       arena.Blocks[unbooked]
	free       *unbooked // entries of open that are not in use
	bookings   arena.Blocks[booking]
	unused     []*booking // of bookings
}

// bookingBytes is by how much a session's bookings lengthen a breakdown at most. A sum grows by no more bytes than what
// is added has: a session and a bounce have one each and the duration, which is at most MaxBookedMs, five, in 15 dimensions
// and the entry page, which is an entry besides, and the exit page is an exit.
const bookingBytes = 16*(1+1+5) + 1 + 1

// wonBytes is by how much its conversions do: a byte for what else a row has, one for each of the two numbers, and eleven for what they
// are worth, in seven dimensions and the entry page.
const wonBytes = 8 * (1 + 1 + 1 + 11)

// unbook notes that a record is about to change what its session has to book, and returns the hour where that lies; nil:
// in none.
func (l *ledger) unbook(r *Input) *hour {
	x := r.session
	if x.Cur.Booked == state.NotBooked {
		return nil
	}
	h := r.hour
	if x.Cur.Events > 0 && x.Cur.Hour != h.start {
		h = x.site.hourAt(x.Cur.Hour)
	}
	if x.unbookedIn == nil {
		l.enqueue(h, x)
		room := bookingBytes
		if x.Cur.Reached != "" || x.site.Ruled.Rules != nil && len(x.site.Ruled.Goals) > 0 {
			room += wonBytes
		}
		h.Breakdown.waiting.bytes += room
		l.bytes += room
	}
	return h
}

// enqueue notes that an hour's breakdown lacks what a session has to book.
func (l *ledger) enqueue(h *hour, x *session) {
	u := l.free
	if u == nil {
		u = l.open.Add()
	} else {
		l.free, u.next = u.next, nil
	}
	u.session = x
	if had := x.booking(h); had.hour != nil {
		u.had = l.keep(&had)
	}
	w := &h.Breakdown.waiting
	if w.first == nil {
		w.first = u
	} else {
		w.last.next = u
	}
	w.last, x.unbookedIn = u, h
	l.breakdowns.buckets.touchHour(h)
}

// keep returns a copy of what a session has in breakdowns.
func (l *ledger) keep(had *booking) (b *booking) {
	if last := len(l.unused) - 1; last >= 0 {
		b, l.unused = l.unused[last], l.unused[:last]
	} else {
		b = l.bookings.Add()
	}
	*b = *had
	return b
}

// book books what the sessions of an hour have not booked yet. A session that moves to another hour must be booked with the same record: at
// the cut, its new hour may be encoded already.
func (l *ledger) book(h *hour) {
	w := &h.Breakdown.waiting
	for u := w.first; u != nil; {
		now := u.booking(h)
		if u.had == nil {
			l.shift(&now, 1)
		} else {
			l.rebook(u.had, &now)
			l.unused = append(l.unused, u.had)
		}
		u.unbookedIn = nil
		next := u.next
		*u = unbooked{next: l.free}
		l.free, u = u, next
	}
	*w = waiting{}
}

// reset empties the lists after all sessions are booked, and keeps their memory for the next step.
func (l *ledger) reset() {
	l.open.Reset()
	l.bookings.Reset()
	clear(l.unused[:cap(l.unused)])
	l.free, l.unused = nil, l.unused[:0]
}

// room is how many bytes the entries take.
func (l *ledger) room() int {
	return l.open.Room()*unbookedRoom + l.bookings.Room()*bookingRoom + cap(l.unused)*pointerRoom
}

// giveUp frees the memory of the lists. No session may be unbooked.
func (l *ledger) giveUp() {
	l.open, l.bookings, l.free, l.unused = arena.Blocks[unbooked]{}, arena.Blocks[booking]{}, nil, nil
}

// rebook takes back what a session had booked and books what it has now, as far as the two differ.
func (l *ledger) rebook(old, now *booking) {
	if old.hour == nil || now.hour == nil || old.at != now.at {
		l.shift(old, -1)
		l.shift(now, 1)
		return
	}
	delta := difference(now.counts, old.counts)
	if delta != (sketch.Booking{}) {
		l.bookFirst(now, delta)
	}
	won := now.won.Plus(old.won.Neg())
	l.convertFirst(now, won)
	switch {
	case old.entry != now.entry:
		l.bookEntry(old, -1)
		l.bookEntry(now, 1)
	case now.entry.Page != "":
		at := now.visitAt(&now.entry)
		if delta != (sketch.Booking{}) {
			l.breakdowns.book(now.hour, sketch.Page, now.entry.Page, at, delta)
		}
		l.breakdowns.convert(now.hour, sketch.Page, now.entry.Page, at, won)
	}
	if old.exit != now.exit {
		l.bookExit(old, -1)
		l.bookExit(now, 1)
	}
}

// shift books (sign 1) or takes back (sign -1) the whole of a booking.
func (l *ledger) shift(b *booking, sign int64) {
	if b.hour == nil {
		return
	}
	l.bookFirst(b, times(b.counts, sign))
	l.convertFirst(b, signed(b.won, sign))
	l.bookEntry(b, sign)
	l.bookExit(b, sign)
}

func difference(a, b sketch.Booking) sketch.Booking {
	return sketch.Booking{Sessions: a.Sessions - b.Sessions, Bounces: a.Bounces - b.Bounces, DurationMs: a.DurationMs - b.DurationMs}
}

func times(k sketch.Booking, sign int64) sketch.Booking {
	return sketch.Booking{Sessions: sign * k.Sessions, Bounces: sign * k.Bounces, DurationMs: sign * k.DurationMs}
}

// bookFirst books under what the session's earliest event says.
func (l *ledger) bookFirst(b *booking, k sketch.Booking) {
	for d, value := range b.first {
		if value != "" && sketch.Dimension(d) != sketch.Page {
			l.breakdowns.book(b.hour, sketch.Dimension(d), value, b.at, k)
		}
	}
}

// convertFirst books conversions under where the session came from.
func (l *ledger) convertFirst(b *booking, k sketch.Conversions) {
	if k == (sketch.Conversions{}) || b.first == nil {
		return
	}
	for d := sketch.Referrer; d <= sketch.Term; d++ {
		if value := b.first[d]; value != "" {
			l.breakdowns.convert(b.hour, d, value, b.at, k)
		}
	}
}

func signed(k sketch.Conversions, sign int64) sketch.Conversions {
	if sign < 0 {
		return k.Neg()
	}
	return k
}

func (l *ledger) bookEntry(b *booking, sign int64) {
	if b.entry.Page == "" {
		return
	}
	k := times(b.counts, sign)
	k.Entries = sign
	l.breakdowns.book(b.hour, sketch.Page, b.entry.Page, b.visitAt(&b.entry), k)
	l.breakdowns.convert(b.hour, sketch.Page, b.entry.Page, b.visitAt(&b.entry), signed(b.won, sign))
}

func (l *ledger) bookExit(b *booking, sign int64) {
	if b.exit.Page != "" {
		l.breakdowns.book(b.hour, sketch.Page, b.exit.Page, b.visitAt(&b.exit), sketch.Booking{Exits: sign})
	}
}

// bound trims an hour's breakdown if it has grown too large.
func (l *ledger) bound(h *hour) {
	if h.Breakdown.skip == l.step || h.Breakdown.fits(l.settings.BreakdownBytes) {
		return
	}
	l.breakdowns.count(h)
	if h.Breakdown.fits(l.settings.BreakdownBytes) {
		return
	}
	l.book(h)
	l.breakdowns.trim(h)
}
