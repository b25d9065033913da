package recount

import (
	"encoding/hex"
	"slices"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// Records that a chain had folded, and that could not be read any more afterwards, may have been passed by an operator. From a step on the
// window of duplicates does not reach below their end, and the recount's does not either. Where they still cannot be read, nothing of
// the chain can be recounted that they have a part in: as if the log began after them.

// pending is the position from which nothing is judged yet.
const pending = 1 << 62

// forgottenBy finds them in what the table says of a chain.
func forgottenBy(t checkpoint.ChainState) (list []forgotten) {
	named := int64(0)
	for _, h := range t.History {
		if h.Forgot != nil && h.Step <= t.Head.Step {
			list, named = append(list, forgotten{Span{h.Forgot.From, h.Forgot.To}, h.From}), h.Step
		}
	}
	if f := t.Head.Forgot; f != nil && f.Step > named { // Of a step that is open, or that is not begun.
		since := int64(pending)
		if f.Step == t.Head.Step {
			since = t.Head.From
		}
		list = append(list, forgotten{Span{f.From, f.To}, since})
	}
	return list
}

// floorAt is the position below which the window of duplicates does not reach when a position is judged.
func (c *Chain) floorAt(position int64) (floor int64) {
	for _, f := range c.Forgotten {
		if f.since <= position {
			floor = max(floor, f.To)
		}
	}
	for _, s := range c.Skips {
		if s.since <= position {
			floor = max(floor, s.floor)
		}
	}
	return floor
}

// SettingsAt returns the settings of the step that a position belongs to.
func (c *Chain) SettingsAt(position int64) *checkpoint.Settings {
	return c.eraAt(position).settings
}

// mapAt is the mapping of the record at a position: see [checkpoint.Maps].
func (c *Chain) mapAt(position int64) string {
	if s := c.SettingsAt(position); s != nil {
		return s.Maps.At(position - c.Head.Base)
	}
	return "" // Nothing is folded yet.
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

// passed counts the gaps that a chain has passed. What an operator skipped is none of them unless it left a step
// undecided: the log still says which records are not folded. Nor is a mirror that has the offsets of its topic.
func passed(t checkpoint.ChainState) (gaps int) {
	for _, h := range t.History {
		if g := h.Gap; g != nil && h.Step <= t.Head.Step && !g.Same && (g.Cause != checkpoint.GapSkipped || g.UndecidedFrom < g.UndecidedTo) {
			gaps++
		}
	}
	return gaps
}

// mirroredBy returns where the chain has continued in mirrors that have the offsets of its topic.
func mirroredBy(t checkpoint.ChainState) (list []mirrored) {
	id := ""
	for _, h := range t.History {
		if h.Gap != nil && h.Gap.Same && h.Step <= t.Head.Step {
			m := mirrored{to: h.Gap.UnreadTo}
			hex.Decode(m.topic[:], []byte(id)) // One that is none is a difference of its history.
			list = append(list, m)
		}
		id = h.TopicID
	}
	return list
}

// topicAt is the id of the topic that a position was folded from, if the log has it.
func (c *Chain) topicAt(position int64, now [16]byte) [16]byte {
	for _, m := range c.mirrors {
		if position < m.to {
			return m.topic
		}
	}
	return now
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

// undecidedFirst reports whether a chain's first step is in the gap: its owner may have ended between the step's intent and
// its history item, and the step could not be done again.
func undecidedFirst(g *checkpoint.Gap) bool {
	return g != nil && g.Step == 1 && g.UndecidedFrom < g.UndecidedTo
}

// saw notes which positions were recounted.
func (c *Chain) saw(first, last int64) {
	if c.Began < 0 {
		c.Began = first
	}
	c.Last = last
}
