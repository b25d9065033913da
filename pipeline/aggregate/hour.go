package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/internal/additions"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sketch"
)

// hour is a bucket of a site: what the accumulating step adds to it, and this partition's part of its visitors and of its
// breakdown.
type hour struct {
	of        *accumulating // that has asked for it; nil: none has
	Site      *Site
	start     int64 // milliseconds since the epoch; its end is a matter of the site's zone
	step      int64 // last step that touched it
	sums      additions.Sums
	visitors  hourVisitors
	extremes  additions.Extremes
	Breakdown hourBreakdown
	journal   hourJournal
	bytes     int32 // it takes in memory, as it was weighed last
}

// hourVisitors is this partition's part of an hour's visitors.
type hourVisitors struct {
	*sketch.Uniques       // nil until asked for
	mark            int64 // of the hour's stats, when they were read
	asked           bool
	news            bool // the accumulating step added a visitor
	unlogged        bool // a visitor of an event over the budget, which no log of the hour has
	parted          bool // they have an item of their own
	journaled       bool // the journal has visitors that the hour's parts lack
}

// hourBreakdown is this partition's part of an hour's breakdown.
type hourBreakdown struct {
	*sketch.Breakdown       // nil until asked for
	reading           int64 // of the breakdown; no other has this number
	skip              int64 // this step is in the breakdown already: a redo leaves the whole of it out
	purged            int64 // revision of the rules at which rows were last dropped from the breakdown in memory; -1: none
	ruled             int64 // revision of the rules that its numbers of rows are of; -1: none
	pending           pendingEvents
	short             string      // the first booking that took back more than was there; ""
	waiting           waiting     // sessions whose bookings it lacks
	packed            int         // bytes of it as its item has it; 0: none
	mark              int64       // of that item, when it was read
	ttl               plan.Expiry // of that item
	dirty             bool        // the accumulating step changed it
	absent            bool        // there was no item when it was asked for
	adrift            bool        // the item had expired or was gone: it may lack what sessions have booked in it
}

// loaded reports whether the breakdown is in memory, or was asked for.
func (b *hourBreakdown) loaded() bool { return b.Breakdown != nil }

// hourJournal is what the journal has of an hour's breakdown, and what it is to get.
type hourJournal struct {
	log     *sketch.BreakdownLog // what the accumulating step has done to the breakdown; nil: that is not noted
	step    int64                // which step has decided so
	fed     int                  // events that this step has fed
	entries []*lateItem          // that the breakdown's item lacks
	bytes   int                  // of their logs
	busy    bool                 // its last log became too long
}

func (h *hour) LastStep() int64 { return h.step }
func (h *hour) Drop() (bytes int) {
	delete(h.Site.Hours, h.start)
	for _, x := range h.journal.entries {
		x.release()
	}
	if h.Site.lastHour == h {
		h.Site.lastHour = nil
	}
	return int(h.bytes)
}
