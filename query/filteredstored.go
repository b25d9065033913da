package query

import (
	"github.com/footfall/footfall/query/internal/breakdowns"
	"github.com/footfall/footfall/query/internal/derived"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/sketch"
)

// storedDimension returns the dimension whose breakdowns answer the filters, if they do.
func storedDimension(q *passing.Question) (d breakdowns.Dimension, ok bool) {
	if q.Params.Exact || len(q.Params.Where) != 1 || !q.Params.Where[0].Single() {
		return d, false
	}
	d, err := breakdowns.ParseDimension(q.Params.Where[0].Dimension)
	return d, err == nil && d.CheckChosen(q.Table.Clock.Rules) == nil
}

// figuresOfValue returns the figures of the value that is asked for. ok is false if it has none.
func figuresOfValue(q *passing.Question, t *breakdowns.Sum) (f FilteredFigures, ok bool) {
	counts := sketch.Counts{Visitors: sketch.NewRow()}
	f.Uncertain = t.Merge.Floor()
	for _, row := range t.Merge.Rows() {
		if row.Value == q.Params.Where[0].Value {
			counts, f.Uncertain, ok = row.Counts, row.Error, true
		}
	}
	uncertain := f.Uncertain
	f = derived.OfValue(&counts, t.By.D, q.Scope)
	f.Uncertain = uncertain
	if q.Scope == ScopeSessions {
		f.UncertainSessions = t.Merge.Other().Sessions
	}
	return f, ok
}
