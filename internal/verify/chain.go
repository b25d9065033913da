package verify

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// chain is a chain as the table has it, and the recount of its records.
type chain struct {
	checkpoint.ChainID
	tp      sinks.TP
	head    checkpoint.Head // that the recount has reached
	eras    []era           // in order; the last step's own is the head's
	current era             // the last step's

	first        int64       // position of the chain's first record
	skips        []skip      // positions that an operator skipped, in order
	forgotten    []forgotten // those that were folded before
	gaps         int         // that the chain has passed: what it folded before the last is not what the log holds
	undecided    bool        // one of them has left a step that may be in some of its items
	next         int64       // position of the next record to recount
	upTo         int64       // up to which position the log is being read
	last         int64       // position of the last record that was recounted
	began        int64       // position of the first record, if it was recounted; -1 if not
	repeats      int64       // duplicates of the last step
	edge         int64       // position from which the window of duplicates of the step edgeStep reaches
	edgeStep     int64
	notRecounted string // why its items cannot be recounted; "": they can
	ahead        bool   // the log has a record that is dated after a bound which an earlier writer may have had

	seen     sightings
	admitted *admissions
	stats    *statsRecount    // of the stats lane
	realtime *realtimeRecount // of the realtime lane
}

// era says which settings, and which rules of sites, held from a position on.
type era struct {
	from     int64
	step     int64 // that begins there; 0: the head's own
	settings *checkpoint.Settings
	rules    sites.View
	believed int64 // last record time that a writer of raw events may have believed before their step began
}

// settingsAt returns the settings of the step that a position belongs to.
func (c *chain) settingsAt(position int64) *checkpoint.Settings {
	return c.eraAt(position).settings
}

// rulesAt returns the rules of sites of the step that a position belongs to.
func (c *chain) rulesAt(position int64) sites.View { return c.eraAt(position).rules }

func (c *chain) eraAt(position int64) era {
	if position >= c.head.From {
		return c.current
	}
	for _, e := range slices.Backward(c.eras) {
		if e.from <= position {
			return e
		}
	}
	return c.current
}

// cutOf returns the end of the last step that an item with this mark is compared at. An absent mark is 0. ahead means that the
// mark is of a step that the chain has not begun.
func (c *chain) cutOf(mark int64) (when cut, ahead bool) {
	switch {
	case mark > c.head.Step:
		return atEnd, true
	case mark == c.head.Step, c.head.Done:
		return atEnd, false
	}
	return atBegin, false
}

// settled is the position below which nothing of the chain is on its way any more.
func (c *chain) settled() int64 {
	if c.head.Done {
		return c.head.To
	}
	return c.head.From
}

func (c *chain) settle() {
	c.admitted.settle()
	if c.stats != nil {
		c.stats.settle()
	} else {
		c.realtime.settle()
	}
}

// sameHead reports whether a and b agree in what a comparison depends on.
func sameHead(a, b checkpoint.Head) bool {
	return a.Step == b.Step && a.From == b.From && a.To == b.To && a.Done == b.Done && a.Base == b.Base && a.TopicID == b.TopicID
}

// loadHeads reads all checkpoints and histories of the topic. A checkpoint is read before its histories: only the
// history of its last step may be missing.
func (v *chainAudit) loadHeads(ctx context.Context) (checkpoint.ChainStates, error) {
	all := make(checkpoint.ChainStates)
	pk, prefix := v.keys.Checkpoints(v.number)
	v.read = make(map[sinks.Key]sinks.Item)
	for it, err := range v.items(ctx, sinks.Query{PK: pk, Prefix: prefix}) {
		if err == nil {
			v.read[it.Key()] = it
			err = all.Add(it)
		}
		if err != nil {
			return nil, fmt.Errorf("read the checkpoints: %w", err)
		}
	}
	return all, nil
}

