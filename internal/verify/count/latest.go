package count

// LatestCount is the latest span of record time, an hour or a minute, and how many were counted in it: new sites, or events within a
// site's budget.
type LatestCount struct{ Start, Count int64 }

// Clone returns a copy; of nil, nil.
func (x *LatestCount) Clone() *LatestCount {
	if x == nil {
		return nil
	}
	return new(*x)
}

// Move takes in the span of a record. It moves to a later span with a count of 0. It moves to a span further away than jump, in either
// direction, with the present count.
func (x *LatestCount) Move(start, jump int64) {
	far := max(start, x.Start)-min(start, x.Start) > jump
	if !far && start > x.Start {
		x.Count = 0
	}
	if far || start > x.Start {
		x.Start = start
	}
}
