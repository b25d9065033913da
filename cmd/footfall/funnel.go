package main

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/show"
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

A page is the path of the url, without query and fragment. Case matters.`

func newFunnelCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "funnel",
		Short: "Create, change, list and delete funnels, and report how far visitors come",
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
	name, output string
	steps        []string
	window       time.Duration
	strict       bool
	ifVersion    int64
}

func (f *funnelFlags) add(cmd *cobra.Command, window time.Duration) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "display name")
	flags.StringArrayVar(&f.steps, "step", nil, "a step (repeat, in order)")
	flags.DurationVar(&f.window, "window", window, "max. time from the first step to the last, as in 30m or 48h")
	flags.BoolVar(&f.strict, "strict", false, "each step must be the visitor's next event after the step before")
	mayBeEmpty(flags, "name")
	f.addOutput(cmd)
}

func (f *funnelFlags) addOutput(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&f.output, "output", "o", string(show.Table), "table, json or csv")
	complete(cmd, "output", show.Formats...)
}

func (f *funnelFlags) addIfVersion(cmd *cobra.Command) {
	cmd.Flags().Int64Var(&f.ifVersion, "if-version", 0, "only if the funnel has this version, as funnel show prints it (default: any)")
}

// patterns reads the steps.
func (f *funnelFlags) patterns() (steps []sites.Pattern, err error) {
	for _, text := range f.steps {
		p, err := sites.ParsePattern(text)
		if err != nil {
			return nil, usagef("--step %w", err)
		}
		steps = append(steps, p)
	}
	return steps, nil
}

// check refuses what no funnel can have, before anything is opened.
func (f *funnelFlags) check() error {
	if f.ifVersion < 0 {
		return usagef("--if-version %d: give the version that funnel show prints, or leave it out", f.ifVersion)
	}
	if err := show.Format(f.output).Check(); err != nil {
		return usagef("%w", err)
	}
	return nil
}

// funnelStore is the table's funnels, as the person who runs the command writes them.
func funnelStore(t *openedTable) *sites.FunnelStore {
	by, host := "unknown", "unknown"
	if u, err := user.Current(); err == nil {
		by = u.Username
	}
	if name, err := os.Hostname(); err == nil {
		host = name
	}
	return &sites.FunnelStore{Table: t, By: by + "@" + host, Now: time.Now}
}

// printFunnel prints the funnel as it was written.
func (a *app) printFunnel(output string, s sites.StoredFunnel) error {
	return show.Print(a.plainIfTerminal(), a.err, show.Format(output), query.FunnelOf(s))
}

func newFunnelCreate(a *app) *cobra.Command {
	var f funnelFlags
	cmd := &cobra.Command{
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
		RunE: func(cmd *cobra.Command, args []string) error {
			steps, err := f.patterns()
			if err != nil {
				return err
			}
			d := sites.Funnel{ID: args[1], Name: f.name, Steps: steps, Window: f.window, Strict: f.strict}
			if err := d.Validate(); err != nil {
				return usagef("%w", err)
			}
			if err := f.check(); err != nil {
				return err
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				s, err := funnelStore(t).Create(ctx, args[0], d)
				if err != nil {
					return err
				}
				return a.printFunnel(f.output, s)
			})
		},
	}
	f.add(cmd, sites.DefaultFunnelWindow)
	return cmd
}

func newFunnelUpdate(a *app) *cobra.Command {
	var f funnelFlags
	cmd := &cobra.Command{
		Use:   "update SITE FUNNEL",
		Short: "Change a funnel",
		Long: `Change the given values; the others stay. Steps are replaced as a whole. If the funnel was changed by another command at the same time,
or does not have the version of --if-version, the command names the other change, changes nothing and ends with exit code 1.

