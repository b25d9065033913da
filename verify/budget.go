package verify

import (
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// Each chain of the stats lane spends a site's budget of events a second. With a budget of N, the first 60 N events of a minute of
// record time are within it, by the rules as of each record's step. Events of bots that the lists detect are left out.

// spending is the latest minute of record time, and how many events in it were within the budget.
type spending struct{ minute, events int64 }

// Clone returns a copy; of nil, nil.
func (x *spending) Clone() *spending {
	if x == nil {
		return nil
	}
	return new(*x)
}

// budgetJump is the greatest distance from the latest minute, in minutes, at which a record's date is believed.
const budgetJump = 10

// move takes in the minute of a record. It moves to a later minute with nothing spent, and to a minute far away with the present count.
func (x *spending) move(minute int64) {
	ahead := (minute - x.minute) / minuteMs
	if ahead > 0 && ahead <= budgetJump {
		x.events = 0
	}
	if ahead > 0 || ahead < -budgetJump {
		x.minute = minute
	}
}

// spend takes in the next event of a site, and reports whether it is over the budget.
func (s *statsRecount) spend(site *siteRecount, r *record) (over bool) {
	r.over = false
	if r.rules == nil || r.rules.EventsPerSecond == 0 {
		return false
	}
	var latest spending
	if known := site.budget[struct{}{}]; known != nil {
		latest = *known.end
	}
	before := latest
	latest.move(floor(max(r.time, 0), minuteMs))
	if over = latest.events >= 60*r.rules.EventsPerSecond; !over {
		latest.events++
	}
	if latest != before {
		change(&s.step, site.budget, struct{}{}).end = &latest
	}
	r.over = over
	return over
}

// leftBy returns the session that a record beyond the budget names. The record is no event of the session, but an erasure finds its raw
// event under that id.
func leftBy(r *record) string { return string(r.event.SessionID) }

// judgeBudget compares what one partition has spent of a site's budget.
func (v *verifier) judgeBudget(s subject, it sinks.Item) judgement {
	cmp := v.compare(s, it)
	c, when, j, ok := v.part(pipeline.LaneStats, cmp, s.tp)
	if !ok {
		return j
	}
	var states *cell[*spending]
	if site := c.stats.site(s.site); site != nil {
		states = site.budget[struct{}{}]
	}
	want := states.at(when)
	if done := j.settleEarly(it != nil || want != nil, false, c); done {
		return j
	}
	if !cmp.presence(want != nil) {
		cmp.number(sinks.AttrMinute, want.minute)
		cmp.number(sinks.AttrSpent, want.events)
		cmp.ignore(sinks.AttrPrevMinute)
		cmp.ignore(sinks.AttrPrevSpent)
		if it[sinks.AttrMark(pipeline.LaneStats, s.tp)].Int() == c.head.Step {
			before := spending{}
			if was := states.at(atBegin); was != nil {
				before = *was
			}
			cmp.number(sinks.AttrPrevMinute, before.minute)
			cmp.number(sinks.AttrPrevSpent, before.events)
		}
		cmp.common(sinks.EntityBudget, "")
	}
	j.differences = cmp.differences
	return j
}