// meet takes over what the checkpoints say now. Until they are advanced, the recounts are at earlier positions than their chains.
func (v *model) meet(all checkpoint.ChainStates) error {
	for id, t := range all {
		if t.Head.Step == 0 || !slices.Contains(checkpoint.Lanes, id.Lane) {
			continue
		}
		c := v.chains[id]
		if c == nil {
			c = &chain{ChainID: id, tp: sinks.TP{Topic: v.number, Partition: id.Partition}, admitted: newAdmissions(), last: -1, began: -1}
			if id.Lane == checkpoint.LaneStats {
				c.stats = newStatsRecount(v, c)
			} else {
				c.realtime = newRealtimeRecount(v, c)
			}
			if err := v.readEras(c, t); err != nil {
				return err
			}
			v.begin(c, t)
			v.chains[id] = c
			continue
		}
		if old := c.head; t.Head.Step < old.Step {
			return fmt.Errorf("partition %d, lane %s: the checkpoint went back from step %d to %d while it was verified: "+
				"was the table restored?", id.Partition, id.Lane, old.Step, t.Head.Step)
		} else if t.Head.Step > old.Step {
			c.settle()
			c.repeats = 0
			if t.Head.TopicID != old.TopicID {
				c.notRecounted = "the topic was created again"
			}
			if passed(t) != c.gaps {
				c.notRecounted = "the chain has passed a gap"
			}
		}
		if err := v.readEras(c, t); err != nil {
			return err
		}
	}
	for _, t := range all {
		v.recreated = v.recreated || t.Head.Base > 0 || t.Head.TopicID != "" && t.Head.TopicID != v.log.HexID()
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

// skip is what an operator skipped: positions that no step has had, none if all of it lies in a step that is undecided.
type skip struct {
	span
	floor int64 // the window of duplicates does not reach below it
	since int64 // from this position on
}

// skippedBy returns what an operator skipped.
func skippedBy(t checkpoint.ChainState) (skips []skip) {
	for _, h := range t.History {
		if g := h.Gap; g != nil && h.Step <= t.Head.Step && g.Cause == checkpoint.GapSkipped {
			s := skip{span{g.UnreadFrom, g.UnreadTo}, g.UnreadTo, h.From}
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
func (c *chain) stretch() (to int64) {
	to = c.head.To
	for _, s := range c.skips {
		if s.from <= c.next && c.next < s.to {
			c.next = s.to
			c.seen.clear(s.to - c.head.Base)
		}
		if c.next < s.from {
			to = min(to, s.from)
		}
	}
	return to
}

// readEras parses the settings that a chain was folded under.
func (v *model) readEras(c *chain, t checkpoint.ChainState) (err error) {
	c.head = t.Head
	if c.current, err = v.eraOf(t.Head.From, t.Head.Ver, t.Head.Rev); err != nil {
		return err
	}
	c.seen.widen(c.current.settings.Duplicates)
	v.log.BatchBytes = c.current.settings.BatchBytes
	c.eras, c.gaps, c.skips, c.forgotten = c.eras[:0], passed(t), skippedBy(t), forgottenBy(t)
	c.undecided = slices.ContainsFunc(t.History, func(h checkpoint.History) bool {
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
		e.step = h.Step
		c.eras = append(c.eras, e)
		c.seen.widen(e.settings.Duplicates)
	}
	c.believe()
	return nil
}

// believe finds the last record time that a writer may have believed which ended before the step of its raw events began. It had one
// step being written and the next one accumulating, so its bound may be that of two eras earlier.
func (c *chain) believe() {
	for i := range c.eras {
		c.eras[i].believed = c.eras[max(i-2, 0)].settings.NotAfter
	}
	c.current.believed = c.current.settings.NotAfter
	if n := len(c.eras); n > 0 { // The last of them may be the current one.
		c.current.believed = c.eras[max(n-3, 0)].settings.NotAfter
	}
}

func (v *model) eraOf(from int64, ver string, rev int64) (e era, err error) {
	e.from = from
	if e.settings, err = v.settingsOf(ver); err != nil {
		return e, err
	}
	e.rules, err = v.rulesOf(rev)
	return e, err
}

func (v *rulebook) settingsOf(ver string) (*checkpoint.Settings, error) {
	if s := v.settings[ver]; s != nil {
		return s, nil
	}
	s, err := checkpoint.ParseSettings(ver)
	if err != nil {
		return nil, err
	}
	v.settings[ver] = &s
	return &s, nil
}

// undecidedFirst reports whether a chain's first step is in the gap: its owner may have ended between the step's intent and
// its history item, and the step could not be done again.
func undecidedFirst(g *checkpoint.Gap) bool {
	return g != nil && g.Step == 1 && g.UndecidedFrom < g.UndecidedTo
}

// begin finds out where a chain begins and how much of it the log still holds.
func (v *model) begin(c *chain, t checkpoint.ChainState) {
	c.first = c.head.From
	switch history := t.History; {
	case len(history) > 0 && history[0].Step == 1:
		c.first = history[0].From
	case len(history) > 0 && undecidedFirst(history[0].Gap):
		c.first = history[0].Gap.UndecidedFrom
	case c.head.Step > 1 || c.head.Done:
		key := v.keys.History(c.tp, c.Lane, 1)
		v.differOnce(Difference{Kind: kindHistory, PK: key.PK, SK: key.SK, Attribute: whole, Table: absent, Recount: "the chain's first step"})
		c.notRecounted = "where it begins is not known"
	}
	start, ok := v.starts[c.Partition]
	switch held := start + c.head.Base; {
	case !ok:
		c.notRecounted, c.next = "the topic has no such partition", c.head.To
	case c.head.TopicID != v.log.HexID():
		c.notRecounted, c.next = "the topic was created again", c.head.To
	case c.gaps > 0:
		c.notRecounted, c.next = "the chain has passed a gap", held
		for _, h := range t.History {
			if h.Gap != nil && h.Step <= t.Head.Step {
				c.first = h.Gap.UnreadTo
			}
		}
	case held > c.first:
		c.notRecounted = fmt.Sprintf("the log begins at position %d, the chain at %d", held, c.first)
		c.next = held
	default:
		c.next = held
	}
}

// checkHead compares the checkpoint itself: its totals with those of the recount, which must have reached its end, and
// its settings with the last history.
func (v *chainAudit) checkHead(c *chain, t checkpoint.ChainState) {
	if c.notRecounted != "" {
		if c.stats != nil {
			v.leaveOut(becauseLog, kindCheckpoint)
		}
		return
	}
	key := v.keys.Checkpoint(c.tp, c.Lane)
	if n := len(t.History); n > 0 && t.Head.Done {
		v.count(kindHistory)
		for _, a := range []struct{ name, head, history string }{
			{"ver", t.Head.Ver, t.History[n-1].Ver},
			{"rev", strconv.FormatInt(t.Head.Rev, 10), strconv.FormatInt(t.History[n-1].Rev, 10)},
			{"base", strconv.FormatInt(t.Head.Base, 10), strconv.FormatInt(t.History[n-1].Base, 10)},
			{"tid", t.Head.TopicID, t.History[n-1].TopicID},
		} {
			if a.head != a.history && t.History[n-1].Step <= t.Head.Step {
				v.differ(Difference{Kind: kindHistory, PK: key.PK, SK: key.SK, Attribute: a.name, Table: a.head,
					Recount: "the last history has " + a.history})
			}
		}
	}
	if c.stats == nil {
		return
	}
	if v.lostSpans.isLost(key, c.tp) {
		v.leaveOut(becauseLost, kindCheckpoint)
		return
	}
	v.count(kindCheckpoint)
	have, want := t.Head.Totals, c.stats.totals
	differ := func(name string, have, want int64) {
		if have != want {
			v.differ(Difference{Kind: kindCheckpoint, PK: key.PK, SK: key.SK, Attribute: "totals." + name,
				Table: strconv.FormatInt(have, 10), Recount: strconv.FormatInt(want, 10)})
		}
	}
	differ("counted", have.Counted, want.Counted)
	differ("duplicate", have.Duplicate, want.Duplicate)
	differ("sessionless", have.Sessionless, want.Sessionless)
	reasons := make(map[event.Reason]bool)
	for _, totals := range []checkpoint.Totals{have, want} {
		for r := range totals.Rejected {
			reasons[r] = true
		}
	}
	for r := range reasons {
		differ("rejected."+string(r), have.Rejected[r], want.Rejected[r])
	}
}

// listGaps adds every gap of the topic's chains to the report.
func (v *chainAudit) listGaps(all checkpoint.ChainStates) {
	for id, t := range all {
		for _, h := range t.History {
			if h.Gap != nil && h.Step <= t.Head.Step {
				v.report.Gaps = append(v.report.Gaps, Gap{id.Partition, id.Lane, *h.Gap})
			}
		}
		if g := t.Head.Gap; g != nil && g.Accepted == "" {
			v.report.Gaps = append(v.report.Gaps, Gap{id.Partition, id.Lane, *g})
		}
	}
	for _, id := range slices.SortedFunc(maps.Keys(all), func(a, b checkpoint.ChainID) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), strings.Compare(a.Lane, b.Lane))
	}) {
		v.listForgotten(id, all[id])
	}
	slices.SortFunc(v.report.Gaps, func(a, b Gap) int {
		return cmp.Or(cmp.Compare(a.Partition, b.Partition), strings.Compare(a.Lane, b.Lane), cmp.Compare(a.Step, b.Step))
	})
}
