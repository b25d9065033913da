package aggregate

import (
	"github.com/footfall/footfall/sketch"
)

// An erasure that includes breakdowns drops the rows that only the visitor made, of all hours that begin at or before its
// instant. That is a step of the fold like any other: the first step of the tombstone's revision, or of a later one, that changes
// an hour's breakdown drops them before it changes anything else, whether it has read the breakdown just now or holds it since
// before the tombstone. From then on the visitor's events make no row in these hours. Dropping rows once more changes nothing
// there, so it does not matter when package erase does the same to the items that no step changes, nor how often: whichever is
// written last, the breakdown is the same, and no row comes back from memory.

// purge drops the rows of an hour that an erasure drops. It comes before the step's first change of the breakdown.
func (b *breakdowns) purge(h *hour) {
	if h.Breakdown.purged == b.rules.Rev {
		return
	}
	h.Breakdown.purged = b.rules.Rev
	b.rule(h.Site)
	gone := h.Site.Ruled.drops.In(h.start)
	if gone == nil {
		return
	}
	whose, _ := h.Breakdown.Purge(gone)
	if b.journals.logs(h) {
		for _, visitor := range whose {
			h.journal.log.Purge(visitor)
		}
	}
}

// feedGone counts the event of a visitor for whom no row is made.
func (b *breakdowns) feedGone(r *Input, said *[len(values{})]string, hit sketch.Hit) {
	h, others := r.hour, uint64(0)
	for d, value := range said {
		if value != "" && !h.Breakdown.EventOfGone(sketch.Dimension(d), value, hit) {
			others |= 1 << d
			said[d] = "" // No log has a text that no row has.
		}
	}
	if b.journals.logs(h) {
		h.journal.log.Event(said, b.position(r), hit)
		if others != 0 {
			h.journal.log.Other(others, hit)
		}
	}
}
