package verify

import (
	"github.com/footfall/footfall/sinks"
)

// latestCount is the latest span of record time, an hour or a minute, and how many were counted in it: new sites, or events within a
// site's budget.
type latestCount struct{ start, count int64 }

// Clone returns a copy; of nil, nil.
func (x *latestCount) Clone() *latestCount {
	if x == nil {
		return nil
	}
	return new(*x)
}

// move takes in the span of a record. It moves to a later span with a count of 0. It moves to a span further away than jump, in either
// direction, with the present count.
func (x *latestCount) move(start, jump int64) {
	far := max(start, x.start)-min(start, x.start) > jump
	if !far && start > x.start {
		x.count = 0
	}
	if far || start > x.start {
		x.start = start
	}
}

// countItem is a kind of item that counts in the latest span of record time.
type countItem struct {
	lane, entity string
	attrs        [4]string                        // as in sinks.BudgetAttrs
	recounted    func(*chain) *cell[*latestCount] // nil: the chain has counted nothing
}

// judgeCount compares the count of one chain, and the state before its last step.
func (v *judges) judgeCount(s subject, it sinks.Item, of countItem) judgement {
	cmp := v.compare(s, it)
	c, when, j, ok := v.part(of.lane, cmp, s.tp)
	if !ok {
		return j
	}
	states := of.recounted(c)
	want := states.at(when)
	if done := j.settleEarly(it != nil || want != nil, false, c); done {
		return j
	}
	if !cmp.presence(want != nil) {
		start, count, prevStart, prevCount := of.attrs[0], of.attrs[1], of.attrs[2], of.attrs[3]
		cmp.number(start, want.start)
		cmp.number(count, want.count)
		cmp.ignore(prevStart)
		cmp.ignore(prevCount)
		if it[sinks.AttrMark(of.lane, s.tp)].Int() == c.head.Step {
			before := latestCount{}
			if was := states.at(atBegin); was != nil {
				before = *was
			}
			cmp.number(prevStart, before.start)
			cmp.number(prevCount, before.count)
		}
		cmp.common(of.entity, "")
	}
	j.differences = cmp.differences
	return j
}
