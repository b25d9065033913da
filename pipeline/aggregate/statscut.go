package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/sinks"
)

// Cut ends the step: what its sessions have moved is booked, and every state that it touched becomes a write.
func (f *Stats) Cut(now int64) plan.Plan {
	p := plan.Plan{Writes: make([]plan.Write, 0, f.sessions.touched.Len()+2*len(f.buckets.hours)),
		Days: make([]plan.Write, 0, len(f.buckets.days))}
	c := &statsCut{accumulating: &f.accumulating, p: &p, now: now, guard: plan.GuardOf(f.Mark, f.step),
		uniques: sinks.AttrUniques(f.TP)}
	sessions := sessionsCut{statsCut: c, texts: arena.Arena{Piece: writePiece}}
	for t := range f.sessions.touched.All() {
		f.buckets.addSession(t)
		sessions.session(t)
	}
	for i := range f.visits.touched {
		c.visitor(&f.visits.touched[i])
	}
	for i := range f.arrivals.touched {
		c.arrival(&f.arrivals.touched[i])
	}
	for _, b := range f.budgets.touched {
		c.budget(b)
	}
	sessions.openings()
	c.recents(&sessions.recent)
	c.visitorLists(&sessions.lists)
	for i := range f.goals.noted {
		c.conversion(&f.goals.noted[i])
	}
	hours := hoursCut{statsCut: c, hours: f.buckets.hours, journals: &f.journals, ledger: &f.ledger}
	hours.cut()
	f.ledger.reset()
	for _, d := range f.buckets.days {
		c.day(d)
	}
	p.Deletes, f.journals.gone = f.journals.gone, nil
	p.Counts.GoalsFull = f.goals.full
	f.end()
	return p
}

// end hands the states that the step has touched to the cohorts, and empties the parts for the next step.
func (f *Stats) end() {
	touched := make([]arena.Cached, 0, f.sessions.touched.Len()+len(f.visits.touched)+len(f.arrivals.touched)+len(f.buckets.hours)+
		len(f.budgets.touched))
	for t := range f.sessions.touched.All() {
		touched = append(touched, t.session)
	}
	for i := range f.visits.touched {
		touched = append(touched, f.visits.touched[i].visitor)
	}
	for i := range f.arrivals.touched {
		touched = append(touched, f.arrivals.touched[i].arrival)
	}
	for _, h := range f.buckets.hours {
		touched = append(touched, h)
	}
	for _, b := range f.budgets.touched {
		touched = append(touched, b)
	}
	f.kept.Add(f.step, touched)
	f.sessions.listed.reset()
	f.sessions.touched.Reset()
	clear(f.visits.touched) // Their room serves the next step.
	clear(f.arrivals.touched)
	clear(f.goals.noted)
	f.visits.touched, f.arrivals.touched = f.visits.touched[:0], f.arrivals.touched[:0]
	f.arrivals.changes = 0
	f.goals.noted, f.goals.full = f.goals.noted[:0], 0
	f.budgets.touched, f.buckets.hours, f.buckets.days = nil, nil, nil
	f.bytes, f.breakdowns.grown = 0, 0
}
