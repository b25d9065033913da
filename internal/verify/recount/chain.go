package recount

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/repeats"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Chain is a chain as the table has it, and the recount of its records.
type Chain struct {
	checkpoint.ChainID
	TP      sinks.TP
	Head    checkpoint.Head // that the recount has reached
	Eras    []era           // in order; the last step's own is the head's
	current era             // the last step's

	First        int64       // position of the chain's first record
	Skips        []Skip      // positions that an operator skipped, in order
	Forgotten    []forgotten // those that were folded before
	Gaps         int         // that the chain has passed: what it folded before the last is not what the log holds
	Undecided    bool        // one of them has left a step that may be in some of its items
	next         int64       // position of the next record to recount
	upTo         int64       // up to which position the log is being read
	Last         int64       // position of the last record that was recounted
	Began        int64       // position of the first record, if it was recounted; -1 if not
	Repeats      int64       // duplicates of the last step
	Edge         int64       // position from which the window of duplicates of the step edgeStep reaches
	EdgeStep     int64
	NotRecounted string // why its items cannot be recounted; "": they can
	Ahead        bool   // the log has a record that is dated after a bound which an earlier writer may have had

	seen     repeats.Sightings
	Admitted *admissions
	Stats    *Stats    // of the stats lane
	Realtime *Realtime // of the realtime lane
}

// era says which settings, and which rules of sites, held from a position on.
type era struct {
	From     int64
	Step     int64 // that begins there; 0: the head's own
	settings *checkpoint.Settings
	rules    sites.View
	believed int64 // last record time that a writer of raw events may have believed before their step began
}

// SettingsAt returns the settings of the step that a position belongs to.
func (c *Chain) SettingsAt(position int64) *checkpoint.Settings {
	return c.eraAt(position).settings
}

// RulesAt returns the rules of sites of the step that a position belongs to.
func (c *Chain) RulesAt(position int64) sites.View { return c.eraAt(position).rules }

func (c *Chain) eraAt(position int64) era {
	if position >= c.Head.From {
		return c.current
	}
	for _, e := range slices.Backward(c.Eras) {
		if e.From <= position {
			return e
		}
	}
	return c.current
}

// CutOf returns the end of the last step that an item with this mark is compared at. An absent mark is 0. ahead means that the
// mark is of a step that the chain has not begun.
func (c *Chain) CutOf(mark int64) (when count.Cut, ahead bool) {
	switch {
	case mark > c.Head.Step:
		return count.AtEnd, true
	case mark == c.Head.Step, c.Head.Done:
		return count.AtEnd, false
	}
	return count.AtBegin, false
}

// Settled is the position below which nothing of the chain is on its way any more.
func (c *Chain) Settled() int64 {
	if c.Head.Done {
		return c.Head.To
	}
	return c.Head.From
}

func (c *Chain) settle() {
	c.Admitted.Settle()
	if c.Stats != nil {
		c.Stats.Settle()
	} else {
		c.Realtime.Settle()
	}
}

// meet takes over what the checkpoints say now. Until they are advanced, the recounts are at earlier positions than their chains.
func (v *Model) meet(all checkpoint.ChainStates) error {
	for id, t := range all {
		if t.Head.Step == 0 || !slices.Contains(checkpoint.Lanes, id.Lane) {
			continue
		}
		c := v.Chains[id]
		if c == nil {
			c = &Chain{ChainID: id, TP: sinks.TP{Topic: v.Number, Partition: id.Partition}, Admitted: newAdmissions(), Last: -1, Began: -1}
			if id.Lane == checkpoint.LaneStats {
				c.Stats = newStatsRecount(v, c)
			} else {
				c.Realtime = newRealtimeRecount(v, c)
			}
			if err := v.readEras(c, t); err != nil {
				return err
			}
			v.begin(c, t)
			v.Chains[id] = c
			continue
		}
		if old := c.Head; t.Head.Step < old.Step {
			return fmt.Errorf("partition %d, lane %s: the checkpoint went back from step %d to %d while it was verified: "+
				"was the table restored?", id.Partition, id.Lane, old.Step, t.Head.Step)
		} else if t.Head.Step > old.Step {
			c.settle()
			c.Repeats = 0
			if t.Head.TopicID != old.TopicID {
				c.NotRecounted = "the topic was created again"
			}
			if passed(t) != c.Gaps {
				c.NotRecounted = "the chain has passed a gap"
			}
		}
		if err := v.readEras(c, t); err != nil {
			return err
		}
	}
	for _, t := range all {
		v.Recreated = v.Recreated || t.Head.Base > 0 || t.Head.TopicID != "" && t.Head.TopicID != v.Log.HexID()
	}
	v.order()
	return nil
}

// passed counts the gaps that a chain has passed. What an operator skipped is none of them unless it left a step
// undecided: the log still says which records are not folded.
func passed(t checkpoint.ChainState) (gaps int) {
	for _, h := range t.History {
		if g := h.Gap; g != nil && h.Step <= t.Head.Step && (g.Cause != checkpoint.GapSkipped || g.UndecidedFrom < g.UndecidedTo) {
			gaps++
		}
	}
	return gaps
}

