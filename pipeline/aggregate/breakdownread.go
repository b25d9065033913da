package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// breakdowns feeds the breakdowns of hours.
type breakdowns struct {
	*accumulating
	buckets  *buckets
	journals *journals
	rows     int   // of a breakdown in the accumulating step
	asked    int64 // so far
	texts    Pages
	chosen   []chosen
	grown    int // bytes that breakdowns have grown since they were weighed
	pending  int // bytes that the lists of pending events take, and those of unused ones
	unused   [][]pendingEntry

	uncounted int // max. bytes that the pending events add to breakdowns
}

// begin begins a step, which may have another number of rows.
func (b *breakdowns) begin() {
	if b.settings.Breakdowns != b.rows {
		b.rows = b.settings.Breakdowns
		b.forgetUnfed()
	}
}

// ask reads an hour's breakdown. Where the item carries the very step that is being accumulated, this is a redo
// and the item is the state after the step.
func (b *breakdowns) ask(h *hour, l Asker) {
	b.buckets.want(h, l) // What the journal has of it is of its visitors, too.
	h.Breakdown.Breakdown, h.Breakdown.purged, h.Breakdown.ruled = sketch.NewBreakdown(b.settings.Breakdowns), -1, -1
	b.asked++
	h.Breakdown.reading = b.asked
	key := b.keys.Breakdown(h.Site.ID, &h.Site.names, h.start)
	l.Ask(key, FillFunc(func(it sinks.Item) error {
		if it == nil {
			h.Breakdown.absent = true
			return nil
		}
		h.Breakdown.mayLack = h.Breakdown.mayLack || it.Expired(b.now/1000) || it[sinks.AttrLost(b.TP)].Kind() != sinks.None
		mark := it[b.Mark].Int()
		b.checkMark(key, mark)
		if mark == b.step {
			h.Breakdown.skip = b.step
		}
		part := it[sinks.AttrPart].Bytes()
		if err := b.readBreakdown(h.Site.ID, key, it, h.Breakdown.Breakdown); err != nil {
			return err
		}
		b.weighHour(h)
		h.Breakdown.packed, h.Breakdown.ttl = len(part), plan.ExpiryOf(it)
		b.journals.want(h, it, l)
		return nil
	}))
}

// forgetUnfed forgets the breakdowns that were not there and have been fed nothing, as the step that begins has another number of
// rows: the next owner would make them with that number.
func (b *breakdowns) forgetUnfed() {
	for _, s := range b.Sites {
		for _, h := range s.Hours {
			if h.Breakdown.loaded() && h.Breakdown.absent && h.Breakdown.Empty() {
				h.Breakdown.Breakdown, h.Breakdown.absent = nil, false
			}
		}
	}
}

// chosen is what an event says in the dimension of a property.
type chosen struct {
	d     sketch.Dimension
	value string // "": it has no row, and gets none
}
