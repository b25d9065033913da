package judge

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// compareSpread compares the least and the greatest value of an item. Without values there is neither.
func compareSpread(c *finding.Comparison, least, greatest string, want count.Spread) {
	var from, to sinks.Value
	if want.Values > 0 {
		from, to = sinks.Int(want.From), sinks.Int(want.To)
	}
	c.OneOf(least, []sinks.Value{from})
	c.OneOf(greatest, []sinks.Value{to})
}

// compareValues compares what a partition has in an hour's stats; nil: the partition has nothing of the hour.
func compareValues(c *finding.Comparison, tp sinks.TP, h *count.Hour) {
	var want count.Spread
	if h != nil {
		want = h.Values
	}
	compareSpread(c, sinks.AttrLeast(tp), sinks.AttrGreatest(tp), want)
}
