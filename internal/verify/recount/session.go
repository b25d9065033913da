package recount

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/sketch"
)

// session takes a session's record in, and returns the session before it, nil for none, and after it. What the session
// contributes to the hour and the day of its start is taken out as it was and put in as it is: the start may have moved.
func (s *Stats) session(site *count.Site, id string, r *count.Record) (before, now *count.Session) {
	e := r.Event
	c := count.Change(&s.Step, site.Sessions, id)
	if c.End == nil {
		c.End = &count.Session{Site: site.Name, ID: id, OpenedAt: e.Timestamp, StartedAt: e.Timestamp, EndedAt: e.Timestamp,
			Hour: r.Hour, Day: r.Day, Booked: r.Position}
		if rate := r.Settings.Bots.Rate; rate > 0 {
			c.End.Rush.Take(e.Timestamp, rate)
		}
		s.v.Ledger.grow(site.Name, weighSession+weighOpening)
		s.decide(c.End, r)
		minute := count.Floor(e.Timestamp, count.MinuteMs)
		switch {
		case r.Gone:
			c.End.Erase()
		case r.Rules == nil || !r.Rules.NoRecent:
			site.Opened[minute] = append(site.Opened[minute], count.Opening{Session: c.End.ID, Position: r.Position})
		}
	} else {
		before = c.End.Clone()
		s.book(site, c.End, -1)
		if e.Timestamp < c.End.StartedAt {
			s.decide(c.End, r)
		}
	}
	s.belong(c.End, r)
	c.End.See(r)
	s.list(site, c.End, r)
	s.book(site, c.End, 1)
	return before, c.End
}

// decide has a record, whose event is the earliest of its session, say what the session is booked under.
func (s *Stats) decide(x *count.Session, r *count.Record) {
	if r.Settings.Breakdowns == 0 || x.Booked == count.NotBooked {
		return
	}
	x.First = s.textsOf(r)
	x.First[sketch.Page] = ""
}

func (s *Stats) book(site *count.Site, x *count.Session, sign int64) {
	var own count.Sums
	own.Counts[figures.Sessions], own.Counts[figures.DurationMs] = sign, sign*x.DurationMs()
	own.Counts[figures.Bounces], own.Counts[figures.Engaged] = sign*count.OneIf(x.Bounce()), sign*count.OneIf(x.Engaged())
	s.hour(site, x.Hour).Add(own)
	s.day(site, x.Day).Add(own)
}
