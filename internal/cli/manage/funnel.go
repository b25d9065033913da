package manage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/ask"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
)

// stepHelp is said wherever steps are written.
const stepHelp = `A step is one of:

  page:/pricing            a page view of this page
  page-prefix:/shop/       a page view of a page with this prefix
  page-contains:checkout   a page view of a page that contains this
  page-regexp:^/item/\d+$  a page view of a page that matches this regular expression (RE2)
  event:click              an event with this type
  name:signup              an event with this name
  'event:click name:signup'  an event with both
  '{"on":"event",...}'     the same as JSON, for types with special characters

A page is the path of the url, without query and fragment. Case matters. footfall query top SITE type lists the types of a site's
events, and footfall query top SITE event their names.`

// NewFunnelCommand is footfall funnel.
func NewFunnelCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "funnel",
		Short: "Create, change, list and delete funnels, and report how far visitors get",
		Long: `A funnel is a sequence of 2 to 10 steps within a window of time. Reports are computed from raw events on request. They also cover the
past, as far as raw events are kept. Changing or deleting a funnel changes no other number.

` + stepHelp,
		Example: "  footfall funnel create shop.example checkout --step page-prefix:/product/ --step page:/cart --step event:purchase\n" +
			"  footfall funnel report shop.example checkout --from -7d",
	}
	cmd.AddCommand(newFunnelCreate(a), newFunnelUpdate(a), newFunnelDelete(a), newFunnelShow(a), newFunnelList(a), newFunnelReport(a))
	return cmd
}

// funnelFlags are what a funnel is made of.
type funnelFlags struct {
	name   string
	steps  []string
	window time.Duration
	strict bool
}

func (f *funnelFlags) add(cmd *cobra.Command, window time.Duration) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "display name")
	flags.StringArrayVar(&f.steps, "step", nil, "a step (repeat, in order)")
	flags.DurationVar(&f.window, "window", window, "max. time from the first step to the last, 1s to 2160h, as in 30m")
	flags.BoolVar(&f.strict, "strict", false, "each step must be the visitor's next event after the step before")
	command.MayBeEmpty(flags, "name")
}

// patterns reads the steps.
func (f *funnelFlags) patterns() (steps []sites.Pattern, err error) {
	for _, text := range f.steps {
		p, err := sites.ParsePattern(text)
		if err != nil {
			return nil, fmt.Errorf("--step %w", err)
		}
		steps = append(steps, p)
	}
	return steps, nil
}

const ifVersion = "if-version"

func addIfVersion(cmd *cobra.Command) {
	cmd.Flags().Int64(ifVersion, 0, "only if the funnel has this version, as funnel show prints it (default: any)")
}

// readIfVersion returns the version that the flag names; 0: any.
func readIfVersion(f *pflag.FlagSet) (int64, error) {
	version, err := f.GetInt64(ifVersion)
	if err == nil && version < 0 {
		err = fmt.Errorf("--%s %d: give the version that funnel show prints, or leave it out", ifVersion, version)
	}
	return version, err
}

// writeFunnel makes a change of what writes a funnel.
func writeFunnel(write func(context.Context, *sites.FunnelStore) (sites.StoredFunnel, error)) change {
	return func(ctx context.Context, t *connect.Table) (any, error) {
		store := sites.FunnelStore(writer(t))
		s, err := write(ctx, &store)
		if err != nil {
			return nil, err
		}
		return query.ReadFunnel(s.Item())
	}
}

