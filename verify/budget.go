package verify

import (
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// A site's budget of events a second is spent by each chain of the stats lane: of the events that no list takes for a bot's, so many
// of a minute of record time are within it, by the rules as of each record's step.

// spending is the latest minute of record time, and how many events in it were within the budget.
type spending struct{ minute, events int64 }

// Clone returns a copy; of nil, nil.
func (x *spending) Clone() *spending {
	if x == nil {
		return nil
	}
	return new(*x)
}

// budgetJump is how many minutes a record may be dated from the latest minute and still be taken for one of its time.
const budgetJump = 10

// move takes a record's minute in. To a later one it moves with nothing spent; to one far from it, with what was.
func (x *spending) move(minute int64) {
	ahead := (minute - x.minute) / minuteMs
	if ahead > 0 && ahead <= budgetJump {
		x.events = 0
	}
	if ahead > 0 || ahead < -budgetJump {
		x.minute = minute
	}
}

// spend takes the next event of a site in, and reports whether it is over the budget.
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

// leftBy returns the session that a record beyond the budget names, though it is no event of it: by that an erasure finds its
// raw event.
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
