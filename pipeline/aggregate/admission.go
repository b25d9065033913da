package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/sinks"
)

// Admission is which sites a lane has admitted.
type Admission struct {
	Key         sinks.Key // of the lane's NewSites
	Mark        string    // the lane's applied mark
	Position    string    // attribute of a site's entry for where it was admitted; "": not this lane's
	Asked       bool
	Cur, Before transition.NewSites // after the records so far, and as the accumulating step began
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
func (a *Admission) Cut(keys sinks.Keys, tp sinks.TP, step int64) (made []plan.Write) {
	g := plan.GuardOf(a.Mark, step)
	for _, x := range a.fresh {
		var set []sinks.Attr
		if a.Position != "" {
			set = append(set, sinks.Attr{Name: a.Position, Value: sinks.Int(x.pos)})
		}
		made = append(made, plan.Guarded(sinks.EntitySiteEntry, keys.SiteEntry(x.ID), g, nil, set))
	}
	if a.Cur != a.Before {
		made = append(made, plan.Guarded(sinks.EntityNewSites, a.Key, g, nil, []sinks.Attr{
			{Name: sinks.AttrHour, Value: sinks.Int(a.Cur.Hour)}, {Name: sinks.AttrSites, Value: sinks.Int(a.Cur.Sites)},
			{Name: sinks.AttrPrevHour, Value: sinks.Int(a.Before.Hour)}, {Name: sinks.AttrPrevSites, Value: sinks.Int(a.Before.Sites)}}))
	}
	a.Before, a.open, a.fresh = a.Cur, a.fresh, nil
	return made
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
