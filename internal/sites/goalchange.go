package sites

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
)

// GoalConflictError reports that a goal of this id exists and differs from the one asked for. It was not changed.
type GoalConflictError struct{ Site, Goal, Have, Want string }

func (e *GoalConflictError) Error() string {
	return fmt.Sprintf("goal %q of site %q already exists as %s, not %s; nothing was changed: use `footfall goal update` to change a goal",
		e.Goal, e.Site, e.Have, e.Want)
}

// UnknownGoalError reports that a site has no goal of that id.
type UnknownGoalError struct{ Site, Goal string }

func (e *UnknownGoalError) Error() string {
	return fmt.Sprintf("site %q has no goal %q: `footfall goal list` lists its goals, `footfall goal create` creates one", e.Site, e.Goal)
}

// GoalChanges are what is to change about a goal; what is nil stays.
type GoalChanges struct {
	Name     *string
	On       *Pattern       // in the place of a duration, if the goal has one
	Duration *time.Duration // in the place of a pattern
	Value    *int64         // millionths
	NoValue  bool           // the goal has no value of its own any more
	Inactive *bool
}

// CreateGoal gives a site another goal. Its number is found here: g.N is ignored. A goal of that id that is there is a
// *GoalConflictError, unless it is as g says: then nothing is changed. One that was deleted comes back as another goal, with another
// number: nothing that was counted of the first is of the second. It may be repeated.
func (d Decision) CreateGoal(ctx context.Context, g Goal) error {
	if err := g.Validate(); err != nil {
		return err
	}
	return d.alter(ctx, func(s *Rules, _ decisionState) (err error) {
		if have := s.Goal(g.ID); have != nil {
			g.N, g.Since = have.N, have.Since
			if !have.Equal(&g) {
				return &GoalConflictError{d.Site, g.ID, have.Meaning(), g.Meaning()}
			}
			return nil
		}
		if g.Since, err = d.since(ctx); err != nil {
			return err
		}
		return d.about(s.AddGoal(g))
	})
}

// UpdateGoal changes a goal, which keeps its number. What was counted stays; a session that has reached it does not reach it again.
func (d Decision) UpdateGoal(ctx context.Context, id string, c GoalChanges) error {
	return d.alter(ctx, func(s *Rules, known decisionState) (err error) {
		have := s.Goal(id)
		if have == nil {
			return &UnknownGoalError{d.Site, id}
		}
		g := c.Apply(*have)
		if err := g.Validate(); err != nil {
			return err
		}
		if !g.Inactive && !known.wasActive(g.N) {
			if g.Since, err = d.since(ctx); err != nil {
				return err
			}
		}
		return d.about(s.SetGoal(g))
	})
}

// DeleteGoal deletes a goal. What was counted stays, under its number. A goal that was deleted already is no error.
func (d Decision) DeleteGoal(ctx context.Context, id string) error {
	return d.alter(ctx, func(s *Rules, known decisionState) error {
		if s.Goal(id) == nil && !known.had(id) {
			return &UnknownGoalError{d.Site, id}
		}
		s.DeleteGoal(id)
		return nil
	})
}

// Apply returns the goal with the changes made.
func (c GoalChanges) Apply(g Goal) Goal {
	if c.Name != nil {
		g.Name = *c.Name
	}
	if c.On != nil {
		g.On, g.DurationMs = *c.On, 0
	}
	if c.Duration != nil {
		g.On, g.DurationMs = Pattern{}, c.Duration.Milliseconds()
	}
	if c.Value != nil {
		g.Value = c.Value
	}
	if c.NoValue {
		g.Value = nil
	}
	if c.Inactive != nil {
		g.Inactive = *c.Inactive
	}
	return g
}

// had reports whether the site has ever had a goal of that id.
func (s decisionState) had(goal string) bool {
	return slices.ContainsFunc(s.history, func(c Revision) bool { return c.Rules.Goal(goal) != nil })
}

// wasActive reports whether sessions could ever reach the goal of that number.
func (s decisionState) wasActive(goal uint64) bool {
	return slices.ContainsFunc(s.history, func(c Revision) bool {
		return c.Rules != nil && slices.ContainsFunc(c.Rules.Goals, func(g Goal) bool { return g.N == goal && !g.Inactive })
	})
}

// since returns from when on what is decided now counts: from the beginning, which is 0, if nothing of the site was counted yet.
func (d Decision) since(ctx context.Context) (int64, error) {
	if counted, err := d.Counted(ctx); err != nil || !counted {
		return 0, err
	}
	return d.Now.UnixMilli(), nil
}

// Counted reports whether the site has figures.
func (d Decision) Counted(ctx context.Context) (bool, error) {
	q := sinks.Query{PK: d.Keys.Site(d.Site), Prefix: sinks.StatsPrefix, Limit: 1, Consistent: true}
	page, err := d.Table.Query(ctx, q)
	if err != nil {
		return false, fmt.Errorf("site %q: look for figures: %w", d.Site, err)
	}
	return len(page.Items) > 0, nil
}

// ParseValue reads a value as people write it, a decimal as in 12.5, into millionths.
func ParseValue(text string) (int64, error) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, places, point := strings.Cut(digits, ".")
	if len(whole) < 1 || len(whole) > 9 || point && len(places) < 1 || len(places) > 6 ||
		strings.Trim(whole+places, "0123456789") != "" {
		return 0, fmt.Errorf("%q is not a value: write a decimal below 1,000,000,000 with at most 6 places, as in 12.5", text)
	}
	n, err := strconv.ParseInt(whole+places+strings.Repeat("0", 6-len(places)), 10, 64)
	if negative {
		n = -n
	}
	return n, err
}
