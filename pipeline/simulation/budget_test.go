package simulation_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// Budgets of sites in a simulation. Some minutes have more events of a site than the smallest budget, and rules with and without a budget
// take turns.

// throngs dates a stretch of the records in one minute of record time, most of them of one site. Some are dated in the minute before or
// after, and a few so far back that they move the minute back. It reports whether this seed has such a minute. Seeds with a crowd have
// none: most sessions of the crowd would be beyond the budget.
func throngs(seed uint64, records []record) bool {
	dice := rand.New(rand.NewPCG(seed, 12))
	if dice.IntN(2) == 0 || slices.ContainsFunc(records, func(r record) bool { return r.Crowd }) {
		return false
	}
	from := dice.IntN(len(records) / 4)
	minute := records[from].At.Truncate(time.Minute)
	for i := range records[from:min(len(records), from+250)] {
		r := &records[from+i]
		r.At = minute.Add(time.Duration(i%60) * time.Second)
		switch dice.IntN(120) {
		case 0, 1:
			r.At = r.At.Add(-time.Minute)
		case 2:
			r.At = r.At.Add(-time.Duration(11+dice.IntN(3)) * time.Minute)
		case 3:
			minute = minute.Add(time.Minute)
		}
		if dice.IntN(4) > 0 {
			r.Value = bytes.Replace(r.Value, []byte(`"siteId":"site-1"`), []byte(`"siteId":"site-0"`), 1)
		}
	}
	return true
}

// ration gives a site a budget, or removes it.
func (s *simulation) ration() {
	s.rule("site-0", func(r *sites.Rules) { r.EventsPerSecond = []int64{0, 1, 1, 1, 2}[s.dice.IntN(5)] })
}

// budgets notes what a process writes to budget items.
func (e *eye) budgets(u sinks.Update) {
	if attr(u.Add, sinks.AttrOverBudgetEvents).Int() > 0 {
		e.cover.Hit(onOverBudget)
	}
}
