package judge

import (
	"fmt"
	"maps"
	"slices"

	"github.com/footfall/footfall/sketch"
)

// maxRowsListed is how many differing rows of an item are listed.
const maxRowsListed = 10

// compareMerges says in what a sealed dimension is not what the parts come to; full allows it to have given up rows.
func compareMerges(sealed, merge *sketch.BreakdownMerge, full bool) (lines []string) {
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	have, want := byValue(sealed.Rows()), byValue(merge.Rows())
	if h, w := totalCounts(sealed), totalCounts(merge); !sameCounts(h, w) {
		say("all together %s, recount %s", showCounts(h), showCounts(w))
	}
	if f := sealed.Floor(); f != merge.Floor() && (!full || f < merge.Floor()) {
		say("floor %d, recount %d", f, merge.Floor())
	}
	for _, value := range slices.Sorted(maps.Keys(want)) {
		h, ok := have[value]
		w := want[value]
		switch {
		case !ok && full && w.Rank() <= sealed.Floor():
		case !ok:
			say("%q absent, recount %s", value, showCounts(w.Counts))
		case full && h.Events <= w.Events && h.Rank() >= w.Rank():
		case h.Error != w.Error || !sameCounts(h.Counts, w.Counts):
			say("%q %s, error %d, recount %s, error %d", value, showCounts(h.Counts), h.Error, showCounts(w.Counts), w.Error)
		}
	}
	for _, value := range slices.Sorted(maps.Keys(have)) {
		if _, ok := want[value]; !ok {
			say("%q %s, recount absent", value, showCounts(have[value].Counts))
		}
	}
	return lines
}

func byValue(rows []sketch.BreakdownRow) map[string]sketch.BreakdownRow {
	m := make(map[string]sketch.BreakdownRow, len(rows))
	for _, r := range rows {
		m[r.Value] = r
	}
	return m
}

// totalCounts adds up all rows of a merge and its other.
func totalCounts(m *sketch.BreakdownMerge) sketch.Counts {
	var all []string
	for _, r := range m.Rows() {
		all = append(all, r.Value)
	}
	return m.Other(all...)
}

func sameCounts(a, b sketch.Counts) bool {
	visitors := a.Visitors.Equal(b.Visitors)
	a.Visitors, b.Visitors = nil, nil
	return visitors && a == b
}

func showCounts(c sketch.Counts) string {
	n := c.Visitors.Estimate()
	c.Visitors = nil
	return fmt.Sprintf("%+v of %d visitors", c, n)
}
