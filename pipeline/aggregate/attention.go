package aggregate

import (
	"fmt"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// How long and how far a page was read is counted in the page's row, in the hour of the page view. The session's next events say it, so
// its state has the last page view in the log and what is counted of it. A correction takes back what the state says, under the
// position of the page view, as bookings do.

// maxToNextMs is up to where the time to a session's next event counts.
const maxToNextMs = 30 * event.MinuteMs

// attention counts how pages are read.
type attention struct{ *breakdowns }

// hear counts what a record, which was just folded into its session, says of the page view before it. It returns the hour where that is
// counted; nil: it says nothing.
func (a attention) hear(r *Input, page string) *hour {
	x := r.session
	o := &x.Cur.Open
	if x.Cur.Booked == state.NotBooked {
		*o = state.OpenPage{}
		return nil
	}
	var heard *hour
	if o.Page != "" {
		if k := listen(o, &r.Event, page); k != (sketch.Attention{}) {
			heard = x.site.hourAt(o.Hour())
			a.attend(heard, o, k)
		}
	}
	if r.Page != "" {
		t := r.Event.Timestamp
		*o = state.OpenPage{PageVisit: state.PageVisit{Page: r.Page, At: t, Pos: a.position(r)},
			Shift: int32(r.hour.start - (t - t%event.HourMs))}
	}
	return heard
}

// listen takes into the open page what an event says of it, and returns what that changes.
func listen(o *state.OpenPage, e *event.Event, page string) (k sketch.Attention) {
	if o.Timing == state.AwaitsNext {
		o.Timing = state.NotLater
		if ms := e.Timestamp - o.At; ms > 0 {
			o.Timing, o.TimeMs = state.ToNext, int32(min(ms, maxToNextMs))
			k.Timed, k.TimeMs = 1, int64(o.TimeMs)
		}
	}
	said := e.Engagement()
	if page != o.Page && page != "" {
		return k
	}
	if said.TimeMs != event.Unsaid {
		if o.Timing == state.NotLater {
			k.Timed++
		}
		k.TimeMs += said.TimeMs - int64(o.TimeMs)
		o.Timing, o.TimeMs = state.Engaged, 0
	}
	if said.Scroll != event.Unsaid && said.Scroll >= int64(o.Scroll) {
		if o.Scroll == 0 {
			k.Scrolled, k.Depth = 1, said.Scroll
		} else {
			k.Depth = said.Scroll - int64(o.Scroll-1)
		}
		o.Scroll = uint8(said.Scroll) + 1
	}
	return k
}

// attend adds to the row of an open page, or takes back.
func (a attention) attend(h *hour, o *state.OpenPage, k sketch.Attention) {
	if !a.change(h) {
		return
	}
	if a.journals.logs(h) {
		h.journal.log.Attend(o.Page, o.Pos, k)
		a.journals.logged(h)
	}
	if !h.Breakdown.Attend(o.Page, o.Pos, k) {
		a.lacks(h, o.Pos, fmt.Sprintf("attention %+v to %q", k, o.Page))
	}
}
