package seal

import (
	"testing"

	"github.com/footfall/footfall/sinks"
)

// TestValuesOfHours: a sealed day has the least and the greatest value of all partitions and hours.
func TestValuesOfHours(t *testing.T) {
	a, b := sinks.TP{Topic: 1, Partition: 3}, sinks.TP{Topic: 2, Partition: 14}
	hour := func(tp sinks.TP, least, greatest int64) sinks.Item {
		return sinks.Item{sinks.AttrLeast(tp): sinks.Int(least), sinks.AttrGreatest(tp): sinks.Int(greatest),
			sinks.AttrMark("stats", tp): sinks.Int(7), sinks.AttrValues: sinks.Int(2)}
	}
	both := hour(a, -5, 3)
	both[sinks.AttrLeast(b)], both[sinks.AttrGreatest(b)] = sinks.Int(-7), sinks.Int(2)
	var v values
	v.addHour(sinks.Item{sinks.AttrEvents: sinks.Int(1)})
	if v.known || len(v.in(sinks.Item{})) != 0 {
		t.Errorf("an hour without values has %+v", v)
	}
	for _, it := range []sinks.Item{hour(a, 1, 1), both, {}, hour(b, 2, 9), hour(a, 0, 0)} {
		v.addHour(it)
	}
	if it := v.in(sinks.Item{}); it[sinks.AttrValueMin].Int() != -7 || it[sinks.AttrValueMax].Int() != 9 {
		t.Errorf("five hours have %v, want -7 and 9", it)
	}
}
