package aggregate

import (
	"fmt"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// A breakdown is second-kind state: it decides nothing but itself. What a session has booked in it is found in the
// session's own state, which is of the third kind, so a redo that leaves out the whole of its step for a breakdown
// corrects the others all the same.
//
// Breakdowns are fed record by record, in the order of positions: first the record's own event, which alone gives a value
// a row, then what the record changes of its session. Neither the time of a flush nor that of a booking
// changes a result.

// feed counts the record's own event.
func (b *breakdowns) feed(r *Input, own *values) {
	h, e := r.hour, &r.Event
	if h.Breakdown.skip == b.step {
		return
	}
	b.markDirty(h)
	b.setRows(h)
	size, counted := h.Breakdown.Size(), b.grown
	first, at := own, (*spots)(nil)
	if x := r.session; x != nil && x.Cur.Booked != state.NotBooked {
		first, at = x.Cur.First, x.spotsOf(r)
	}
	hit := sketch.Hit{Visitor: r.Visitor, PageView: e.IsPageView(), HasValue: e.HasValue, Value: e.Value}
	gone := h.Site.Ruled.drops.Has(r.Visitor, h.start)
	if gone {
		b.count(h)
		said := said(own, first)
		b.feedGone(r, &said, hit)
	} else {
		b.feedRows(r, own, first, at, hit)
	}
	chosen := b.properties(r)
	for i := range chosen {
		b.feedProperty(r, &chosen[i], hit, gone)
	}
	more := max(0, h.Breakdown.Size()-size-(b.grown-counted)) // What count has found is in b.grown.
	b.bytes += more
	b.grown += more
	h.journal.fed++
	if !gone && b.journals.logs(h) {
		said := said(own, first)
		h.journal.log.Event(&said, b.position(r), hit)
	}
	if b.journals.logs(h) {
		for _, x := range chosen {
			h.journal.log.Property(x.d, x.value, b.position(r), hit)
		}
		b.journals.logged(h)
	}
}

// feedRows counts an event in the rows of its values, which it makes where there are none, or leaves it pending.
func (b *breakdowns) feedRows(r *Input, own, first *values, at *spots, hit sketch.Hit) {
	pending := b.pend(r, own, at)
	rows := r.hour.Breakdown.Breakdown
	for d := range sketch.Dimension(len(own)) {
		if pending.has(d) {
			continue
		}
		value := own[d]
		if ofSession(d) {
			value = first[d]
		}
		switch {
		case value == "":
		case at == nil:
			rows.Event(d, value, b.position(r), hit)
		case value != at.value(d, first) || !rows.Again(d, at.spots[d], hit):
			at.counted(d, value, first, rows.Event(d, value, b.position(r), hit))
		}
	}
}

// said returns what an event says in each dimension, or the earliest of its session.
func said(own, first *values) (all [len(values{})]string) {
	all = *own
	for d := range all {
		if ofSession(sketch.Dimension(d)) {
			all[d] = first[d]
		}
	}
	return all
}

// value returns the value that the spot of a dimension is of. first are those of the session's earliest event.
func (s *spots) value(d sketch.Dimension, first *values) string {
	switch d {
	case sketch.Page:
		return s.page
	case sketch.EventName:
		return s.name
	}
	return first[d]
}

// counted notes where an event was counted, unless its value is neither a page, a name nor that of the session's earliest event.
func (s *spots) counted(d sketch.Dimension, value string, first *values, at sketch.Spot) {
	switch {
	case d == sketch.Page:
		s.page = value
	case d == sketch.EventName:
		s.name = value
	case value != first[d]:
		return
	}
	s.spots[d] = at
}

// like returns what the session's next event probably says. x may be nil.
func (x *session) like() (v values) {
	if x != nil && x.Cur.First != nil {
		v = *x.Cur.First
		v[sketch.Page] = x.Cur.Exit.Page
	}
	return v
}

// spotsOf returns the session's spots for the record's hour and visitor.
func (x *session) spotsOf(r *Input) *spots {
	if s := &x.spots; s.reading != r.hour.Breakdown.reading || s.visitor != r.Visitor {
		*s = spots{reading: r.hour.Breakdown.reading, visitor: r.Visitor}
	}
	return &x.spots
}

// markDirty notes that the step changes an hour's breakdown.
func (b *breakdowns) markDirty(h *hour) {
	if !h.Breakdown.dirty {
		h.Breakdown.dirty = true
		if !b.journals.logs(h) {
			b.bytes += h.Breakdown.Size()
		}
		b.purge(h)
	}
}

// setRows gives the hour's breakdown the numbers of rows that the site's rules say, which hold from their revision on.
func (b *breakdowns) setRows(h *hour) {
	if h.Breakdown.ruled != b.rules.Ruled() {
		b.count(h)
		h.Breakdown.ruled = b.rules.Ruled()
		h.Breakdown.SetRows(h.Site.Ruled.BreakdownRows())
	}
}

// trim drops rows of an hour's breakdown if it is too large.
func (b *breakdowns) trim(h *hour) {
	if h.Breakdown.Size() <= b.settings.BreakdownBytes {
		return
	}
	b.markDirty(h)
	h.Breakdown.Trim(b.settings.BreakdownBytes)
	if b.journals.logs(h) {
		h.journal.log.Trim(b.settings.BreakdownBytes)
		b.journals.logged(h)
	}
}

// book adds to a row that was admitted at or before the position, or to the remainder without a row. A correction never takes back
// more than is there. If it would, the item and the sessions do not belong together, and nothing may be written of the hour. Two cases
// are exceptions. A step that a gap left undecided may be in a session's item and not in its hour's: what that session takes back comes
// out of the remainder, which may then be too small for sessions of later steps. An expired hour is not written in any case: it may lack
// what sessions booked later, also after the retention was extended.
func (b *breakdowns) book(h *hour, d sketch.Dimension, value string, at int64, k sketch.Booking) {
	if !b.change(h) {
		return
	}
	if b.journals.logs(h) {
		h.journal.log.Book(d, value, at, k)
		b.journals.logged(h)
	}
	b.count(h)
	if !h.Breakdown.Book(d, value, at, k) {
		b.lacks(h, at, fmt.Sprintf("booking %+v under %s %q", k, d, value))
	}
}

// change begins a change of an hour's breakdown that is not by an event of the hour. It returns false if the breakdown has the whole of
// the step.
func (b *breakdowns) change(h *hour) bool {
	if h.Breakdown.skip == b.step {
		return false
	}
	b.buckets.touchHour(h)
	b.markDirty(h)
	return true
}

// convert adds conversions where book adds, or takes them back.
func (b *breakdowns) convert(h *hour, d sketch.Dimension, value string, at int64, k sketch.Conversions) {
	if k == (sketch.Conversions{}) || !b.change(h) {
		return
	}
	if b.journals.logs(h) {
		h.journal.log.Convert(d, value, at, k)
		b.journals.logged(h)
	}
	b.count(h)
	if !h.Breakdown.Convert(d, value, at, k) {
		b.lacks(h, at, fmt.Sprintf("conversions %+v under %s %q", k, d, value))
	}
}

// lacks notes that an hour's breakdown has less than is to be taken back, unless that may be, as it may for good after an undecided step.
func (b *breakdowns) lacks(h *hour, at int64, what string) {
	if !h.Breakdown.mayLack && b.Undecided == 0 && h.Breakdown.short == "" && b.now < h.start+event.HourMs+shortestRetention {
		h.Breakdown.short = fmt.Sprintf("breakdown of %q at %s: %s by position %d takes back more than there is",
			h.Site.ID, sinks.Hour(h.start), what, at)
	}
}

// shortestRetention is the least that an hour may be kept, in ms.
const shortestRetention = event.DayMs
