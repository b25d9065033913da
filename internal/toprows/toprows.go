// Package toprows makes the attributes in which sealed breakdowns repeat their first rows, for those who read the table without a
// decoder: pages by page views, all else by visitors, of equals those with more events, then those whose value is less. No answer
// uses them. Sealing writes them, and an erasure that drops rows of a sealed breakdown writes them again.
package toprows

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// most is how many rows of a dimension are repeated. With values of at most 253 bytes, 16 dimensions of 10 rows take 44 KB: beside a
// breakdown of 350 KB they fit in an item.
const most = 10

// Set adds the first rows of a breakdown to the attributes of its item.
func Set(it sinks.Item, b *sketch.Breakdown) {
	for _, a := range Attrs(b) {
		if len(a.Value.Strings()) > 0 {
			it[a.Name] = a.Value
		}
	}
}

// Attrs returns the first rows of a breakdown, an attribute for each dimension. The list of a dimension without rows is empty, and the
// item must not have it.
func Attrs(b *sketch.Breakdown) (all []sinks.Attr) {
	for _, d := range sketch.Dimensions() {
		rows, figure := b.Rows(d), visitorsOf
		if d == sketch.Page {
			figure = viewsOf
		}
		slices.SortFunc(rows, func(x, y sketch.BreakdownRow) int {
			return cmp.Or(cmp.Compare(figure(&y), figure(&x)), cmp.Compare(y.Events, x.Events), cmp.Compare(x.Value, y.Value))
		})
		lines := make([]string, 0, most)
		for _, row := range rows[:min(len(rows), most)] {
			lines = append(lines, strconv.FormatInt(figure(&row), 10)+" "+row.Value)
		}
		all = append(all, sinks.Attr{Name: sinks.TopAttrs[d], Value: sinks.Strings(lines)})
	}
	return all
}

func viewsOf(r *sketch.BreakdownRow) int64 { return r.PageViews }

func visitorsOf(r *sketch.BreakdownRow) int64 {
	return int64(min(r.Visitors.Estimate(), uint64(max(0, r.Events))))
}
