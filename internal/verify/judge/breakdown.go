package judge

import (
	"slices"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sketch"
)

// maxRowsListed is how many differing rows of an item are listed.
const maxRowsListed = 10

func compareBreakdown(c *finding.Comparison, v *Judges, s Subject, attr string, want *count.Breakdown) {
	c.Ignore(attr)
	have := new(sketch.Breakdown)
	if err := sketch.UnpackBreakdown(c.Item[attr].Bytes(), have); err != nil {
		c.Differ(attr, "unreadable: "+err.Error(), "a breakdown")
		return
	}
	have, must := v.fateOfRows(s, have, want.Breakdown)
	if have.Equal(must) {
		return
	}
	if want.Short {
		c.Differ(attr, "a breakdown", "a booking takes back more than there is")
	}
	for _, row := range have.Differ(must, maxRowsListed) {
		c.Differ(attr, row, "")
	}
}

// dimensions returns the dimensions of a sealed breakdown and of what it should be made of: all that events always have, and the
// properties that either has.
func (m *made) dimensions(have *sketch.Breakdown) []sketch.Dimension {
	all := have.Properties()
	for _, part := range m.breakdowns {
		all = append(all, part.Properties()...)
	}
	slices.Sort(all)
	return append(sketch.Dimensions(), slices.Compact(all)...)
}
