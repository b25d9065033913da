package sites

import (
	"slices"
	"strings"
)

// FunnelCount counts how far visitors come. Give it their events in order, then ask for the steps. Not safe for concurrent use.
//
// An attempt is a sequence of events of one visitor, one for each of the first steps, in order, of which the last lies at most the
// window after the first. A strict funnel takes only attempts whose events follow one another with no other event of the
// visitor between. One event serves one step of an attempt. A visitor has reached a step when any attempt of theirs has, and
// counts once, with the furthest attempt.
//
// It is enough to know, for each step, the latest beginning among the attempts that have reached it: of two attempts at the same
// step the one that began later can do all that the other can, and for longer. So an event costs a comparison for each step,
// and a visitor three numbers for each, whatever they did. The obvious way not taken is to follow the earliest first step alone:
// it misses who came back when the first window had passed, and who came back before.
//
// The time to a step is that of the attempt by which the visitor reached the step first: from its step before, the first time that
// this attempt was there.
type FunnelCount struct {
	steps    []*Matcher
	windowMs int64
	strict   bool
	visitors map[FunnelVisitor]*funnelProgress
}

// FunnelVisitor is whom an event is of: its visitorId, or, where it has none, its sessionId, kept apart so that the two never meet.
type FunnelVisitor struct {
	Session bool // ID is a sessionId
	ID      string
}

// FunnelVisitorOf returns whom an event of these ids is of.
func FunnelVisitorOf(visitorID, sessionID string) FunnelVisitor {
	if visitorID != "" {
		return FunnelVisitor{ID: visitorID}
	}
	return FunnelVisitor{Session: true, ID: sessionID}
}

// FunnelHit is an event as a funnel sees it.
type FunnelHit struct {
	Visitor          FunnelVisitor
	At               int64  // event time, milliseconds since the epoch
	Type, Name, Page []byte // nil: the event has none; they are not kept
}

// funnelProgress is how far a visitor has come: those who never were at the first step have none.
type funnelProgress struct {
	reached int // steps
	at      []stepStanding
}

// stepStanding is what is known of a visitor and a step.
type stepStanding struct {
	began, arrived int64 // of the attempt that has reached the step and began last; began is none where there is none
	took           int64 // ms from the step before, of the attempt that reached the step first
}

const noTime = -1 // Before every event time.

// NewFunnelCount begins to count a funnel, which must be valid; its errors are those of [Funnel.Validate].
func NewFunnelCount(d Funnel) (*FunnelCount, error) {
	if err := d.Validate(); err != nil {
		return nil, err
	}
	c := &FunnelCount{windowMs: d.Window.Milliseconds(), strict: d.Strict, visitors: make(map[FunnelVisitor]*funnelProgress)}
	for _, p := range d.Steps {
		m, err := p.Compile()
		if err != nil {
			return nil, err
		}
		c.steps = append(c.steps, m)
	}
	return c, nil
}

// Add takes the next event. Events of one visitor must come in order.
func (c *FunnelCount) Add(h FunnelHit) {
	v := c.visitors[h.Visitor]
	first := c.steps[0].Matches(h.Type, h.Name, h.Page)
	if v == nil {
		if !first {
			return
		}
		v = c.begin()
		h.Visitor.ID = strings.Clone(h.Visitor.ID) // It may be a piece of a whole page of events, which it would keep.
		c.visitors[h.Visitor] = v
	}
	for i := len(c.steps) - 1; i > 0; i-- { // From the last, so that an event moves an attempt by one step only.
		before := v.at[i-1]
		switch {
		case before.began != noTime && h.At-before.began <= c.windowMs && c.steps[i].Matches(h.Type, h.Name, h.Page):
			if v.reached == i {
				v.reached, v.at[i].took = i+1, h.At-before.arrived
			}
			if c.strict || before.began > v.at[i].began {
				v.at[i].began, v.at[i].arrived = before.began, h.At
			}
		case c.strict:
			v.at[i].began = noTime
		}
	}
	switch {
	case first:
		v.at[0].began, v.at[0].arrived = h.At, h.At
	case c.strict:
		v.at[0].began = noTime
	}
}

func (c *FunnelCount) begin() *funnelProgress {
	v := &funnelProgress{reached: 1, at: make([]stepStanding, len(c.steps))}
	for i := range v.at {
		v.at[i].began = noTime
	}
	return v
}

// FunnelStep is a step's result.
type FunnelStep struct {
	Visitors int64  // that have reached it
	MedianMs *int64 // time from the step before; of an even number the lower of the two in the middle; nil: nobody, or the first step
}

// Steps returns the result of each step as of the events so far.
func (c *FunnelCount) Steps() []FunnelStep {
	steps := make([]FunnelStep, len(c.steps))
	for i := range steps {
		var took []int64
		for _, v := range c.visitors {
			if v.reached > i {
				steps[i].Visitors++
				took = append(took, v.at[i].took)
			}
		}
		if i > 0 && len(took) > 0 {
			slices.Sort(took)
			steps[i].MedianMs = &took[(len(took)-1)/2]
		}
	}
	return steps
}
