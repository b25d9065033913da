package recount

import (
	"github.com/footfall/footfall/internal/verify/count"
)

// Each chain of the stats lane spends a site's budget of events a second. With a budget of N, the first 60 N events of a minute of
// record time are within it, by the rules as of each record's step. Events of bots that the lists detect are left out.

// budgetJump is the greatest distance, in ms, between two minutes in which a later minute begins a count of its own.
const budgetJump = 10 * count.MinuteMs

// spend takes in the next event of a site, and reports whether it is over the budget.
func (s *Stats) spend(site *count.Site, r *count.Record) (over bool) {
	if r.Rules == nil || r.Rules.EventsPerSecond == 0 {
		return false
	}
	var latest count.LatestCount
	if known := site.Budget[struct{}{}]; known != nil {
		latest = *known.End
	}
	before := latest
	latest.Move(count.Floor(max(r.Time, 0), count.MinuteMs), budgetJump)
	if over = latest.Count >= 60*r.Rules.EventsPerSecond; !over {
		latest.Count++
	}
	if latest != before {
		count.Change(&s.Step, site.Budget, struct{}{}).End = &latest
	}
	r.Apart = over
	return over
}

// leftBy returns the session that a record names and is no event of: the record is beyond the budget, of an excluded page, a duplicate
// or rejected. An erasure finds its raw event, where there is one, under that id.
func leftBy(r *count.Record) string { return string(r.Event.SessionID) }