// Skip is what an operator skipped: positions that no step has had, none if all of it lies in a step that is undecided.
type Skip struct {
	Span
	floor int64 // the window of duplicates does not reach below it
	since int64 // from this position on
}

// skippedBy returns what an operator skipped.
func skippedBy(t checkpoint.ChainState) (skips []Skip) {
	for _, h := range t.History {
		if g := h.Gap; g != nil && h.Step <= t.Head.Step && g.Cause == checkpoint.GapSkipped {
			s := Skip{Span{g.UnreadFrom, g.UnreadTo}, g.UnreadTo, h.From}
			if g.SkippedTo > 0 {
				s.floor = g.SkippedTo
			}
			skips = append(skips, s)
		}
	}
	return skips
}

// stretch returns up to where the chain's records can be read in one go, having moved next over what was skipped. The
// window of duplicates does not reach back over that.
func (c *Chain) stretch() (to int64) {
	to = c.Head.To
	for _, s := range c.Skips {
		if s.From <= c.next && c.next < s.To {
			c.next = s.To
			c.seen.Clear(s.To - c.Head.Base)
		}
		if c.next < s.From {
			to = min(to, s.From)
		}
	}
	return to
}

// readEras parses the settings that a chain was folded under.
func (v *Model) readEras(c *Chain, t checkpoint.ChainState) (err error) {
	c.Head = t.Head
	if c.current, err = v.eraOf(t.Head.From, t.Head.Ver, t.Head.Rev); err != nil {
		return err
	}
	c.seen.Widen(c.current.settings.Duplicates)
	v.Log.BatchBytes = c.current.settings.BatchBytes
	c.Eras, c.Gaps, c.Skips, c.Forgotten = c.Eras[:0], passed(t), skippedBy(t), forgottenBy(t)
	c.Undecided = slices.ContainsFunc(t.History, func(h checkpoint.History) bool {
		return h.Gap != nil && h.Step <= t.Head.Step && h.Gap.UndecidedFrom < h.Gap.UndecidedTo
	})
	for _, h := range t.History {
		if h.Step > t.Head.Step {
			break // Newer than the checkpoint that was read.
		}
		e, err := v.eraOf(h.From, h.Ver, h.Rev)
		if err != nil {
			return err
		}
		e.Step = h.Step
		c.Eras = append(c.Eras, e)
		c.seen.Widen(e.settings.Duplicates)
	}
	c.believe()
	return nil
}

// believe finds the last record time that a writer may have believed which ended before the step of its raw events began. It had one
// step being written and the next one accumulating, so its bound may be that of two eras earlier.
func (c *Chain) believe() {
	for i := range c.Eras {
		c.Eras[i].believed = c.Eras[max(i-2, 0)].settings.NotAfter
	}
	c.current.believed = c.current.settings.NotAfter
	if n := len(c.Eras); n > 0 { // The last of them may be the current one.
		c.current.believed = c.Eras[max(n-3, 0)].settings.NotAfter
	}
}

func (v *Model) eraOf(from int64, ver string, rev int64) (e era, err error) {
	e.From = from
	if e.settings, err = v.SettingsOf(ver); err != nil {
		return e, err
	}
	e.rules, err = v.RulesOf(rev)
	return e, err
}

// undecidedFirst reports whether a chain's first step is in the gap: its owner may have ended between the step's intent and
// its history item, and the step could not be done again.
func undecidedFirst(g *checkpoint.Gap) bool {
	return g != nil && g.Step == 1 && g.UndecidedFrom < g.UndecidedTo
}

// begin finds out where a chain begins and how much of it the log still holds.
func (v *Model) begin(c *Chain, t checkpoint.ChainState) {
	c.First = c.Head.From
	switch history := t.History; {
	case len(history) > 0 && history[0].Step == 1:
		c.First = history[0].From
	case len(history) > 0 && undecidedFirst(history[0].Gap):
		c.First = history[0].Gap.UndecidedFrom
	case c.Head.Step > 1 || c.Head.Done:
		key := v.Keys.History(c.TP, c.Lane, 1)
		v.DifferOnce(finding.Difference{Kind: finding.KindHistory, PK: key.PK, SK: key.SK, Attribute: finding.Whole, Table: finding.Absent, Recount: "the chain's first step"})
		c.NotRecounted = "where it begins is not known"
	}
	start, ok := v.Starts[c.Partition]
	switch held := start + c.Head.Base; {
	case !ok:
		c.NotRecounted, c.next = "the topic has no such partition", c.Head.To
	case c.Head.TopicID != v.Log.HexID():
		c.NotRecounted, c.next = "the topic was created again", c.Head.To
	case c.Gaps > 0:
		c.NotRecounted, c.next = "the chain has passed a gap", held
		for _, h := range t.History {
			if h.Gap != nil && h.Step <= t.Head.Step {
				c.First = h.Gap.UnreadTo
			}
		}
	case held > c.First:
		c.NotRecounted = fmt.Sprintf("the log begins at position %d, the chain at %d", held, c.First)
		c.next = held
	default:
		c.next = held
	}
}
