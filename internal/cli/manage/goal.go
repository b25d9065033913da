package manage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
)

// goalHelp says what goals are, wherever one is made or changed.
const goalHelp = `A session or visit reaches a goal once, with its first matching event in the order of the log: an event that matches --on, or the
event at which the session has lasted for --duration. Bots reach no goals. --on is one of
` + sites.PatternForms + `;
regular expressions have the syntax of https://pkg.go.dev/regexp/syntax and at most 256 bytes. Case matters. footfall query top SITE type
lists the types of a site's events, and footfall query top SITE event their names.

A conversion is worth --value, or by default the value of the event (nothing for a duration). It is counted in the hour and day of its
event. footfall query goals prints the counts, footfall query conversions each conversion.

Processes read a change within 30 seconds and apply it from their next flush on. That flush may hold events that are some minutes
old. Earlier counts stay. Earlier events do not reach a new goal: the answer says since when it counts. footfall rebuild counts it for
all events that the topic still has.`

// NewGoalCommand is footfall goal.
func NewGoalCommand(a *command.App) *cobra.Command {
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

// goalFlags are the flags that say what a goal is.
type goalFlags struct {
	on, name, value string
	duration        time.Duration
}

func (g *goalFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&g.on, "on", "", "events that reach the goal, as in page:/thanks")
	f.DurationVar(&g.duration, "duration", 0, "session duration that reaches the goal, as in 3m")
	f.StringVar(&g.name, "name", "", "display name")
	f.StringVar(&g.value, "value", "", "what a conversion is worth, as in 12.5 (default: the event's own value)")
	command.Exclude(cmd, "on", "duration")
	command.MayBeEmpty(f, "name")
}

// warnOfSlash says that a pattern is of pages that are no paths. Urls without a scheme make such pages, but hardly anyone sends them.
func warnOfSlash(a *command.App, p sites.Pattern) {
	whole := p.How == sites.MatchExact || p.How == sites.MatchPrefix
	if p.On == sites.OnPage && whole && !strings.HasPrefix(p.Text, "/") {
		fmt.Fprintf(a.Err, "warning: %s: pages of urls with a host begin with a slash; is /%s meant?\n", p, p.Text)
	}
}

// changes are what the flags that were set say.
func (g *goalFlags) changes(a *command.App, f *pflag.FlagSet) (c sites.GoalChanges, err error) {
	c.Name, c.Duration = command.Given(f, "name", &g.name), command.Given(f, "duration", &g.duration)
	if f.Changed("on") {
		on, err := sites.ParsePattern(g.on)
		if err != nil {
			return c, fmt.Errorf("--on %w", err)
		}
		c.On = &on
		warnOfSlash(a, on)
	}
	if d := c.Duration; d != nil && (*d < time.Millisecond || *d > sites.MaxGoalDuration || *d%time.Millisecond != 0) {
		return c, fmt.Errorf("--duration %v: give whole milliseconds, 1ms to %v", *d, sites.MaxGoalDuration)
	}
	if f.Changed("value") {
		value, err := sites.ParseValue(g.value)
		if err != nil {
			return c, fmt.Errorf("--value %w", err)
		}
		c.Value = &value
	}
	return c, nil
}

// changingGoal makes cmd decide about a goal. read makes the decision of flags and arguments.
func changingGoal(a *command.App, cmd *cobra.Command, read func(f *pflag.FlagSet, goal string) (func(context.Context, sites.Decision) error,
	error)) *cobra.Command {
	addRevision(cmd.Flags())
	return changing(a, cmd, func(f *pflag.FlagSet, args []string) (change, error) {
		only, err := readRevision(f)
		if err != nil {
			return nil, err
		}
		decide, err := read(f, args[1])
		return func(ctx context.Context, t *connect.Table) (any, error) {
			if err := decide(ctx, sites.Decision{Table: t.Repeating(), Site: args[0], Now: time.Now(), IfRevision: only}); err != nil {
				return nil, err
			}
			return query.New(t.Table, time.Now).Goal(ctx, query.GoalParams{Site: args[0], Goal: args[1], Consistent: true})
		}, err
	})
}

