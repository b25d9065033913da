package transition

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// Spending is how many events of a site were within its budget in the latest minute of record time. The zero value is none.
type Spending struct {
	Minute int64 // its start, milliseconds since the epoch
	Events int64
}

// spendingJump is the greatest distance from the latest minute at which a record's date is believed.
const spendingJump = 10 * event.MinuteMs

// Take counts one event of a record of that time, and reports false if the minute has reached bound. A record dated in a later minute, up
// to ten minutes ahead, moves to that minute and begins a new count. A record dated up to ten minutes back belongs to the present
// count. A record dated further ahead or back moves the minute and keeps the count. So a record with a wrong date does not leave the
// site without a budget until that time comes, and wrong and right dates in turn do not renew the budget each time.
func (s *Spending) Take(recordTime, bound int64) bool {
	minute := max(recordTime, 0)
	minute -= minute % event.MinuteMs
	switch {
	case minute > s.Minute+spendingJump, minute < s.Minute-spendingJump:
		s.Minute = minute
	case minute > s.Minute:
		*s = Spending{Minute: minute}
	}
	if s.Events >= bound {
		return false
	}
	s.Events++
	return true
}

// ReadSpending reads the item of a site and partition: the state after its last step, and the state before it.
func ReadSpending(it sinks.Item) (cur, prev Spending) {
	return Spending{it[sinks.AttrMinute].Int(), it[sinks.AttrSpent].Int()}, Spending{it[sinks.AttrPrevMinute].Int(),
		it[sinks.AttrPrevSpent].Int()}
}
