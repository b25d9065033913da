package seal

import (
	"github.com/footfall/footfall/sinks"
)

// values are the least and the greatest value of events, in millionths.
type values struct {
	least, greatest int64
	known           bool // there is a value
}

// add takes a least and a greatest value in, unless they are absent.
func (v *values) add(least, greatest sinks.Value) {
	if least.Kind() != sinks.Number || greatest.Kind() != sinks.Number {
		return
	}
	if !v.known {
		*v = values{least.Int(), greatest.Int(), true}
		return
	}
	v.least, v.greatest = min(v.least, least.Int()), max(v.greatest, greatest.Int())
}

// addHour takes those of all partitions in an hour's stats in.
func (v *values) addHour(it sinks.Item) {
	for name := range it {
		if tp, own := sinks.PartitionOf(sinks.EntityStats, name); own && name == sinks.AttrLeast(tp) {
			v.add(it[name], it[sinks.AttrGreatest(tp)])
		}
	}
}

// in adds them to the attributes of a sealed item.
func (v values) in(attrs sinks.Item) sinks.Item {
	if v.known {
		attrs[sinks.AttrValueMin], attrs[sinks.AttrValueMax] = sinks.Int(v.least), sinks.Int(v.greatest)
	}
	return attrs
}
