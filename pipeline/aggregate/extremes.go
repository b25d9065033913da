package aggregate

import (
	"errors"

	"github.com/footfall/footfall/sinks"
)

// extremes are the least and the greatest value among the events of an hour that a partition has seen, in millionths. They are state of
// the second kind, and as with uniques a redo may find its own step in them: taking values in again changes nothing.
type extremes struct {
	least, greatest int64
	known           bool // there is a value
	news            bool // the accumulating step changed one of them
}

// take takes a value in.
func (x *extremes) take(v int64) {
	if x.known && x.least <= v && v <= x.greatest {
		return
	}
	if !x.known {
		x.least, x.greatest = v, v
	}
	x.least, x.greatest = min(x.least, v), max(x.greatest, v)
	x.known, x.news = true, true
}

// attrs are the attributes of the hour's stats that hold them, if the step changed them.
func (x *extremes) attrs(tp sinks.TP, set []sinks.Attr) []sinks.Attr {
	if !x.news {
		return set
	}
	return append(set, sinks.Attr{Name: sinks.AttrLeast(tp), Value: sinks.Int(x.least)},
		sinks.Attr{Name: sinks.AttrGreatest(tp), Value: sinks.Int(x.greatest)})
}

var errExtremes = errors.New("the least value is above the greatest")

// Extremes reads the least and greatest value that a partition has in an hour's stats. Both are there, or neither: if one of them cannot
// be read, both are added to what is wrong.
func (f *Faults) Extremes(it sinks.Item, tp sinks.TP) (least, greatest int64, known bool) {
	low, high := sinks.AttrLeast(tp), sinks.AttrGreatest(tp)
	var cause error
	switch a, b := it[low].Kind(), it[high].Kind(); {
	case a == sinks.None && b == sinks.None:
		return 0, 0, false
	case a == sinks.None || b == sinks.None:
		cause = sinks.ErrMissing
	case a != sinks.Number || b != sinks.Number:
		cause = sinks.ErrKind
	case it[low].Int() > it[high].Int():
		cause = errExtremes
	default:
		return it[low].Int(), it[high].Int(), true
	}
	f.Add(low, cause)
	f.Add(high, cause)
	return 0, 0, false
}
