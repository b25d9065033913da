package aggregate

import (
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// Cut ends the step: what its sessions have moved is booked, and every state that it touched becomes a write.
func (f *Stats) Cut(now int64) Plan {
	f.bookRest()
	p := Plan{Writes: make([]Write, 0, len(f.sessions)+2*len(f.hours)), Days: make([]Write, 0, len(f.days))}
	p.Counts.GoalsFull, f.goalsFull = f.goalsFull, 0
	c := statsCut{f: f, p: &p, now: now, guard: guardOf(f.Mark, f.step)}
	for i := range f.sessions {
		f.book(&f.sessions[i])
		c.session(&f.sessions[i])
	}
	for i := range f.visitors {
		c.visitor(&f.visitors[i])
	}
	for _, b := range f.budgets {
		c.budget(b)
	}
	c.recents()
	for i := range f.conversions {
		c.conversion(&f.conversions[i])
	}
	for _, h := range f.hours {
		c.hour(h)
	}
	c.entries()
	p.Deletes, f.late.gone = f.late.gone, nil
	for _, d := range f.days {
		c.day(d)
	}
	touched := make([]cached, 0, len(f.sessions)+len(f.visitors)+len(f.hours))
	for i := range f.sessions {
		touched = append(touched, f.sessions[i].session)
	}
	for i := range f.visitors {
		touched = append(touched, f.visitors[i].visitor)
	}
	for _, h := range f.hours {
		touched = append(touched, h)
	}
	for _, b := range f.budgets {
		touched = append(touched, b)
	}
	f.kept.add(f.step, touched)
	clear(f.sessions) // Their room serves the next step.
	clear(f.visitors)
	clear(f.conversions)
	f.conversions = f.conversions[:0]
	f.budgets = nil
	f.hours, f.days, f.sessions, f.visitors, f.bytes, f.grown = nil, nil, f.sessions[:0], f.visitors[:0], 0, 0
	return p
}

// book moves what the session contributes from the buckets of its start before the step to those after it.
func (f *Stats) book(x *touchedSession) {
	for _, b := range []struct {
		state *state.Session
		sign  int64
	}{{&x.before, -1}, {&x.Cur, 1}} {
		if b.state.Events == 0 {
			continue
		}
		h, d := x.site.hourAt(b.state.Hour), x.site.dayAt(b.state.Day)
		f.touchHour(h)
		f.touchDay(d)
		h.sums.book(b.state, b.sign)
		d.sums.book(b.state, b.sign)
	}
}

// statsCut turns touched states into writes.
type statsCut struct {
	f   *Stats
	p   *Plan
	now int64
	guard
	attrs     attrs
	late      map[lateDate][]*hour // that go to the journal
	lateDates []lateDate           // in the order of first touch
	bytes     []byte               // of states of sessions
	pack      sketch.Packer

	opened []recentKey // in the order of first touch
	recent map[recentKey][]string
}

type recentKey struct {
	site   *Site
	minute int64
}

func (c *statsCut) days(s *Site, attr string, def int64) int64 { return s.Ruled.DaysOf(attr, def) }

func (c *statsCut) expired(kind string) { c.p.Counts.expire(kind) }
