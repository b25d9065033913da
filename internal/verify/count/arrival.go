package count

// Arrival is the hour and the day in which one partition counts a visitor as new.
type Arrival struct {
	Hour, Day, Last int64 // last is the last day with an event; hour 0: not seen
	Erased          int64 // up to which event time the visitor was erased when it began; 0: not erased
}

// Clone returns a copy; of nil, nil.
func (a *Arrival) Clone() *Arrival {
	if a == nil {
		return nil
	}
	o := *a
	return &o
}
