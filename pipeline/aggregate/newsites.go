package aggregate

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

// Admission is which sites a lane has admitted.
type Admission struct {
	Key         sinks.Key // of the lane's NewSites
	Mark        string    // the lane's applied mark
	Position    string    // attribute of a site's entry for where it was admitted; "": not this lane's
	Asked       bool
	Cur, Before NewSites // after the records so far, and as the accumulating step began
	fresh       []admitted
	open        []admitted // by the step that is being applied
}

// admitted is a site, and the position of the record that made the accumulating step admit it.
type admitted struct {
	*Site
	pos int64
}

// Admit notes that the lane's step admits a site by the record at pos.
func (a *Admission) Admit(s *Site, lane int, step, pos int64) {
	s.Admitted[lane] = step
	s.admitting++
	a.fresh = append(a.fresh, admitted{s, pos})
}

// Cut makes the writes that record the sites which the accumulating step admits.
func (a *Admission) Cut(keys sinks.Keys, tp sinks.TP, step int64) (writes []Write) {
	g := guardOf(a.Mark, step)
	for _, x := range a.fresh {
		var set []sinks.Attr
		if a.Position != "" {
			set = append(set, sinks.Attr{Name: a.Position, Value: sinks.Int(x.pos)})
		}
		writes = append(writes, guarded(sinks.EntitySiteEntry, keys.SiteEntry(x.ID), g, nil, set))
	}
	if a.Cur != a.Before {
		writes = append(writes, guarded(sinks.EntityNewSites, a.Key, g, nil, []sinks.Attr{
			{Name: sinks.AttrHour, Value: sinks.Int(a.Cur.Hour)}, {Name: sinks.AttrSites, Value: sinks.Int(a.Cur.Sites)},
			{Name: sinks.AttrPrevHour, Value: sinks.Int(a.Before.Hour)}, {Name: sinks.AttrPrevSites, Value: sinks.Int(a.Before.Sites)}}))
	}
	a.Before, a.open, a.fresh = a.Cur, a.fresh, nil
	return writes
}

// Size is how many items the accumulating step writes of the sites that it admits, about.
func (a *Admission) Size() int { return len(a.fresh) }

// Settled says that the step that was cut last is in the table.
func (a *Admission) Settled() {
	for _, x := range a.open {
		x.admitting--
	}
	a.open = nil
}
