package aggregate

import (
	"fmt"

	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// How long and how far a page was read is counted in the page's row, in the hour of the page view. The session's next events say it, so
// its state has the last page view in the log and what is counted of it. A correction takes back what the state says, under the
// position of the page view, as bookings do.

// attention counts how pages are read.
type attention struct{ *breakdowns }

// addReading counts what a record, which was just folded into its session, says of how the page before it was read. It returns the hour
// in which that is counted; nil: the record says nothing of it.
func (a attention) addReading(r *Input, page string) *hour {
	x := r.session
	o := &x.Cur.Open
	if x.Cur.Booked == state.NotBooked {
		*o = state.OpenPage{}
		return nil
	}
	var readIn *hour
	if o.Page != "" {
		if k := transition.UpdateOpenPage(o, &r.Event, page); k != (sketch.Attention{}) {
			readIn = x.site.hourAt(o.Hour())
			a.attend(readIn, o, k)
		}
	}
	if r.Page != "" {
		t := r.Event.Timestamp
		*o = state.OpenPage{PageVisit: state.PageVisit{Page: r.Page, At: t, Pos: a.position(r)},
			Shift: int32(r.hour.start - (t - t%event.HourMs))}
	}
	return readIn
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
