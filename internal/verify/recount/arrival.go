package recount

import (
	"slices"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/sinks"
)

// arrive counts the record's visitor where the visitor is new, if the site has new visitors counted. An event belongs to the visitor's
// present span if it is in none but days that are at most the horizon from it. One that is later than that begins another span. The
// beginning of a span, by the hour, is where its visitor is counted: it moves as earlier events come.
func (s *Stats) arrive(site *count.Site, r *count.Record) {
	if r.Rules == nil || !r.Rules.NewVisitors {
		return
	}
	tag, id := r.Event.Visitor()
	hash := sites.HashVisitor(s.v.Hasher, r.Event.SiteID, tag, id)
	until := int64(0)
	if r.Alias != "" {
		hash = sites.HashErased(s.v.Hasher, r.Event.SiteID, hash)
	} else if !r.Erased.None() && tag == 'v' {
		until = s.v.Forgotten(r)
	}
	key := hash.String()
	if site.Arrivals[key] == nil {
		s.v.Ledger.grow(site.Name, weighArrival)
	}
	c := count.Change(&s.Step, site.Arrivals, key)
	if c.End == nil || c.End.Erased < until {
		c.End = &count.Arrival{Erased: until}
	}
	a := c.End
	horizon, bounded := int64(sinks.DefaultVisitorDays), true
	if own, ok := r.Rules.Days[sinks.AttrVisitorDays]; ok {
		horizon, bounded = own, own >= 0
	}
	if a.Hour > 0 && !(bounded && r.Day > a.Last+horizon*count.DayMs) {
		before := a.Clone()
		if r.Hour < a.Hour && !(bounded && r.Day < a.Day-horizon*count.DayMs) {
			s.addNew(site, a, -1)
			a.Hour, a.Day = r.Hour, r.Day
			s.addNew(site, a, 1)
		}
		if r.Day > a.Last {
			a.Last = r.Day
		}
		s.comeBack(site, before, a, r)
		return
	}
	a.Hour, a.Day, a.Last, a.Came = r.Hour, r.Day, r.Day, nil
	s.addNew(site, a, 1)
	if r.Settings.Has(sinks.FormatOfReturns) {
		a.Came = []int64{count.Week(r.Day)}
		s.addReturn(site, r.Day, 0, 1)
	}
}

// comeBack counts the visitor in the week of the record, and in later ones once more if the record makes the visitor new in another week.
// Such a correction is booked on the Monday of the week that it is about.
func (s *Stats) comeBack(site *count.Site, before, a *count.Arrival, r *count.Record) {
	if a.Came == nil || !r.Settings.Has(sinks.FormatOfReturns) {
		return
	}
	if week := count.Week(r.Day); week >= count.Week(a.Day) && !slices.Contains(a.Came, week) {
		a.Came = append(a.Came, week)
	}
	on := func(int64) int64 { return r.Day }
	if before.Day != a.Day {
		s.addReturn(site, before.Day, 0, -1)
		s.addReturn(site, a.Day, 0, 1)
		on = count.Monday
	}
	was, is := before.Returns(), a.Returns()
	for weeks, week := range was {
		if is[weeks] != week {
			s.addReturn(site, on(week), weeks, -1)
		}
	}
	for weeks, week := range is {
		if was[weeks] != week {
			s.addReturn(site, on(week), weeks, 1)
		}
	}
}

func (s *Stats) addReturn(site *count.Site, day, weeks, n int64) {
	s.day(site, day).Add(count.Sums{Returns: count.ReturnSums{int(weeks): n}})
}

func (s *Stats) addNew(site *count.Site, a *count.Arrival, sign int64) {
	var own count.Sums
	own.Counts[figures.NewVisitors] = sign
	s.hour(site, a.Hour).Add(own)
	s.day(site, a.Day).Add(own)
}
