package pipeline

import (
	"github.com/footfall/footfall/internal/plant"
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

// take admits one more site by a record of that time, unless there are as many as bound. A later hour, at most a day ahead,
// begins with none; a record of an earlier one, at most a day before, counts where the count is. A jump of more than a day in either
// direction, as by a backfill or a wrong clock, moves the hour and keeps the count: no single record closes the
// partition to new sites, and none opens it. The hour moves even if the site is turned away, so that the next hour begins with none.
func (n *NewSites) take(recordTime, bound int64) bool {
	hour := max(recordTime, 0)
	hour -= hour % event.HourMs
	switch ahead := hour - n.Hour; {
	case ahead > newSitesJump && plant.NewSitesJumpResets:
		*n = NewSites{Hour: hour}
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

// admission is what a lane knows of the sites that it has admitted.
type admission struct {
	key         sinks.Key // of the lane's NewSites
	mark        string    // the lane's applied mark
	position    string    // attribute of a site's entry for where it was admitted; "": not this lane's
	asked       bool
	cur, before NewSites // after the records so far, and as the accumulating step began
	fresh       []admitted
	open        []admitted // by the step that is being applied
}

// admitted is a site, and the position of the record by which the accumulating step has admitted it.
type admitted struct {
	*site
	pos int64
}

// admit notes that the lane's step admits a site by the record at pos.
func (a *admission) admit(s *site, lane int, step, pos int64) {
	s.admitted[lane] = step
	s.admitting++
	a.fresh = append(a.fresh, admitted{s, pos})
}

// cut makes the writes by which the accumulating step admits sites.
func (a *admission) cut(keys sinks.Keys, tp sinks.TP, step int64) (writes []write) {
	g := guardOf(a.mark, step)
	for _, x := range a.fresh {
		var set []sinks.Attr
		if a.position != "" {
			set = append(set, sinks.Attr{Name: a.position, Value: sinks.Int(x.pos)})
		}
		writes = append(writes, guarded(sinks.EntitySiteEntry, keys.SiteEntry(x.id), g, nil, set))
	}
	if a.cur != a.before {
		writes = append(writes, guarded(sinks.EntityNewSites, a.key, g, nil, []sinks.Attr{
			{Name: sinks.AttrHour, Value: sinks.Int(a.cur.Hour)}, {Name: sinks.AttrSites, Value: sinks.Int(a.cur.Sites)},
			{Name: sinks.AttrPrevHour, Value: sinks.Int(a.before.Hour)}, {Name: sinks.AttrPrevSites, Value: sinks.Int(a.before.Sites)}}))
	}
	a.before, a.open, a.fresh = a.cur, a.fresh, nil
	return writes
}

// size is how many items the accumulating step writes of the sites that it admits, about.
func (a *admission) size() int { return len(a.fresh) }

// settled says that the step that was cut last is in the table.
func (a *admission) settled() {
	for _, x := range a.open {
		x.admitting--
	}
	a.open = nil
}
