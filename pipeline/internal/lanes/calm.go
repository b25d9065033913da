package lanes

import "time"

// CalmEvents is for how many records an item of the realtime lane is worth writing at each interval. A lane that has fewer is calm:
// its flush waits for further ticks until it has as many, or until the next tick would come later than the longest interval after the
// flush's first record. So each number is visible one longest interval after its event, and busy partitions do not wait.
//
// When a flush ends decides no number: its intent records its positions, and a repeated flush ends exactly there. A site does not have
// an interval of its own: a flush must not leave events to a later one, whose redo reads only its own positions and would not
// find them.
const CalmEvents = 16

// Waits reports whether the lane is so calm that its flush can wait for the next tick, or so far behind that it should: numbers of a
// backlog come later then, but flushes of more records write each session and each hour less often.
func (l *Lane) Waits(now time.Time, behind bool) bool {
	if l.Taken.Records == 0 || l.Redo {
		return false
	}
	if behind && now.Add(l.Interval).Sub(l.Taken.waiting) <= l.BehindMax {
		return true
	}
	if l.Longest <= l.Interval {
		return false
	}
	items, _ := l.Fold.Size()
	return l.Taken.Records < CalmEvents*items && now.Add(l.Interval).Sub(l.Taken.waiting) <= l.Longest
}
