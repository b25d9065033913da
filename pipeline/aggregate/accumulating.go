package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/sinks"
)

// accumulating is the step that the stats lane accumulates: where it runs, under which settings and rules, and about how many bytes
// its requests have. All parts of the lane share it.
type accumulating struct {
	Place
	StatsOptions
	step  int64
	rules sites.View
	bytes int
	kept  arena.Cohorts // the states in memory
	keys  sinks.Speller
}

// StatsOptions are how a stats lane begins.
type StatsOptions struct {
	Base      int64                            // of the lane: position = offset + base
	Epoch     int64                            // of the chain, as this owner took it over
	Again     int64                            // the step that is a redo; 0: none
	Undecided int64                            // end of the last step that a gap left undecided: its writes may be in the table in part
	Journal   Journal                          // when old hours are journaled
	Overtaken func(item sinks.Key, mark int64) // has the chain looked at, since a state was read that is ahead of the fold
}

// position is the record's position in the lane.
func (a *accumulating) position(r *Input) int64 { return r.Offset + a.Base }

// rule gives the site the rules of the accumulating step.
func (a *accumulating) rule(s *Site) {
	if !s.Ruled.known || s.Ruled.rev != a.rules.Rev || s.Ruled.of != a.rules.Ruled() {
		erased := a.rules.Erased(s.ID)
		s.Ruled = ruled{a.rules.Site(s.ID).In(s.Zone), erased, sites.IndexDrops(erased.Drops()), a.rules.Rev, a.rules.Ruled(), true}
		s.last.hour, s.last.day = nil, nil // They may end elsewhere now.
	}
}

// checkMark looks at the mark of a state that was read. One that is ahead of the fold, or level with a step that is no redo,
// was written by another owner, who has done this step and perhaps gone on. Our updates would be refused; but our lists
// of recent sessions, which are put without a guard since they are the same in every redo, would lack sessions, and
// states of both owners together are none that ever were.
func (a *accumulating) checkMark(key sinks.Key, mark int64) {
	if mark > a.step || mark == a.step && a.step != a.Again {
		a.Overtaken(key, mark)
	}
}

// Journal sets when a step writes an old hour's change to the journal instead of rewriting the hour's breakdown. It affects cost
// only: queries answer the same under any values. The zero value means DefaultJournal.
//
// A journal entry is an item with the operations that one step applied to the hours of one date; see package journal. The owner of the
// partition writes it, under the step's number. The owner also merges it: a later step that rewrites the breakdown of an hour
// includes all earlier entries of that hour. The owner deletes an entry in the step after the one that merged the last of its
// hours has settled. Entries that no owner deletes expire with their hours.
type Journal struct {
	MinItem int // min. bytes of an hour's packed breakdown for the journal to be used
	Share   int // max. bytes of a step's log: the breakdown's / Share; of all logs of an hour: the breakdown's * Share; 0: unlimited
	Entries int // number of entries at which an hour is merged
}

// DefaultJournal: an entry costs a unit to write and one to delete, and its hour a rewrite once in 64 entries. That pays from
// some 8 units an item on. A log compresses to half, so an hour is rewritten at the latest when twice its size is in the journal.
var DefaultJournal = Journal{MinItem: 8 << 10, Share: 4, Entries: 64}
