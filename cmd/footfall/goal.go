package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// goalHelp says what goals are, wherever one is made or changed.
const goalHelp = `A session or visit reaches a goal once, with its first matching event in the order of the log: an event that matches --on, or the
event at which the session has lasted for --duration. Bots reach no goals. --on is one of
` + sites.PatternForms + `;
regular expressions have the syntax of https://pkg.go.dev/regexp/syntax and at most 256 bytes. Case matters.

A conversion is worth --value, or by default the value of the event (nothing for a duration). It is counted in the hour and day of its
event. footfall query goals prints the counts, footfall query conversions each conversion.

Processes apply a change within 30 seconds, with their next flush, whose events may be some minutes old. Earlier counts stay.`

func newGoalCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "goal",
		Short: "Create, change, delete, show and list goals of a site",
		Long:  goalHelp,
		Example: `  footfall goal create shop.example bought --on page:/thanks
  footfall goal create shop.example signup --on 'event:form name:signup' --value 12.5
  footfall goal create shop.example stayed --duration 3m`,
	}
	cmd.AddCommand(newGoalCreateCommand(a), newGoalListCommand(a), newGoalShowCommand(a), newGoalUpdateCommand(a), newGoalDeleteCommand(a))
	return cmd
}

// goalFlags are the flags that say what a goal is, and how it is decided.
type goalFlags struct {
	on, name, value, output string
	duration                time.Duration
	ifRevision              int64
}

func (g *goalFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.on, "on", "", "events that reach the goal, as in page:/thanks")
	f.DurationVar(&g.duration, "duration", 0, "session duration that reaches the goal, as in 3m")
	f.StringVar(&g.name, "name", "", "display name")
	f.StringVar(&g.value, "value", "", "what a conversion is worth, as in 12.5 (default: the event's own value)")
	cmd.MarkFlagsMutuallyExclusive("on", "duration")
	mayBeEmpty(f, "name")
	g.addDecision(cmd)
}

// addDecision adds the flags that all decisions about goals have.
func (g *goalFlags) addDecision(cmd *cobra.Command) {
	addRevision(cmd.Flags(), &g.ifRevision)
	cmd.Flags().StringVarP(&g.output, "output", "o", string(show.Table), "table, json or csv")
	complete(cmd, "output", show.Formats...)
}

// check refuses what is wrong whatever the site has.
func (g *goalFlags) check(f *pflag.FlagSet) error {
	if _, err := readRevision(f, &g.ifRevision); err != nil {
		return err
	}
	if err := show.Format(g.output).Check(); err != nil {
		return usagef("%w", err)
	}
	return nil
}

// changes are what the flags that were set say.
func (g *goalFlags) changes(f *pflag.FlagSet) (c sites.GoalChanges, err error) {
	if f.Changed("name") {
		c.Name = &g.name
	}
	if f.Changed("on") {
		on, err := sites.ParsePattern(g.on)
		if err != nil {
			return c, usagef("--on %w", err)
		}
		c.On = &on
	}
	if f.Changed("duration") {
		if g.duration < time.Millisecond || g.duration > sites.MaxGoalDuration || g.duration%time.Millisecond != 0 {
			return c, usagef("--duration %v: give whole milliseconds, 1ms to %v", g.duration, sites.MaxGoalDuration)
		}
		c.Duration = &g.duration
	}
	if f.Changed("value") {
		value, err := sites.ParseValue(g.value)
		if err != nil {
			return c, usagef("--value %w", err)
		}
		c.Value = &value
	}
	return c, nil
}

// decide opens the table, has a decision made about a goal, and prints what the goal is then.
func (g *goalFlags) decide(a *app, cmd *cobra.Command, args []string, decision func(context.Context, sites.Decision) error) error {
	return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
		only, err := readRevision(cmd.Flags(), &g.ifRevision)
		if err != nil {
			return err
		}
		d := sites.Decision{Table: t, Site: args[0], Now: time.Now(), IfRevision: only}
		if err := decision(ctx, d); err != nil {
			return err
		}
		answer, err := query.New(t, sinks.Keys{}, time.Now).Goal(ctx, query.GoalParams{Site: args[0], Goal: args[1], Consistent: true})
		if err != nil {
			return err
		}
		return show.Print(a.plainIfTerminal(), a.err, show.Format(g.output), answer)
	})
}

