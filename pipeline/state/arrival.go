package state

import "github.com/footfall/footfall/sinks"

// Arrival is where a visitor is counted as new, as one partition knows it: the third kind of state, since it decides which hour and day
// count the visitor. Days are named by the beginning of their date in UTC, milliseconds since the epoch.
//
// The zero Arrival is that of a visitor who has not been seen. States are compared by ==.
type Arrival struct {
	Hour    int64 // start of the hour that counts the visitor as new; 0: none does
	Day     int64 // its day
	LastDay int64 // the last day with an event of the visitor
	Erased  int64 // up to which event time the visitor was erased when this began; 0: never erased
	// Weeks has bit i set if the visitor came in the i-th week after the one of Day, up to sinks.MaxReturnWeeks; weeks begin on Mondays. Bit 0
	// is set. 0: not known, since the visitor was new before weeks were kept.
	Weeks int64
}

// Attrs appends the attributes of an item that hold the arrival and the one before the step. Without weeks it leaves those out.
func (a *Arrival) Attrs(before *Arrival, weeks bool, set []sinks.Attr) []sinks.Attr {
	for i, v := range [...]int64{a.Hour, a.Day, a.LastDay, before.Hour, before.Day, before.LastDay, a.Erased} {
		set = append(set, sinks.Attr{Name: sinks.ArrivalAttrs[i], Value: sinks.Int(v)})
	}
	if weeks {
		set = append(set, sinks.Attr{Name: sinks.AttrWeeks, Value: sinks.Int(a.Weeks)},
			sinks.Attr{Name: sinks.AttrPrevWeeks, Value: sinks.Int(before.Weeks)})
	}
	return set
}

// ReadArrival reads an arrival's item: the state after its last step, and the state before it.
func ReadArrival(it sinks.Item) (cur, prev Arrival) {
	erased := it[sinks.AttrErasedUntil].Int()
	return Arrival{it[sinks.AttrHour].Int(), it[sinks.AttrDay].Int(), it[sinks.AttrLastDay].Int(), erased, it[sinks.AttrWeeks].Int()},
		Arrival{it[sinks.AttrPrevHour].Int(), it[sinks.AttrPrevDay].Int(), it[sinks.AttrPrevLastDay].Int(), erased,
			it[sinks.AttrPrevWeeks].Int()}
}
