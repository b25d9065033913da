package additions

import (
	"github.com/footfall/footfall/sinks"
)

// Extremes are the least and the greatest value among the events of an hour that a partition has seen, in millionths. They are state of
// the second kind, and as with uniques a redo may find its own step in them: taking values in again changes nothing.
type Extremes struct {
	Least, Greatest int64
	Known           bool // there is a value
	News            bool // the accumulating step changed one of them
}

// Take takes a value in.
func (x *Extremes) Take(v int64) {
	if x.Known && x.Least <= v && v <= x.Greatest {
		return
	}
	if !x.Known {
		x.Least, x.Greatest = v, v
	}
	x.Least, x.Greatest = min(x.Least, v), max(x.Greatest, v)
	x.Known, x.News = true, true
}

// Attrs are the attributes of the hour's stats that hold them, if the step changed them.
func (x *Extremes) Attrs(tp sinks.TP, set []sinks.Attr) []sinks.Attr {
	if !x.News {
		return set
	}
	return append(set, sinks.Attr{Name: sinks.AttrLeast(tp), Value: sinks.Int(x.Least)},
		sinks.Attr{Name: sinks.AttrGreatest(tp), Value: sinks.Int(x.Greatest)})
}
