// Package pathcount counts the paths of sessions: the pages that they view before or after a page or a goal, by step, or the pairs of their
// entry and exit pages.
package pathcount

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/passing"
	"github.com/footfall/footfall/query/paths"
	"github.com/footfall/footfall/query/ranges"
)

// maxValues bounds the pages of all steps, or the pairs, that are counted: a million take some 100 MB.
const maxValues = 1_000_000

// Count reads the raw events of a question, and counts the paths of the sessions that pass its filters. sessions are those with a path.
func Count(ctx context.Context, q *passing.Question, p paths.Params) (report filters.Report, sessions int64, rows []paths.Row, err error) {
	start := p.Start()
	c := newCounter(p, maxValues)
	q.Paths = &passing.Paths{Page: start.Page, Goal: start.Goal, Before: start.Direction == paths.Before, Steps: p.Steps,
		Ended: c.add}
	q.Bound = c.bound
	if start.Goal != "" {
		if q.Goals, err = passing.NewGoalScan(ctx, q.Table, q.Span); err == nil {
			err = q.Paths.CheckGoal(q.Table.Site, start.Name(), q.Goals)
		}
		if err != nil {
			return q.Report(filters.FromEvents), 0, nil, err
		}
	}
	report, err = q.ReadEvents(ctx, func(int64, []string) []*passing.Sums { return nil })
	if refused, ok := errors.AsType[*filters.Error](err); ok { // Breakdowns have no paths.
		refused.Where = nil
	}
	return report, c.sessions, c.rows(), err
}

// A value is a page, or a pair.
type value struct{ page, exit string }

// A step has the sessions that view each page in it.
type step struct {
	sessions int64 // that came to the step before
	dropOff  int64 // of these, those without a page here
	views    map[value]int64
}

// A counter counts the paths of sessions.
type counter struct {
	paths.Params
	pairs    bool
	most     int // values
	sessions int64
	steps    []step // of pairs, one
}

func newCounter(p paths.Params, most int) *counter {
	c := &counter{Params: p, pairs: p.Start() == paths.Start{}, most: most, steps: make([]step, p.Steps)}
	if c.pairs {
		c.steps = c.steps[:1]
	}
	for i := range c.steps {
		c.steps[i].views = make(map[value]int64)
	}
	return c
}

// add counts the path of a session.
func (c *counter) add(pages []string) {
	c.sessions++
	if c.pairs {
		c.steps[0].sessions++
		c.steps[0].views[value{pages[0], pages[1]}]++
		return
	}
	for i := range c.steps {
		s := &c.steps[i]
		s.sessions++
		if i == len(pages) {
			s.dropOff++
			return
		}
		s.views[value{page: pages[i]}]++
		if i < len(c.Through) && pages[i] != c.Through[i] {
			return
		}
	}
}

// bound refuses more values than fit in memory.
func (c *counter) bound() error {
	n := 0
	for _, s := range c.steps {
		n += len(s.views)
	}
	if n <= c.most {
		return nil
	}
	return &ranges.ParamError{Param: "from", Remedy: fmt.Sprintf("the paths of the range have more than %d pages or pairs of pages: choose a "+
		"later instant, or add a filter", c.most)}
}

// rows are the rows of all steps.
func (c *counter) rows() []paths.Row {
	all := []paths.Row{}
	for i := range c.steps {
		all = c.addStep(all, i)
	}
	return all
}

// addStep adds the rows of a step: the pages that most sessions view, the page that later steps go through, all others, and the drop-off.
func (c *counter) addStep(all []paths.Row, i int) []paths.Row {
	s := c.steps[i]
	row := paths.Row{Step: i + 1, Kind: paths.Page}
	if c.pairs {
		row = paths.Row{Kind: paths.Pair}
	}
	add := func(r paths.Row) {
		if r.Sessions > 0 {
			r.Share = numbers.Ratio(r.Sessions, s.sessions)
			all = append(all, r)
		}
	}
	others := s.sessions - s.dropOff
	for n, v := range s.ordered() {
		if n >= c.Rows && (i >= len(c.Through) || v.page != c.Through[i]) {
			continue
		}
		row.Page, row.ExitPage, row.Sessions = v.page, v.exit, s.views[v]
		others -= row.Sessions
		add(row)
	}
	add(paths.Row{Step: row.Step, Kind: paths.Others, Sessions: others})
	add(paths.Row{Step: row.Step, Kind: paths.DropOff, Sessions: s.dropOff})
	return all
}

// ordered are the values, those of most sessions first.
func (s *step) ordered() []value {
	all := make([]value, 0, len(s.views))
	for v := range s.views {
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b value) int {
		return cmp.Or(cmp.Compare(s.views[b], s.views[a]), cmp.Compare(a.page, b.page), cmp.Compare(a.exit, b.exit))
	})
	return all
}
