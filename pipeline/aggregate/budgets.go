package aggregate

import (
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/aggregate/transition"
	"github.com/footfall/footfall/sinks"
)

// The rules of a site may set a budget of events a second. Each partition spends the budget by itself, a minute of record time at a
// time: with a budget of N, the first 60 N events of the minute are within it. An event beyond the budget adds to the sums, the
// visitors and the raw events of its site like any other. It touches nothing that needs a state or a row of its own: no session,
// visit, goal or breakdown. It is also counted as over budget. Events of bots that the lists detect touch sums only, and spend nothing.
//
// What is spent is state of the third kind: one item for each partition and site with a budget. A redo begins from the state before
// its step. So the verdict on a record is a function of the log and of the rules that the steps name, wherever steps end.

// budgetBytes is what a budget takes in memory, and in the request that writes it.
const budgetBytes = 128

// budgets are the budgets of the sites that have one.
type budgets struct {
	*accumulating
	touched []*allowance // by the accumulating step
}

// of returns the site's budget by the rules of the accumulating step, events a second; 0: it has none.
func (b *budgets) of(s *Site) int64 {
	return s.Ruled.Budget()
}

func (b *budgets) touch(s *Site, l Asker) {
	if s.budget == nil {
		s.budget = &allowance{site: s}
		b.kept.Take(budgetBytes)
		b.ask(s.budget, l)
	}
	if x := s.budget; x.step != b.step {
		x.step, x.before = b.step, x.cur
		b.touched = append(b.touched, x)
		b.bytes += budgetBytes
	}
}

func (b *budgets) ask(x *allowance, l Asker) {
	key := b.Keys.Budget(x.site.ID, b.TP)
	l.Ask(key, FillFunc(func(it sinks.Item) error {
		if err := damage.CheckCounts(key, it, sinks.BudgetAttrs[:], b.Mark); err != nil {
			return err
		}
		mark := it[b.Mark].Int()
		b.checkMark(key, mark)
		cur, prev := transition.ReadSpending(it)
		if mark == b.step {
			cur = prev
		}
		x.cur, x.before = cur, cur
		return nil
	}))
}

// spend decides whether the site's next record is within the budget.
func (b *budgets) spend(x *allowance, r *Input) bool {
	at := r.Time
	return x.cur.Take(at, 60*b.of(x.site))
}

// budget writes what was spent, unless no event of the step has changed it.
func (c *statsCut) budget(b *allowance) {
	if b.cur == b.before {
		return
	}
	c.p.Writes = append(c.p.Writes, plan.Guarded(sinks.EntityBudget, c.Keys.Budget(b.site.ID, c.TP), c.guard, nil, []sinks.Attr{
		{Name: sinks.AttrMinute, Value: sinks.Int(b.cur.Minute)}, {Name: sinks.AttrSpent, Value: sinks.Int(b.cur.Events)},
		{Name: sinks.AttrPrevMinute, Value: sinks.Int(b.before.Minute)}, {Name: sinks.AttrPrevSpent, Value: sinks.Int(b.before.Events)}}))
}

func (b *allowance) LastStep() int64 { return b.step }
func (b *allowance) Drop() (bytes int) {
	b.site.budget = nil
	return budgetBytes
}