func newGoalCreateCommand(a *app) *cobra.Command {
	var g goalFlags
	var inactive bool
	cmd := &cobra.Command{
		Use:   "create SITE GOAL",
		Short: "Create a goal of a site",
		Long: goalHelp + `

A site has at most 50 goals. If the goal exists with other values, the command changes nothing and ends with exit code 1. Creating it
again with the same values has no effect. The id of a deleted goal makes a new goal that starts from zero: a session that has reached
the old goal may reach the new one.`,
		Example: `  footfall goal create shop.example bought --on page:/thanks --name "Bought something"
  footfall goal create shop.example items --on 'page-regexp:^/item/[0-9]+$' --value 0.1
  footfall goal create shop.example stayed --duration 3m`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.check(cmd.Flags()); err != nil {
				return err
			}
			c, err := g.changes(cmd.Flags())
			if err != nil {
				return err
			}
			if c.On == nil && c.Duration == nil {
				return usagef("nothing reaches the goal: give --on, as in --on page:/thanks, or --duration, as in --duration 3m")
			}
			c.Inactive = &inactive
			goal := c.Apply(sites.Goal{ID: args[1]})
			if err := goal.Validate(); err != nil {
				return usagef("%w", err)
			}
			return g.decide(a, cmd, args, func(ctx context.Context, d sites.Decision) error { return d.CreateGoal(ctx, goal) })
		},
	}
	g.add(cmd)
	cmd.Flags().BoolVar(&inactive, "inactive", false, "no session reaches it until goal update --active")
	return cmd
}

func newGoalUpdateCommand(a *app) *cobra.Command {
	var g goalFlags
	var active, inactive, noValue bool
	cmd := &cobra.Command{
		Use:   "update SITE GOAL",
		Short: "Change a goal",
		Long: `Change the given values; the others stay. The goal keeps its number and its counts. A session that has reached it does not reach it
again after the change. To start from zero, delete the goal and create it again.

` + goalHelp,
		Example: `  footfall goal update shop.example bought --on page-prefix:/thanks
  footfall goal update shop.example bought --inactive
  footfall goal update shop.example signup --no-value --if-revision 17`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.check(cmd.Flags()); err != nil {
				return err
			}
			c, err := g.changes(cmd.Flags())
			if err != nil {
				return err
			}
			if active || inactive {
				c.Inactive = &inactive
			}
			c.NoValue = noValue
			if c == (sites.GoalChanges{}) {
				return usagef("there is nothing to change: name it, as in --on page:/thanks")
			}
			return g.decide(a, cmd, args, func(ctx context.Context, d sites.Decision) error { return d.UpdateGoal(ctx, args[1], c) })
		},
	}
	g.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&active, "active", false, "sessions may reach it")
	f.BoolVar(&inactive, "inactive", false, "no session reaches it until it is active again")
	f.BoolVar(&noValue, "no-value", false, "a conversion is worth the value of its event")
	cmd.MarkFlagsMutuallyExclusive("active", "inactive")
	cmd.MarkFlagsMutuallyExclusive("value", "no-value")
	return cmd
}

func newGoalDeleteCommand(a *app) *cobra.Command {
	var g goalFlags
	cmd := &cobra.Command{
		Use:   "delete SITE GOAL",
		Short: "Delete a goal",
		Long: `Delete a goal: no session reaches it any more. Its counts stay and appear in query goals; its conversions stay until they expire. Its
number is not used again. Deleting it again has no effect.`,
		Example: "  footfall goal delete shop.example bought",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := g.check(cmd.Flags()); err != nil {
				return err
			}
			return g.decide(a, cmd, args, func(ctx context.Context, d sites.Decision) error { return d.DeleteGoal(ctx, args[1]) })
		},
	}
	g.addDecision(cmd)
	return cmd
}

func newGoalShowCommand(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:     "show SITE GOAL",
		Short:   "Show a goal",
		Long:    "Print what reaches a goal, what it is worth, its number, and whether it was deleted.",
		Example: "  footfall goal show shop.example bought",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) {
				return r.Goal(ctx, query.GoalParams{Site: args[0], Goal: args[1], Consistent: q.consistent})
			})
		},
	}
	q.addFlags(cmd)
	return cmd
}

func newGoalListCommand(a *app) *cobra.Command {
	var q asker
	var deleted bool
	cmd := &cobra.Command{
		Use:     "list SITE",
		Short:   "List the goals of a site",
		Long:    "List the goals of a site by id; with --deleted also the deleted ones.",
		Example: "  footfall goal list shop.example\n  footfall goal list shop.example --deleted --output json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) {
				return r.Goals(ctx, query.GoalsParams{Site: args[0], Deleted: deleted, Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addPaging(cmd, false)
	cmd.Flags().BoolVar(&deleted, "deleted", false, "include deleted goals")
	return cmd
}
