package query

import (
	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/passing"
)

// storedDimension returns the dimension whose breakdowns answer the filters, if they do.
func storedDimension(q *passing.Question) (d breakdowns.Dimension, ok bool) {
	if q.Params.Exact || len(q.Params.Where) != 1 || !q.Params.Where[0].Single() {
		return d, false
	}
	d, err := breakdowns.ParseDimension(q.Params.Where[0].Dimension)
	return d, err == nil && d.CheckChosen(q.Table.Clock.Rules) == nil
}

// figuresOfValues returns the figures of the values that are asked for. ok is false if none has any.
func figuresOfValues(q *passing.Question, t *breakdowns.Sum) (f FilteredFigures, ok bool) {
	counts, uncertain, ok := t.Merge.Together(q.Params.Where[0].Values...)
	f = derived.OfValue(&counts, t.By.D, q.Scope)
	f.Uncertain = uncertain
	if q.Scope == ScopeSessions {
		f.UncertainSessions = t.Merge.Other().Sessions
	}
	return f, ok
}
