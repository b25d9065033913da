package count

import (
	"cmp"
	"slices"

	"github.com/footfall/footfall/pipeline/state"
)

// maxVisits is how many visits of a visitor are remembered.
const maxVisits = 8

// Visitor is what one partition has of a visitor whose events have no sessionId: the visits, by their last records.
type Visitor struct {
	Visits []state.Visit
	Erased int64 // up to which event time the visitor was erased when they began; 0: not erased
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (x *Visitor) Clone() *Visitor {
	if x == nil {
		return nil
	}
	return &Visitor{slices.Clone(x.Visits), x.Erased}
}

// Last is the greatest event time of the visits.
func (x *Visitor) Last() (t int64) {
	for _, v := range x.Visits {
		t = max(t, v.Last)
	}
	return t
}

// Take adds an event to the visits and returns the position of the first record of its own.
func (x *Visitor) Take(r *Record) int64 {
	t := r.Event.Timestamp
	var open []*state.Visit // that the event may belong to
	for i := range x.Visits {
		v := &x.Visits[i]
		from, to := min(v.Start, t), max(v.Last, t)
		apart := max(v.Start-from, to-v.Last)
		if apart <= r.Settings.VisitGapMs && to-from <= r.Settings.VisitLongestMs {
			open = append(open, v)
		}
	}
	if len(open) > 0 {
		own := slices.MaxFunc(open, func(a, b *state.Visit) int {
			return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.Pos, b.Pos))
		})
		joined := state.Visit{Pos: own.Pos, Start: min(own.Start, t), Last: max(own.Last, t)}
		x.Visits = append(slices.DeleteFunc(x.Visits, func(v state.Visit) bool { return v.Pos == joined.Pos }), joined)
		return joined.Pos
	}
	x.Visits = append(x.Visits, state.Visit{Pos: r.Position, Start: t, Last: t})
	x.Visits = x.Visits[max(0, len(x.Visits)-maxVisits):]
	return r.Position
}
