package transition

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// NewSites is how many sites a lane has admitted in the latest hour of record time that had one. The zero value is none.
type NewSites struct {
	Hour  int64 // its start, milliseconds since the epoch
	Sites int64
}

// newSitesJump is how far ahead of the hour before an hour may be to begin with no new sites.
const newSitesJump = event.DayMs

// Take admits one more site by a record of that time, unless there are as many as bound. A later hour, at most a day ahead,
// begins with none; a record of an earlier one, at most a day before, counts where the count is. A jump of more than a day in either
// direction, as by a backfill or a wrong clock, moves the hour and keeps the count: no single record closes the
// partition to new sites, and none opens it. The hour moves even if the site is turned away, so that the next hour begins with none.
func (n *NewSites) Take(recordTime, bound int64) bool {
	hour := max(recordTime, 0)
	hour -= hour % event.HourMs
	switch ahead := hour - n.Hour; {
	case ahead > newSitesJump, ahead < -newSitesJump:
		n.Hour = hour
	case ahead > 0:
		*n = NewSites{Hour: hour}
	}
	if n.Sites >= bound {
		return false
	}
	n.Sites++
	return true
}

// ReadNewSites reads the item of a partition and lane: the state after its last step, and the one before.
func ReadNewSites(it sinks.Item) (cur, prev NewSites) {
	return NewSites{it[sinks.AttrHour].Int(), it[sinks.AttrSites].Int()}, NewSites{it[sinks.AttrPrevHour].Int(), it[sinks.AttrPrevSites].Int()}
}
