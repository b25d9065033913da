package derived

import (
	"github.com/footfall/footfall/query/figures"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/passing"
)

// StoredDimension returns the dimension whose breakdowns answer the filters of a question, if they do.
func StoredDimension(q *passing.Question) (d breakdowns.Dimension, ok bool) {
	if q.Params.Exact || len(q.Params.Where) != 1 || !q.Params.Where[0].Single() {
		return d, false
	}
	d, err := breakdowns.ParseDimension(q.Params.Where[0].Dimension)
	return d, err == nil && d.CheckChosen(q.Table.Clock.Rules) == nil
}

// OfStored returns the figures of the values that are asked for. ok is false if none has any.
func OfStored(q *passing.Question, t *breakdowns.Sum) (f figures.FilteredFigures, ok bool) {
	counts, uncertain, ok := t.Merge.Together(passing.Counted(q.Params.Where[0])...)
	f = OfValue(&counts, t.By.D, q.Scope)
	f.Uncertain = uncertain
	if q.Scope == filters.ScopeSessions {
		f.UncertainSessions = t.Merge.Other().Sessions
	}
	return f, ok
}
