package recount

import (
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// sessionOf returns the id of the session that a record belongs to: the producer's, or that of its visit; "" for none.
func (s *Stats) sessionOf(site *count.Site, r *count.Record) string {
	e := r.Event
	switch {
	case e.SessionID != nil:
		return string(e.SessionID)
	case r.Settings.VisitGapMs == 0:
		return ""
	}
	who, until := string(e.VisitorID), int64(0)
	if r.Alias != "" {
		who = r.Alias
	} else {
		until = s.v.Forgotten(r)
	}
	if site.Visitors[who] == nil {
		s.v.Ledger.grow(site.Name, weighVisitor)
	}
	c := count.Change(&s.Step, site.Visitors, who)
	if c.End == nil || c.End.Erased < until {
		c.End = &count.Visitor{Erased: until}
	}
	id := sinks.VisitID{Visitor: sinks.VisitorHash(who), TP: s.Chain.TP}
	id.Position = c.End.Take(r)
	return id.String()
}

// list notes that the record lists the session, if it does.
func (c *Stats) list(x *count.Site, s *count.Session, r *count.Record) {
	if s.Visitor == "" || r.Rules != nil && r.Rules.NoVisitorIndex || s.Listed == 0 && string(r.Event.VisitorID) != s.Visitor {
		return
	}
	days := r.Rules.DaysOf(sinks.AttrSessionDays, r.Settings.Retention.SessionDays)
	expires := s.Kept()/1000 + days*count.DaySeconds
	switch {
	case s.Listed == count.ListedForEver:
		return
	case days == checkpoint.Never:
		s.Listed = count.ListedForEver
	case s.Listed > 0 && expires <= s.Listed*count.DaySeconds:
		return
	default:
		s.Listed = expires/count.DaySeconds + 2
	}
	hour := count.Floor(s.OpenedAt, count.HourMs)
	c.v.Ledger.grow(x.Name, weighListing)
	x.Listings[hour] = append(x.Listings[hour], count.Listing{Session: s.ID, Visitor: s.Visitor, OpenedAt: s.OpenedAt, Position: r.Position,
		Until: s.Listed})
}
