package verify

import (
	"fmt"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// arrival is the hour and the day in which one partition counts a visitor as new.
type arrival struct {
	hour, day, last int64 // last is the last day with an event; hour 0: not seen
	erased          int64 // up to which event time the visitor was erased when it began; 0: not erased
}

// Clone returns a copy; of nil, nil.
func (a *arrival) Clone() *arrival {
	if a == nil {
		return nil
	}
	o := *a
	return &o
}

// arrive counts the record's visitor where the visitor is new, if the site has new visitors counted. An event belongs to the visitor's
// present span if it is in none but days that are at most the horizon from it. One that is later than that begins another span. The
// beginning of a span, by the hour, is where its visitor is counted: it moves as earlier events come.
func (s *statsRecount) arrive(site *siteRecount, r *record) {
	if r.rules == nil || !r.rules.NewVisitors {
		return
	}
	tag, id := r.event.Visitor()
	hash := sites.HashVisitor(s.v.hasher, r.event.SiteID, tag, id)
	until := int64(0)
	if r.alias != "" {
		hash = sites.HashErased(s.v.hasher, r.event.SiteID, hash)
	} else if !r.erased.None() && tag == 'v' {
		until = s.v.forgotten(r)
	}
	key := hash.String()
	if site.arrivals[key] == nil {
		s.v.ledger.grow(site.name, weighArrival)
	}
	c := change(&s.step, site.arrivals, key)
	if c.end == nil || c.end.erased < until {
		c.end = &arrival{erased: until}
	}
	a := c.end
	horizon, bounded := int64(sinks.DefaultVisitorDays), true
	if own, ok := r.rules.Days[sinks.AttrVisitorDays]; ok {
		horizon, bounded = own, own >= 0
	}
	if a.hour > 0 && !(bounded && r.day > a.last+horizon*dayMs) {
		if r.hour < a.hour && !(bounded && r.day < a.day-horizon*dayMs) {
			s.addNew(site, a, -1)
			a.hour, a.day = r.hour, r.day
			s.addNew(site, a, 1)
		}
		if r.day > a.last {
			a.last = r.day
		}
		return
	}
	a.hour, a.day, a.last = r.hour, r.day, r.day
	s.addNew(site, a, 1)
}

func (s *statsRecount) addNew(site *siteRecount, a *arrival, sign int64) {
	var own sums
	own.Counts[figures.NewVisitors] = sign
	s.hour(site, a.hour).add(own)
	s.day(site, a.day).add(own)
}

// judgeArrival compares where one partition counts a visitor as new.
func (v *judges) judgeArrival(s subject, it sinks.Item) judgement {
	return marked[*arrival]{
		lane: checkpoint.LaneStats, entity: sinks.EntityArrival,
		cell:  func(c *chain) *cell[*arrival] { return c.stats.site(s.site).arrivals[s.id] },
		there: known[arrival],
		expiry: func(a *arrival) (bool, []sinks.Value) {
			if a == nil {
				return it.Expired(v.now()), nil
			}
			return v.arrivalExpiry(s.site, a)
		},
		fate: func(j *judgement, a *arrival) (*arrival, bool) {
			switch f := v.fateOfArrival(s, a); {
			case f == isSwept && it == nil:
				j.leftOut = becauseErased
				return a, true
			case f == mustBeGone && it == nil:
				*j = nothing
				return nil, true
			case f == mustBeGone:
				return nil, false
			}
			return a, false
		},
		compare: func(cmp *comparison, _ *judgement, x partOfChain[*arrival]) { v.compareArrival(cmp, s, x) },
	}.judge(v, s, it)
}

func (v *judges) compareArrival(c *comparison, s subject, x partOfChain[*arrival]) {
	c.text(sinks.AttrSiteID, s.site)
	c.counted(sinks.AttrErasedUntil, x.want.erased)
	for i, n := range []int64{x.want.hour, x.want.day, x.want.last} {
		c.counted(sinks.ArrivalAttrs[i], n)
	}
	if c.item[sinks.AttrMark(checkpoint.LaneStats, s.tp)].Int() != x.head.Step {
		for _, attr := range sinks.ArrivalAttrs[3:6] {
			if c.ignore(attr); c.item[attr].Kind() != sinks.Number || c.item[attr].Int() < 0 {
				c.differ(attr, show(c.item[attr]), "a time before an earlier step")
			}
		}
		return
	}
	before := x.states.at(atBegin)
	if before == nil || before.erased < x.want.erased { // The step started it over.
		before = new(arrival)
	}
	if _, prev := state.ReadArrival(c.item); prev.Hour == 0 && before.hour > 0 {
		if gone, _ := v.arrivalExpiry(s.site, before); gone { // The item may have been deleted.
			before = new(arrival)
		}
	}
	for i, n := range []int64{before.hour, before.day, before.last} {
		c.counted(sinks.ArrivalAttrs[3+i], n)
	}
}

// counted compares a number that is there even if it is 0.
func (c *comparison) counted(attr string, want int64) {
	c.ignore(attr)
	if got := c.item[attr]; !got.Equal(sinks.Int(want)) {
		c.differ(attr, show(got), fmt.Sprint(want))
	}
}

// arrivalExpiry returns whether an arrival may have expired, and when its item may say that it does.
func (v *rulebook) arrivalExpiry(site string, a *arrival) (gone bool, allowed []sinks.Value) {
	ruled := v.ruledBy(site)
	for _, s := range v.settings {
		for _, own := range ruled {
			days, late := own.DaysOf(sinks.AttrVisitorDays, sinks.DefaultVisitorDays), own.DaysOf(sinks.AttrSessionDays, s.Retention.SessionDays)
			if days < 0 || late < 0 {
				allowed = append(allowed, sinks.Value{})
				continue
			}
			ttl := (a.last + (2+days+late)*dayMs) / 1000
			allowed = append(allowed, sinks.Int(ttl))
			gone = gone || ttl <= v.now()
		}
	}
	return gone, allowed
}

// fateOfArrival returns the fate of an arrival from before the visitor's last tombstone.
func (v *judges) fateOfArrival(s subject, a *arrival) fate {
	known := v.rules.At(v.rules.Rev()).Erased(s.site)
	var hash sites.PersonHash
	if a == nil || known.None() || hash.UnmarshalText([]byte(s.id)) != nil {
		return stays
	}
	until := known.Until(sites.Visitor, hash)
	if until <= a.erased {
		return stays
	}
	last, _ := known.At(sites.Visitor, hash, until)
	return v.fateOf(last.Rev, true)
}

// arrivedAt is the visitor's last day: by the log, or by the item where the log does not have it.
func (v *judges) arrivedAt(s subject, it sinks.Item) (start, end int64) {
	at := it[sinks.AttrLastDay].Int()
	if a := v.statsOf(s).arrivals[s.id].at(atEnd); a != nil {
		at = a.last
	}
	return at - dayMs, at + 2*dayMs
}