func newFunnelCreate(a *command.App) *cobra.Command {
	var f funnelFlags
	cmd := changing(a, &cobra.Command{
		Use:   "create SITE FUNNEL",
		Short: "Create a funnel of a site",
		Long: `Create a funnel with an id of up to 64 letters, digits, dots, dashes and underscores. The site must have events or have been created.
If the funnel exists with other values, the command prints them, changes nothing and ends with exit code 1. Creating it again with the
same values has no effect.

The window is 30 minutes by default, like the gap between visits, and at most 2160h, 90 days.

` + stepHelp,
		Example: `  footfall funnel create shop.example checkout --name Checkout --step page-prefix:/product/ --step page:/cart --step event:purchase
  footfall funnel create shop.example signup --step page:/pricing --step 'event:click name:signup' --window 24h --strict`,
		Args: cobra.ExactArgs(2),
	}, func(_ *pflag.FlagSet, args []string) (change, error) {
		steps, err := f.patterns()
		if err != nil {
			return nil, err
		}
		d := sites.Funnel{ID: args[1], Name: f.name, Steps: steps, Window: f.window, Strict: f.strict}
		return writeFunnel(func(ctx context.Context, s *sites.FunnelStore) (sites.StoredFunnel, error) {
			return s.Create(ctx, args[0], d)
		}), d.Validate()
	})
	f.add(cmd, sites.DefaultFunnelWindow)
	return cmd
}

func newFunnelUpdate(a *command.App) *cobra.Command {
	var f funnelFlags
	cmd := changing(a, &cobra.Command{
		Use:   "update SITE FUNNEL",
		Short: "Change a funnel",
		Long: `Change the given values; the others stay. Steps are replaced as a whole. If the funnel was changed by another command at the same time,
or does not have the version of --if-version, the command names the other change, changes nothing and ends with exit code 1.

` + stepHelp,
		Example: `  footfall funnel update shop.example checkout --window 2h
  footfall funnel update shop.example checkout --if-version 3 --strict=false --step page:/cart --step event:purchase`,
		Args: cobra.ExactArgs(2),
	}, func(flags *pflag.FlagSet, args []string) (change, error) {
		steps, err := f.patterns()
		if err != nil {
			return nil, err
		}
		version, err := readIfVersion(flags)
		if err != nil {
			return nil, err
		}
		set := flags.Changed
		if !set("name") && !set("step") && !set("window") && !set("strict") {
			return nil, errors.New("there is nothing to change: name it, as in --window 2h")
		}
		return writeFunnel(func(ctx context.Context, s *sites.FunnelStore) (sites.StoredFunnel, error) {
			return s.Update(ctx, args[0], args[1], version, func(d *sites.Funnel) {
				if set("name") {
					d.Name = f.name
				}
				if set("step") {
					d.Steps = steps
				}
				if set("window") {
					d.Window = f.window
				}
				if set("strict") {
					d.Strict = f.strict
				}
			})
		}), nil
	})
	f.add(cmd, 0)
	addIfVersion(cmd)
	return cmd
}

func newFunnelDelete(a *command.App) *cobra.Command {
	cmd := changing(a, &cobra.Command{
		Use:     "delete SITE FUNNEL",
		Short:   "Delete a funnel",
		Long:    `Delete a funnel and print it. No event and no other number changes. --if-version works as in funnel update. A missing funnel is an error.`,
		Example: "  footfall funnel delete shop.example checkout --if-version 3",
		Args:    cobra.ExactArgs(2),
	}, func(flags *pflag.FlagSet, args []string) (change, error) {
		version, err := readIfVersion(flags)
		return writeFunnel(func(ctx context.Context, s *sites.FunnelStore) (sites.StoredFunnel, error) {
			deleted, err := s.Delete(ctx, args[0], args[1], version)
			if err == nil {
				fmt.Fprintln(a.Err, "Deleted:")
			}
			return deleted, err
		}), err
	})
	addIfVersion(cmd)
	return cmd
}

func newFunnelShow(a *command.App) *cobra.Command {
	var q ask.Asker
	return ask.Asking(a, &q, &cobra.Command{
		Use:     "show SITE FUNNEL",
		Short:   "Show a funnel",
		Long:    "Print a funnel's steps, its window, whether it is strict, and its version. JSON also has its author and time.",
		Example: "  footfall funnel show shop.example checkout --output json",
		Args:    cobra.ExactArgs(2),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Funnel(ctx, query.FunnelParams{Site: args[0], Funnel: args[1], Consistent: q.Consistent})
	})
}