` + stepHelp,
		Example: `  footfall funnel update shop.example checkout --window 2h
  footfall funnel update shop.example checkout --if-version 3 --strict=false --step page:/cart --step event:purchase`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			steps, err := f.patterns()
			if err != nil {
				return err
			}
			if err := f.check(); err != nil {
				return err
			}
			set := cmd.Flags().Changed
			if !set("name") && !set("step") && !set("window") && !set("strict") {
				return usagef("there is nothing to change: name it, as in --window 2h")
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				s, err := funnelStore(t).Update(ctx, args[0], args[1], f.ifVersion, func(d *sites.Funnel) {
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
				if err != nil {
					return err
				}
				return a.printFunnel(f.output, s)
			})
		},
	}
	f.add(cmd, 0)
	f.addIfVersion(cmd)
	return cmd
}

func newFunnelDelete(a *app) *cobra.Command {
	var f funnelFlags
	cmd := &cobra.Command{
		Use:     "delete SITE FUNNEL",
		Short:   "Delete a funnel",
		Long:    `Delete a funnel and print it. Its raw events stay. --if-version works as in funnel update. A missing funnel is an error.`,
		Example: "  footfall funnel delete shop.example checkout --if-version 3",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				s, err := funnelStore(t).Delete(ctx, args[0], args[1], f.ifVersion)
				if err != nil {
					return err
				}
				fmt.Fprintln(a.err, "Deleted:")
				return a.printFunnel(f.output, s)
			})
		},
	}
	f.addOutput(cmd)
	f.addIfVersion(cmd)
	return cmd
}

func newFunnelShow(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:     "show SITE FUNNEL",
		Short:   "Show a funnel",
		Long:    "Print a funnel's steps, its window, whether it is strict, and its version. JSON also has its author and time.",
		Example: "  footfall funnel show shop.example checkout --output json",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) {
				return r.Funnel(ctx, query.FunnelParams{Site: args[0], Funnel: args[1], Consistent: q.consistent})
			})
		},
	}
	q.addFlags(cmd)
	return cmd
}

func newFunnelList(a *app) *cobra.Command {
	var q asker
	cmd := &cobra.Command{
		Use:     "list SITE",
		Short:   "List the funnels of a site",
		Long:    "List the funnels of a site by id. JSON has their steps.",
		Example: "  footfall funnel list shop.example --limit 20",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) {
				return r.Funnels(ctx, query.FunnelsParams{Site: args[0], Consistent: q.consistent, Paging: q.paging})
			})
		},
	}
	q.addFlags(cmd)
	q.addPaging(cmd, false)
	return cmd
}

func newFunnelReport(a *app) *cobra.Command {
	var q asker
	p := query.FunnelReportParams{}
	cmd := &cobra.Command{
		Use:   "report SITE FUNNEL",
		Short: "Report how many visitors reached each step",
		Long: `Print for each step of a funnel: the visitors who reached it in a range, their share of the first and of the previous step, how many
were lost, and the median time from the previous step. The report reads all raw events of the site in the range.

An attempt is a sequence of events of one visitor, one for each step in order, within the window. In a strict funnel, no other event of
the visitor may lie between. A visitor counts once, with the attempt that reached the furthest step. Events of the same millisecond are
in the order of the log. The time to a step is that of the visitor's first attempt to reach it.

A visitor is a visitorId; events without one are grouped by sessionId. Only events of the range count, so attempts are clipped at its
ends. Bots are left out; --include-bots includes them.

If raw events are switched off, or some of the range have expired, the exit code is 1. The report stops if the range has more than
--max-events raw events. A million events of 500 bytes cost some 61,000 read units, twice that with --consistent, and some 450 bytes
of memory for each visitor at the first step.

` + rangeHelp + `

` + datesHelp + ` Answers are in UTC.`,
		Example: `  footfall funnel report shop.example checkout --from 2026-05-01 --to 2026-06-01
  footfall funnel report shop.example checkout --from -7d --max-events 5000000 --output json`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.MaxEvents < 1 {
				return usagef("--max-events %d: read 1 or more", p.MaxEvents)
			}
			q.site, p.Site, p.Funnel = args[0], args[0], args[1]
			return q.ask(a, cmd, func(ctx context.Context, r *query.Reader) (any, error) {
				p.From, p.To, p.Consistent = q.from, q.to, q.consistent
				return r.FunnelReport(ctx, p)
			})
		},
	}
	q.addFlags(cmd)
	q.addRange(cmd, "-24h")
	q.addZone(cmd)
	cmd.Flags().BoolVar(&p.IncludeBots, includeBots, false, "include events of bots")
	cmd.Flags().IntVar(&p.MaxEvents, "max-events", query.DefaultMaxEvents, "max. raw events to read")
	return cmd
}
