package verify

import (
	"github.com/footfall/footfall/sinks"
)

// spread is between which values those of some events lie, in millionths.
type spread struct {
	from, to int64
	values   int // how many there are; 0: from and to mean nothing
}

// join takes other values in.
func (s *spread) join(o spread) {
	switch {
	case o.values == 0:
		return
	case s.values == 0:
		*s = o
		return
	}
	if o.from < s.from {
		s.from = o.from
	}
	if o.to > s.to {
		s.to = o.to
	}
	s.values += o.values
}

// spread compares the least and the greatest value of an item. Without values there is neither.
func (c *comparison) spread(least, greatest string, want spread) {
	var from, to sinks.Value
	if want.values > 0 {
		from, to = sinks.Int(want.from), sinks.Int(want.to)
	}
	c.oneOf(least, []sinks.Value{from})
	c.oneOf(greatest, []sinks.Value{to})
}

// valuesOf compares what a partition has in an hour's stats; nil: the partition has nothing of the hour.
func (c *comparison) valuesOf(tp sinks.TP, h *hour) {
	var want spread
	if h != nil {
		want = h.values
	}
	c.spread(sinks.AttrLeast(tp), sinks.AttrGreatest(tp), want)
}
