package seal

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/toprows"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sealed items repeat what people ask for most in attributes that need no decoder. They follow from the other attributes and from the
// stats that the item was sealed under, and no answer uses them.

// plainUniques adds the number of visitors to the attributes of sealed visitors, and the bounce rate of the stats.
func plainUniques(visitors *sketch.Uniques, stats, attrs sinks.Item) sinks.Item {
	events := uint64(max(0, attrs[sinks.AttrEvents].Int()))
	attrs[sinks.AttrUniqueVisitors] = sinks.Int(int64(min(visitors.Estimate(), events)))
	attrs[sinks.AttrUniqueVisitorsError] = sinks.Str(strconv.FormatFloat(visitors.StandardError(), 'f', -1, 64))
	plainRate(attrs, stats)
	return attrs
}

// plainRate adds the bounce rate of stats to attributes, unless there are no sessions.
func plainRate(attrs, stats sinks.Item) {
	bounces, sessions := stats[sinks.AttrBounces].Int(), stats[sinks.AttrSessions].Int()
	if sessions > 0 && bounces >= 0 {
		attrs[sinks.AttrBounceRate] = sinks.Str(sixPlaces(bounces, sessions))
	}
}

// sixPlaces divides, rounded to six decimal places, without trailing zeros.
func sixPlaces(a, b int64) string {
	n := (2_000_000*a + b) / (2 * b)
	text := fmt.Sprintf("%d.%06d", n/1_000_000, n%1_000_000)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// breakdownAttrs are the attributes of a sealed breakdown beside its marks.
func breakdownAttrs(sum *sketch.BreakdownSum, hours int64) (sinks.Item, error) {
	b := sum.Breakdown(sketch.MaxBreakdownBytes)
	packed, err := sketch.PackBreakdown(b)
	if err != nil {
		return nil, err
	}
	attrs := sinks.Item{sinks.AttrPart: sinks.Bytes(packed), sinks.AttrHours: sinks.Int(hours)}
	toprows.Set(attrs, b)
	return attrs, nil
}
