package judge

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Sealed items repeat figures in plain attributes. Here they are made of the recount.

// comparePlainVisitors compares the number of visitors of a sealed item.
func comparePlainVisitors(c *finding.Comparison, want *made) {
	n, precision := int64(want.visitors.Estimate()), "0.008125" // 1.04 / sqrt(2^14)
	if want.visitors.Entries() >= 0 {
		precision = "0"
	}
	if n > want.events {
		n = want.events
	}
	c.Number(sinks.AttrUniqueVisitors, n)
	c.Text(sinks.AttrUniqueVisitorsError, precision)
}

// comparePlainRate compares the bounce rate of a sealed item, six decimal places at most.
func comparePlainRate(c *finding.Comparison, want count.Sums) {
	rate := ""
	if bounces, sessions := want.Counts[figures.Bounces], want.Counts[figures.Sessions]; sessions > 0 && bounces >= 0 {
		rate = big.NewRat(bounces, sessions).FloatString(6)
		for strings.HasSuffix(rate, "0") {
			rate = rate[:len(rate)-1]
		}
		rate = strings.TrimSuffix(rate, ".")
	}
	c.Text(sinks.AttrBounceRate, rate)
}

// comparePlainRows compares the first ten rows of a dimension, which a sealed breakdown repeats as "number value".
func comparePlainRows(c *finding.Comparison, d sketch.Dimension, rows []sketch.BreakdownRow) {
	if _, chosen := d.Property(); chosen {
		return // Properties have no attributes of their own.
	}
	number := func(r sketch.BreakdownRow) int64 {
		if d == sketch.Page {
			return r.PageViews
		}
		return min(int64(r.Visitors.Estimate()), r.Events)
	}
	before := func(a, b sketch.BreakdownRow) bool {
		if m, n := number(a), number(b); m != n {
			return m > n
		}
		if a.Events != b.Events {
			return a.Events > b.Events
		}
		return a.Value < b.Value
	}
	var first []sketch.BreakdownRow
	for _, r := range rows {
		i := slices.IndexFunc(first, func(f sketch.BreakdownRow) bool { return before(r, f) })
		switch {
		case i >= 0:
			first = slices.Insert(first, i, r)
		case len(first) < 10:
			first = append(first, r)
		}
		first = first[:min(len(first), 10)]
	}
	var lines []string
	for _, r := range first {
		lines = append(lines, strconv.FormatInt(number(r), 10)+" "+r.Value)
	}
	value := sinks.Value{}
	if len(lines) > 0 {
		value = sinks.Strings(lines)
	}
	c.OneOf(sinks.TopAttrs[d], []sinks.Value{value})
}
