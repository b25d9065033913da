package query

import (
	"cmp"
	"slices"

	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/passing"
)

// FilteredTopFigures are the figures that filtered rows can be sorted by, always in descending order: those of TopFigures that they have.
// Rows whose rate or average is not known come last.
var FilteredTopFigures = passing.Figures

// addRows adds a row for each value, in order.
func (a *FilteredTopAnswer) addRows(values passing.Values, total *passing.Sums, scope Scope, goals *passing.GoalScan) {
	keys := make(map[string]passing.SortKey, len(values))
	rated := goals != nil && goals.Rated()
	whole := total.SortKey(a.Sort, rated).Sum.Int64()
	for value, sums := range values {
		key := sums.SortKey(a.Sort, rated)
		if key.Count < int64(a.MinCount) {
			continue
		}
		row := FilteredTopRow{Value: value, FilteredTopCounts: countsOfSums(sums, scope, goals)}
		if passing.HasShares(a.Sort) {
			row.Share = numbers.Ratio(min(key.Sum.Int64(), whole), whole)
		}
		keys[value] = key
		a.Rows = append(a.Rows, row)
	}
	slices.SortFunc(a.Rows, func(x, y FilteredTopRow) int {
		return cmp.Or(keys[y.Value].Compare(keys[x.Value]), cmp.Compare(y.Events, x.Events), cmp.Compare(x.Value, y.Value))
	})
}
