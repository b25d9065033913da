package aggregate

import (
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A breakdown is second-kind state: it decides nothing but itself. What a session has booked in it is found in the
// session's own state, which is of the third kind, so a redo that leaves out the whole of its step for a breakdown
// corrects the others all the same.
//
// Breakdowns are fed record by record, in the order of positions: first the record's own event, which alone gives a value
// a row, then what the record changes of its session. When to flush decides nothing, and when to book decides nothing
// that can be seen.

// askBreakdown reads an hour's breakdown. Where the item carries the very step that is being accumulated, this is a redo
// and the item is the state after the step.
func (f *Stats) askBreakdown(h *hour, l Asker) {
	f.wantHour(h, l) // What the journal has of it is of its visitors, too.
	h.Breakdown.Breakdown, h.Breakdown.purged = sketch.NewBreakdown(f.settings.Breakdowns), -1
	f.breakdowns++
	h.Breakdown.reading = f.breakdowns
	key := f.Keys.Breakdown(h.Site.ID, h.start, f.TP)
	l.Ask(key, func(it sinks.Item) error {
		if it == nil {
			h.Breakdown.absent = true
			return nil
		}
		h.Breakdown.adrift = h.Breakdown.adrift || it.Expired(f.now/1000) || it[sinks.AttrLost(f.TP)].Kind() != sinks.None
		mark := it[f.Mark].Int()
		f.checkMark(key, mark)
		if mark == f.step {
			h.Breakdown.skip = f.step
		}
		part := it[sinks.AttrPart].Bytes()
		if err := f.readBreakdown(h.Site.ID, key, it, h.Breakdown.Breakdown); err != nil {
			return err
		}
		f.weigh(h)
		h.Breakdown.packed, h.Breakdown.ttl = len(part), expiryOf(it)
		f.wantLate(h, it, l)
		return nil
	})
}

// forgetUnfed forgets the breakdowns that were not there and have been fed nothing, as the step that begins has another number of
// rows: the next owner would make them with that number.
func (f *Stats) forgetUnfed() {
	for _, s := range f.Sites {
		for _, h := range s.Hours {
			if h.Breakdown.loaded() && h.Breakdown.absent && h.Breakdown.Empty() {
				h.Breakdown.Breakdown, h.Breakdown.absent = nil, false
			}
		}
	}
}

// Loaded asks for the hours that sessions which were just read have booked in, and for the sessions that are the visits of
// visitors who were just read.
func (f *Stats) Loaded(l Asker) error {
	if err := f.readJournals(l); err != nil {
		return err
	}
	for _, x := range f.booked { // Their hours were asked for in the round before.
		h := x.site.hourAt(x.Cur.Hour)
		h.Breakdown.adrift = h.Breakdown.adrift || h.Breakdown.absent || x.stale
	}
	clear(f.booked)
	f.booked = f.booked[:0]
	for _, x := range f.fresh {
		if f.settings.Breakdowns == 0 || x.Cur.Events == 0 || x.Cur.Booked == state.NotBooked {
			continue
		}
		h := x.site.hourAt(x.Cur.Hour)
		if !h.Breakdown.loaded() {
			f.askBreakdown(h, l)
			f.drawn++
			f.booked = append(f.booked, x)
			continue
		}
		h.Breakdown.adrift = h.Breakdown.adrift || h.Breakdown.absent || x.stale
	}
	clear(f.fresh)
	f.fresh = f.fresh[:0]
	f.findVisits(l)
	return nil
}

// addBrokenDown folds a record into its session and the breakdowns.
//
// What changes of its session is booked later, for all of the step's records at once. The rows end up the same: an eviction goes
// by events alone, and what is booked to a row that is gone by then goes to other, where the row has taken the rest. Sizes
// do depend on bookings, so all are there before a breakdown is trimmed.
func (f *Stats) addBrokenDown(r *Input) {
	x := r.session
	like := x.like()
	own := f.dims.own(&r.Event, r.Page, &like)
	if x == nil || x.Cur.Events == 0 || x.Cur.Booked == state.NotBooked {
		f.dims.origin(&r.Event, &own)
	}
	if x == nil {
		f.feed(r, &own)
		f.bound(r.hour)
		return
	}
	h := f.unbook(r)
	if x.Cur.Events == 0 && !x.Cur.Erased {
		x.opened(own.first())
	}
	f.addSession(r)
	moved := h != nil && h.start != x.Cur.Hour
	f.feed(r, &own)
	if moved || h != nil && h.Breakdown.adrift { // What is booked of an hour that lacks some may fail, each record's for itself.
		f.bookRest()
	}
	if moved {
		h.Breakdown.unbooked = 0 // The room was taken in the hour that it has left.
	}
	f.bound(r.hour)
	if h != nil && h != r.hour {
		f.bound(h)
	}
}

// bound trims the hour's breakdown if it has grown too large.
func (f *Stats) bound(h *hour) {
	if h.Breakdown.skip == f.step || h.Breakdown.Size()+h.Breakdown.unbooked <= f.settings.BreakdownBytes {
		return
	}
	f.bookRest()
	if h.Breakdown.Size() > f.settings.BreakdownBytes {
		f.markDirty(h)
		h.Breakdown.Trim(f.settings.BreakdownBytes)
		if f.logs(h) {
			h.journal.log.Trim(f.settings.BreakdownBytes)
			f.logged(h)
		}
	}
}

// feed counts the record's own event.
func (f *Stats) feed(r *Input, own *values) {
	h, e := r.hour, &r.Event
	if h.Breakdown.skip == f.step {
		return
	}
	f.markDirty(h)
	size := h.Breakdown.Size()
	first, at := own, (*spots)(nil)
	if x := r.session; x != nil && x.Cur.Booked != state.NotBooked {
		first, at = x.first, x.spotsOf(r)
	}
	hit := sketch.Hit{Visitor: r.Visitor, PageView: e.IsPageView(), HasValue: e.HasValue, Value: e.Value}
	gone := h.Site.Ruled.drops.Has(r.Visitor, h.start)
	if gone {
		said := said(own, first)
		f.feedGone(r, &said, hit)
	} else {
		f.feedRows(r, own, first, at, hit)
	}
	more := max(0, h.Breakdown.Size()-size)
	f.bytes += more
	f.grown += more
	h.journal.fed++
	if !gone && f.logs(h) {
		said := said(own, first)
		h.journal.log.Event(&said, f.position(r), hit)
		f.logged(h)
	}
}

// feedRows counts an event in the rows of its values, which it makes where there are none.
func (f *Stats) feedRows(r *Input, own, first *values, at *spots, hit sketch.Hit) {
	b := r.hour.Breakdown.Breakdown
	for d := range sketch.Dimension(len(own)) {
		value := own[d]
		if ofSession(d) {
			value = first[d]
		}
		switch {
		case value == "":
		case at == nil || value != first[d]:
			b.Event(d, value, f.position(r), hit)
		case !b.Again(d, at.spots[d], hit):
			at.spots[d] = b.Event(d, value, f.position(r), hit)
		}
	}
}

// said returns what an event says in each dimension, or its session said first.
func said(own, first *values) (all [len(values{})]string) {
	all = *own
	for d := range all {
		if ofSession(sketch.Dimension(d)) {
			all[d] = first[d]
		}
	}
	return all
}

// spots are where a session's first values were counted last, for one visitor and one reading of an hour's breakdown: what
// was counted before it was read again may not be in it. Most of the session's events go there again.
type spots struct {
	reading int64
	visitor uint64
	spots   [len(values{})]sketch.Spot
}

// like returns what the session's next event probably says. x may be nil.
func (x *session) like() (v values) {
	if x != nil && x.first != nil {
		v = *x.first
		v[sketch.Page] = x.Cur.Exit.Page
	}
	return v
}

// spotsOf returns the session's spots for the record's hour and visitor.
func (x *session) spotsOf(r *Input) *spots {
	if x.spots == nil {
		x.spots = new(spots)
	}
	if s := x.spots; s.reading != r.hour.Breakdown.reading || s.visitor != r.Visitor {
		*s = spots{reading: r.hour.Breakdown.reading, visitor: r.Visitor}
	}
	return x.spots
}

// markDirty notes that the step changes an hour's breakdown.
func (f *Stats) markDirty(h *hour) {
	if !h.Breakdown.dirty {
		h.Breakdown.dirty = true
		if !f.logs(h) {
			f.bytes += h.Breakdown.Size()
		}
		f.purge(h)
	}
}

// weigh counts the breakdown for what it takes in memory.
func (f *Stats) weigh(h *hour) {
	weight := breakdownBase + h.Breakdown.Size()/breakdownWeight
	f.kept.live += weight - h.Breakdown.weight
	h.Breakdown.weight = weight
	f.kept.weigh(&h.bytes, h.room())
}
