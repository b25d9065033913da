package verify

// Each chain of the stats lane spends a site's budget of events a second. With a budget of N, the first 60 N events of a minute of
// record time are within it, by the rules as of each record's step. Events of bots that the lists detect are left out.

// budgetJump is the greatest distance, in ms, between two minutes in which a later minute begins a count of its own.
const budgetJump = 10 * minuteMs

// spend takes in the next event of a site, and reports whether it is over the budget.
func (s *statsRecount) spend(site *siteRecount, r *record) (over bool) {
	if r.rules == nil || r.rules.EventsPerSecond == 0 {
		return false
	}
	var latest latestCount
	if known := site.budget[struct{}{}]; known != nil {
		latest = *known.end
	}
	before := latest
	latest.move(floor(max(r.time, 0), minuteMs), budgetJump)
	if over = latest.count >= 60*r.rules.EventsPerSecond; !over {
		latest.count++
	}
	if latest != before {
		change(&s.step, site.budget, struct{}{}).end = &latest
	}
	r.apart = over
	return over
}

// leftBy returns the session that a record names and is no event of: the record is beyond the budget, of an excluded page, a duplicate
// or rejected. An erasure finds its raw event, where there is one, under that id.
func leftBy(r *record) string { return string(r.event.SessionID) }
