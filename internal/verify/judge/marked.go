package judge

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/recount"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// marked is a kind of item that one partition writes under its applied mark. V is what the recount keeps of it.
type marked[V interface{ Clone() V }] struct {
	lane, entity string
	cell         func(*recount.Chain) *count.Cell[V]
	there        func(V) bool                                          // whether the table has the item
	expiry       func(V) (gone bool, ttls []sinks.Value)               // nil: it never expires
	fate         func(*Judgement, V) (left V, done bool)               // what erasures leave of it; nil: all
	compare      func(*finding.Comparison, *Judgement, partOfChain[V]) // compares the item's own attributes
}

// partOfChain is what the recount of a chain has of an item.
type partOfChain[V interface{ Clone() V }] struct {
	*recount.Chain
	states *count.Cell[V]
	want   V
}

// judge compares an item with what the recount has as of the item's mark.
func (m marked[V]) judge(v *Judges, s Subject, it sinks.Item) Judgement {
	cmp := v.Compare(s, it)
	if it != nil {
		cmp.Key = it.Key()
	}
	c, when, j, ok := v.part(m.lane, cmp, s.TP)
	if !ok {
		return j
	}
	x := partOfChain[V]{Chain: c, states: m.cell(c)}
	x.want = x.states.At(when)
	gone, ttls := false, []sinks.Value{{}}
	if m.expiry != nil {
		gone, ttls = m.expiry(x.want)
	}
	if done := j.settleEarly(it != nil || m.there(x.want), gone, c); done {
		return j
	}
	if m.fate != nil {
		var done bool
		if x.want, done = m.fate(&j, x.want); done {
			return j
		}
	}
	if !cmp.Presence(m.there(x.want)) {
		m.compare(cmp, &j, x)
		cmp.OneOf(sinks.AttrTTL, ttls)
		cmp.Common(m.entity, s.Site)
	}
	j.Differences = cmp.Differences
	return j
}

// leftOf returns what an erasure leaves of what the recount has of an item, by the item's fate. done: the judgement is made.
func leftOf[V any](x *V, it sinks.Item, f scope.Fate, j *Judgement) (left *V, done bool) {
	switch {
	case f == scope.IsSwept && it == nil:
		j.LeftOut = finding.BecauseErased
		return x, true
	case f == scope.MustBeGone && it == nil:
		*j = nothing
		return nil, true
	case f == scope.MustBeGone:
		return nil, false
	}
	return x, false
}

// known reports whether a pointer is not nil.
func known[V any](x *V) bool { return x != nil }