func newGoalCreateCommand(a *command.App) *cobra.Command {
	var g goalFlags
	var inactive bool
	cmd := changingGoal(a, &cobra.Command{
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
	}, func(f *pflag.FlagSet, id string) (func(context.Context, sites.Decision) error, error) {
		c, err := g.changes(a, f)
		if err == nil && c.On == nil && c.Duration == nil {
			err = errors.New("nothing reaches the goal: give --on, as in --on page:/thanks, or --duration, as in --duration 3m")
		}
		if err != nil {
			return nil, err
		}
		c.Inactive = &inactive
		goal := c.Apply(sites.Goal{ID: id})
		return func(ctx context.Context, d sites.Decision) error {
			err := d.CreateGoal(ctx, goal)
			if err == nil && !inactive {
				err = sayRebuild(ctx, a, f, d)
			}
			return err
		}, goal.Validate()
	})
	g.add(cmd)
	cmd.Flags().BoolVar(&inactive, "inactive", false, "no session reaches it until goal update --active")
	return cmd
}

func newGoalUpdateCommand(a *command.App) *cobra.Command {
	var g goalFlags
	var active, inactive, noValue bool
	cmd := changingGoal(a, &cobra.Command{
		Use:   "update SITE GOAL",
		Short: "Change a goal",
		Long: `Change the given values; the others stay. The goal keeps its number and its counts. A session that has reached it does not reach it
again after the change. To start from zero, delete the goal and create it again.

` + goalHelp,
		Example: `  footfall goal update shop.example bought --on page-prefix:/thanks
  footfall goal update shop.example bought --inactive
  footfall goal update shop.example signup --no-value --if-revision 17`,
		Args: cobra.ExactArgs(2),
	}, func(f *pflag.FlagSet, id string) (func(context.Context, sites.Decision) error, error) {
		c, err := g.changes(a, f)
		if active || inactive {
			c.Inactive = &inactive
		}
		c.NoValue = noValue
		if err == nil && c == (sites.GoalChanges{}) {
			err = errors.New("there is nothing to change: name it, as in --on page:/thanks")
		}
		return func(ctx context.Context, d sites.Decision) error {
			err := d.UpdateGoal(ctx, id, c)
			if err == nil && (c.On != nil || c.Duration != nil || c.Value != nil) {
				err = sayRebuild(ctx, a, f, d)
			}
			return err
		}, err
	})
	g.add(cmd)
	f := cmd.Flags()
	f.BoolVar(&active, "active", false, "sessions may reach it")
	f.BoolVar(&inactive, "inactive", false, "no session reaches it until it is active again")
	f.BoolVar(&noValue, "no-value", false, "a conversion is worth the value of its event")
	command.Exclude(cmd, "active", "inactive")
	command.Exclude(cmd, "value", "no-value")
	return cmd
}

func newGoalDeleteCommand(a *command.App) *cobra.Command {
	return changingGoal(a, &cobra.Command{
		Use:   "delete SITE GOAL",
		Short: "Delete a goal",
		Long: `Delete a goal: no session reaches it any more. Its counts stay and appear in query goals; its conversions stay until they expire. A
new goal with the same id starts from zero. Deleting a deleted goal has no effect.`,
		Example: "  footfall goal delete shop.example bought",
		Args:    cobra.ExactArgs(2),
	}, func(_ *pflag.FlagSet, id string) (func(context.Context, sites.Decision) error, error) {
		return func(ctx context.Context, d sites.Decision) error { return d.DeleteGoal(ctx, id) }, nil
	})
}

func newGoalShowCommand(a *command.App) *cobra.Command {
	var q ask.Asker
	return ask.Asking(a, &q, &cobra.Command{
		Use:     "show SITE GOAL",
		Short:   "Show a goal",
		Long:    "Print what reaches a goal, what it is worth, its number, and whether it was deleted.",
		Example: "  footfall goal show shop.example bought",
		Args:    cobra.ExactArgs(2),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Goal(ctx, query.GoalParams{Site: args[0], Goal: args[1], Consistent: q.Consistent})
	})
}

func newGoalListCommand(a *command.App) *cobra.Command {
	var q ask.Asker
	var deleted bool
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:     "list SITE",
		Short:   "List the goals of a site",
		Long:    "List the goals of a site by id; with --deleted also the deleted ones.",
		Example: "  footfall goal list shop.example\n  footfall goal list shop.example --deleted --output json",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Goals(ctx, query.GoalsParams{Site: args[0], Deleted: deleted, Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddPaging(cmd, false)
	cmd.Flags().BoolVar(&deleted, "deleted", false, "include deleted goals")
	return cmd
}
