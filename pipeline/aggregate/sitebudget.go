package aggregate

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// The rules of a site may set a budget of events a second. Each partition spends the budget by itself, a minute of record time at a
// time: with a budget of N, the first 60 N events of the minute are within it. An event beyond the budget adds to the sums, the
// visitors and the raw events of its site like any other. It touches nothing that needs a state or a row of its own: no session,
// visit, goal or breakdown. It is also counted as over budget. Events of bots that the lists detect touch sums only, and spend nothing.
//
// What is spent is state of the third kind: one item for each partition and site with a budget. A redo begins from the state before
// its step. So the verdict on a record is a function of the log and of the rules that the steps name, wherever steps end.

// Spending is how many events of a site were within its budget in the latest minute of record time. The zero value is none.
type Spending struct {
	Minute int64 // its start, milliseconds since the epoch
	Events int64
}

// spendingJump is the greatest distance from the latest minute at which a record's date is believed.
const spendingJump = 10 * event.MinuteMs

// take counts one event of a record of that time, and reports false if the minute has reached bound. A record dated in a later minute, up
// to ten minutes ahead, moves to that minute and begins a new count. A record dated up to ten minutes back belongs to the present
// count. A record dated further ahead or back moves the minute and keeps the count. So a record with a wrong date does not leave the
// site without a budget until that time comes, and wrong and right dates in turn do not renew the budget each time.
func (s *Spending) take(recordTime, bound int64) bool {
	minute := max(recordTime, 0)
	minute -= minute % event.MinuteMs
	switch {
	case minute > s.Minute+spendingJump, minute < s.Minute-spendingJump:
		s.Minute = minute
	case minute > s.Minute:
		*s = Spending{Minute: minute}
	}
	if s.Events >= bound {
		return false
	}
	s.Events++
	return true
}

// ReadSpending reads the item of a site and partition: the state after its last step, and the state before it.
func ReadSpending(it sinks.Item) (cur, prev Spending) {
	return Spending{it[sinks.AttrMinute].Int(), it[sinks.AttrSpent].Int()}, Spending{it[sinks.AttrPrevMinute].Int(),
		it[sinks.AttrPrevSpent].Int()}
}

// allowance is a site's spending in memory.
type allowance struct {
	site        *Site
	cur, before Spending
	step        int64 // last step that touched it
}

// budgetBytes is what a budget takes in memory, and in the request that writes it.
const budgetBytes = 128

// Prepare asks for the spending of the record's site, if the site has a budget.
func (f *Stats) Prepare(r *Input, l Asker) {
	s := f.Sites.Of(r)
	if f.rule(s); f.budget(s) > 0 {
		f.touchBudget(s, l)
	}
}

// budget returns the site's budget by the rules of the accumulating step, events a second; 0: it has none.
func (f *Stats) budget(s *Site) int64 {
	return s.Ruled.Budget()
}

func (f *Stats) touchBudget(s *Site, l Asker) {
	if s.budget == nil {
		s.budget = &allowance{site: s}
		f.kept.live++
		f.kept.bytes += budgetBytes
		f.askBudget(s.budget, l)
	}
	if b := s.budget; b.step != f.step {
		b.step, b.before = f.step, b.cur
		f.budgets = append(f.budgets, b)
		f.bytes += budgetBytes
	}
}

func (f *Stats) askBudget(b *allowance, l Asker) {
	key := f.Keys.Budget(b.site.ID, f.TP)
	l.Ask(key, func(it sinks.Item) error {
		if it != nil {
			var wrong Faults
			wrong.Counts(it, sinks.BudgetAttrs)
			wrong.Mark(it, f.Mark)
			if err := wrong.State(key); err != nil {
				return err
			}
		}
		mark := it[f.Mark].Int()
		f.checkMark(key, mark)
		cur, prev := ReadSpending(it)
		if mark == f.step {
			cur = prev
		}
		b.cur, b.before = cur, cur
		return nil
	})
}

// spend decides whether the site's next record is within the budget.
func (f *Stats) spend(b *allowance, r *Input) bool {
	at := r.Time
	return b.cur.take(at, 60*f.budget(b.site))
}

// addOver counts the record's event as one beyond the budget of its site.
func (r *Input) addOver(h *hour, d *day) {
	h.sums.over++
	d.sums.over++
}

// budget writes what was spent, unless no event of the step has changed it.
func (c *statsCut) budget(b *allowance) {
	if b.cur == b.before {
		return
	}
	c.p.Writes = append(c.p.Writes, guarded(sinks.EntityBudget, c.f.Keys.Budget(b.site.ID, c.f.TP), c.guard, nil, []sinks.Attr{
		{Name: sinks.AttrMinute, Value: sinks.Int(b.cur.Minute)}, {Name: sinks.AttrSpent, Value: sinks.Int(b.cur.Events)},
		{Name: sinks.AttrPrevMinute, Value: sinks.Int(b.before.Minute)}, {Name: sinks.AttrPrevSpent, Value: sinks.Int(b.before.Events)}}))
}

func (b *allowance) lastStep() int64 { return b.step }
func (b *allowance) drop() (weight, bytes int) {
	b.site.budget = nil
	return 1, budgetBytes
}
