package manage

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/sinks"
)

// askAbove is what a purge may cost without --yes, in dollars.
const askAbove = 100

// purgeFlags are the flags of footfall site purge.
type purgeFlags struct {
	options  purge.Options
	dry, yes bool
	output   show.Format
}

func newSitePurgeCommand(a *command.App) *cobra.Command {
	var p purgeFlags
	cmd := &cobra.Command{
		Use:   "purge SITE",
		Short: "Delete a site with everything that the table has of it",
		Long: `Delete a site with all its data: aggregates of all generations, sessions, visitors, raw events, goals, funnels,
segments, annotations, alerts, settings and its entry in the list of sites. Tokens lose the site; a token or share link of this site alone
is revoked. Its events are rejected as unknown_site from then on. Neither a repeated flush, footfall failed replay nor footfall rebuild
brings the site back.

The command first counts what there is and prints what it costs. It asks for the site's name on a terminal, and requires --yes elsewhere, or
above 100 dollars. It waits until every checkpoint has recorded the purge, deletes everything, waits ten minutes, after which no older write
can still arrive, and sweeps again. It may be interrupted at any point; run it again to continue. --no-wait ends it without waiting.

A partition without an owner blocks the purge: start the pipeline of its topic, or name the partition with --skip-partition if that topic
is no longer consumed. A rebuild that was left blocks it, too: continue it, or give it up with "footfall rebuild drop".

When it is done, footfall site create may create the site again. It starts empty and counts the events that are processed from then on. The
history of the site's settings stays in the table, and records stay in the topic.

Exit codes: 0 the purge is complete, was ended early by --no-wait or --dry-run, or is left open for partitions that it does not wait for,
which it names; 1 it could not be completed.`,
		Example: `  footfall site purge shop.example --dry-run
  footfall site purge shop.example --yes --write-units 500`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(a, cmd, args[0]) },
	}
	f, o := cmd.Flags(), &p.options
	f.BoolVar(&p.dry, "dry-run", false, "count what would be deleted and what it costs, and write nothing")
	f.BoolVar(&p.yes, "yes", false, "delete without confirmation, whatever it costs")
	f.BoolVar(&o.NoWait, "no-wait", false, "end instead of waiting for the pipeline; run the command again to continue")
	f.IntVar(&o.WriteUnits, "write-units", 0, "max. write units a second that the deletions take of the table; 0 = unlimited")
	f.StringSliceVar(&o.Skip, "skip-partition", nil, "do not wait for these partitions, TOPIC/PARTITION, which are no longer consumed")
	addRevision(f)
	command.AddOutput(cmd, &p.output, show.Table, show.JSON)
	return cmd
}

// PurgeAnswer is the JSON of footfall site purge.
type PurgeAnswer struct {
	Estimate purge.Estimate `json:"estimate"`
	Dollars  float64        `json:"estimatedDollars"` // of the units on demand; 0: the table costs nothing
	Purge    *purge.Report  `json:"purge"`            // null: with --dry-run
}

func (p *purgeFlags) run(a *command.App, cmd *cobra.Command, site string) (err error) {
	o := p.options
	if o.WriteUnits < 0 {
		return command.Usagef("--write-units %d: write 1 or more, or 0 for no bound", o.WriteUnits)
	}
	if !p.yes && !p.dry && !command.IsTerminal(a.In) {
		return command.Usagef("this deletes site %q and all that the table has of it: add --yes to do it, or --dry-run to count it", site)
	}
	if o.IfRevision, err = readRevision(cmd.Flags()); err != nil {
		return command.Usagef("%w", err)
	}
	return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
		o.Table, o.Site, o.Progress = t.Table, site, purgeProgress(a)
		o.Scrubber, _ = t.Admin.(sinks.Scrubber)
		answer, err := p.estimate(ctx, a, o, t.Config.Table)
		if err != nil {
			return err
		}
		if p.dry {
			return a.Print(p.output, answer, func(io.Writer) error { return nil })
		}
		if !p.yes {
			if err := a.AskForName(fmt.Sprintf("deletes site %q and all that the table has of it", site), "site", site); err != nil {
				return err
			}
		}
		report, err := purge.Run(ctx, o)
		if err != nil {
			return err
		}
		answer.Purge = &report
		return a.Print(p.output, answer, func(out io.Writer) error { return printPurge(out, report) })
	})
}

// estimate prints what the purge deletes and what that costs. Above askAbove it is an error without --yes.
func (p *purgeFlags) estimate(ctx context.Context, a *command.App, o purge.Options, table string) (answer PurgeAnswer, err error) {
	if answer.Estimate, err = purge.Count(ctx, o); err != nil {
		return answer, err
	}
	e := answer.Estimate
	if prices := capacity.DefaultPrices(); strings.HasPrefix(table, "dynamodb://") {
		answer.Dollars = (e.WriteUnits*prices.WriteMillion + e.ReadUnits*prices.ReadMillion) / 1e6
	}
	out := a.Out
	if p.output == show.JSON || !p.dry {
		out = a.Err
	}
	_, err = fmt.Fprintf(out, "Site %s has %s, %.1f MB, and is named by %s.\nA purge takes about %.0f write units and %.0f read units, "+
		"%.2f dollars on demand.\n", command.SpellID(o.Site), plural.Count(e.Items, "item", "items"), float64(e.Bytes)/1e6,
		plural.Count(e.Tokens, "token", "tokens"), e.WriteUnits, e.ReadUnits, answer.Dollars)
	if err == nil && answer.Dollars > askAbove && !p.yes && !p.dry {
		err = command.Usagef("this costs more than %d dollars: add --yes to do it", askAbove)
	}
	return answer, err
}

// purgeProgress returns a function that prints to stderr how far a purge is, whenever that changes.
func purgeProgress(a *command.App) func(purge.Report) {
	said := ""
	return func(r purge.Report) {
		text := ""
		switch {
		case len(r.Waiting) > 0:
			text = fmt.Sprintf("waiting until running members of the consumer group have recorded revision %d: %s", r.Revision,
				strings.Join(ownersOf(r.Waiting), ", "))
		case r.State == purge.Recorded:
			text = "every checkpoint has recorded it: deleting"
		case r.State == purge.Swept && r.LastAt != nil:
			text = "the last sweep begins at " + r.LastAt.Format(time.RFC3339)
		}
		if text != "" && text != said {
			fmt.Fprintln(a.Err, text)
			said = text
		}
	}
}

func ownersOf(chains []erase.Chain) (names []string) {
	for _, c := range chains {
		names = append(names, c.Name()+" of "+c.Owner)
	}
	return names
}

func printPurge(out io.Writer, r purge.Report) error {
	state := "not done; run the command again to continue"
	switch {
	case r.Over():
		state = "done"
	case len(r.Open) > 0:
		state = "not done for partitions whose last flush is unfinished: " + strings.Join(r.Open, ", ") +
			"; run the command again after they were taken over, or after footfall rebuild drop"
	case len(r.Waiting) > 0:
		state = "waits for " + strings.Join(ownersOf(r.Waiting), ", ") + "; run the command again to continue"
	case r.LastAt != nil:
		state = "not done; run the command again at " + r.LastAt.Format(time.RFC3339) + " or later"
	}
	_, err := fmt.Fprintf(out, "Purge %d of site %s: %s.\nDeleted: %s, for %s.\n", r.Revision, command.SpellID(r.Site), state,
		plural.Count(r.Items, "item", "items"), plural.Count(r.WriteUnits, "write unit", "write units"))
	return err
}