func newFunnelList(a *command.App) *cobra.Command {
	var q ask.Asker
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:     "list SITE",
		Short:   "List the funnels of a site",
		Long:    "List the funnels of a site by id. The JSON output includes their steps.",
		Example: "  footfall funnel list shop.example --limit 20",
		Args:    cobra.ExactArgs(1),
	}, func(ctx context.Context, r *query.Reader, args []string) (any, error) {
		return r.Funnels(ctx, query.FunnelsParams{Site: args[0], Consistent: q.Consistent, Paging: q.Paging})
	})
	q.AddPaging(cmd, false)
	return cmd
}

func newFunnelReport(a *command.App) *cobra.Command {
	var q ask.Asker
	var where []string
	p := query.FunnelReportParams{}
	q.Check = func(*pflag.FlagSet, []string) error {
		if p.MaxEvents < 1 {
			return command.Usagef("--max-events %d: read 1 or more", p.MaxEvents)
		}
		_, err := query.ParseConditions(where)
		return ask.Blame(err)
	}
	cmd := ask.Asking(a, &q, &cobra.Command{
		Use:   "report SITE FUNNEL",
		Short: "Report how many visitors reached each step",
		Long: `Print for each step of a funnel: the visitors who reached it in a range, their share of the first and of the previous step, how many
were lost, and the median time from the previous step. The report reads all raw events of the site in the range.

An attempt is a sequence of events of one visitor, one for each step in order, within the window. In a strict funnel, no other event of
the visitor may lie between. A visitor counts once, with the attempt that reached the furthest step. Events of the same millisecond are
in the order of the log. The time to a step is that of the visitor's first attempt to reach it.

A visitor is a visitorId; events without one are grouped by sessionId. Only events of the range count, so attempts are clipped at its
ends. Events of excluded pages are left out. So are bots; --include-bots includes them.

--where country=DE restricts the report to events with the value; != is "is not", ~= "contains" and ^= "begins with". Commas separate
several values, as in country=AT,DE. Source, channel and campaign of an event are those of its session, and so are entry, exit and goal: of
an attempt over several sessions, each must pass. Several filters must all hold. They cannot be by page, event, type or property, which the
steps match. With filters, the report reads two hours more before and after the range, and an event that is an item of its own counts as
four of --max-events.

If raw events are switched off, or some of the range have expired, the exit code is 1. The report stops if the range has more than
--max-events raw events. A million events of 500 bytes cost some 61,000 read units as items and 15,000 in packs of
30 events, twice that with --consistent, and some 450 bytes of memory for each visitor at the first step.

` + ask.PeriodHelp + `

` + ask.DatesHelp + ` Times in the answer are in UTC.`,
		Example: `  footfall funnel report shop.example checkout --from 2026-05-01 --to 2026-06-01
  footfall funnel report shop.example checkout --from -7d --max-events 5000000 --output json
  footfall funnel report shop.example checkout --from -7d --where channel=Email --where 'device!=mobile'`,
		Args: cobra.ExactArgs(2),
	}, func(ctx context.Context, r *query.Reader, args []string) (_ any, err error) {
		if p.Where, err = q.Filters(ctx, where); err != nil {
			return nil, err
		}
		p.Site, p.Funnel, p.From, p.To, p.Consistent = args[0], args[1], q.From, q.To, q.Consistent
		return r.FunnelReport(ctx, p)
	})
	q.AddRange(cmd, "-24h")
	q.AddZone(cmd)
	cmd.Flags().BoolVar(&p.IncludeBots, ask.IncludeBots, false, "include events of bots")
	q.AddSegment(cmd)
	cmd.Flags().StringArrayVar(&where, "where", nil, "filter, as in country=DE, browser!=Chrome or referrer~=google; may be repeated")
	cmd.Flags().IntVar(&p.MaxEvents, "max-events", query.DefaultMaxFunnelEvents, "max. raw events to read")
	return cmd
}
