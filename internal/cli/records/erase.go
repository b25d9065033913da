package records

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// NewEraseCommand is footfall erase.
func NewEraseCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Erase what the table holds about a visitor or a user",
		Long: `Delete a visitor's or user's raw events and conversions, remove ids, pages, index entries and entries in lists from their
sessions, and keep late events, repeated flushes and replays from bringing any of it back. Totals stay.
docs/internals/erasure.md lists what is deleted, what stays, and for how long.`,
		Example: "  footfall erase visitor shop.example 4f2a --dry-run\n  footfall erase visitor shop.example 4f2a --yes\n  footfall erase list",
	}
	cmd.AddCommand(newErasePersonCommand(a, sites.Visitor, "visitorId"), newErasePersonCommand(a, sites.User, "userId"),
		newEraseListCommand(a))
	return cmd
}

// eraseFlags are the flags of footfall erase visitor and erase user.
type eraseFlags struct {
	options erase.Options
	yes     bool
	detach  bool
	output  show.Format
}

func newErasePersonCommand(a *command.App, person sites.Person, field string) *cobra.Command {
	e := eraseFlags{options: erase.Options{Person: person}}
	breakdowns := ""
	if person == sites.Visitor {
		breakdowns = ", and with --include-breakdowns all breakdowns once"
	}
	cmd := &cobra.Command{
		Use:   string(person) + " SITE ID",
		Short: "Erase what the table holds about the " + string(person) + " with this " + field,
		Long: `Erase what the table holds of a site's events with this ` + field + `, up to now plus ten minutes (more, if the pipeline accepts
events that are further ahead). Later events of the ` + string(person) + ` are counted as usual.

The command sweeps the table and waits until every checkpoint has recorded the erasure. It waits ten more minutes, after which no
older write can still arrive, and sweeps again. A running pipeline records an erasure within one flush interval and two minutes. The
command may be interrupted at any point; run it again to continue. --no-wait ends it instead of waiting.
--detach leaves the waiting and the last sweep to a process in the background,
which continues when the terminal is closed; if it is stopped, run the command again.

A partition without an owner blocks the erasure: start the pipeline of its topic, or name the partition with --skip-partition if that
topic is no longer consumed. If the last flush of such a partition is unfinished, its sessions keep their pages and the erasure is
incomplete.

All generations of items are erased. A rebuild that was left blocks the erasure until "footfall rebuild" continues it, or "footfall
rebuild drop" gives it up. The former generation does not, unless a flush of it is unfinished: then drop it, or make it live again.

The command reads all raw events and sessions of the site twice` + breakdowns + `.

Exit codes: 0 the erasure is complete, or was ended early by --no-wait, --detach or --dry-run; 1 it could not be completed.`,
		Example: "  footfall erase " + string(person) + " shop.example 4f2a --dry-run\n  footfall erase " + string(person) +
			" shop.example 4f2a --yes\n" +
			"  footfall erase " + string(person) + " shop.example 4f2a --yes --no-wait --output json",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(a, cmd, args[0], args[1]) },
	}
	e.addFlags(cmd)
	return cmd
}

func (e *eraseFlags) addFlags(cmd *cobra.Command) {
	f, o := cmd.Flags(), &e.options
	f.BoolVar(&e.yes, "yes", false, "erase without confirmation")
	f.BoolVar(&o.DryRun, "dry-run", false, "count what would be deleted or changed, and write nothing")
	if o.Person == sites.Visitor {
		f.BoolVar(&o.Breakdowns, "include-breakdowns", false,
			"also drop rows of breakdowns that only this visitor made; their figures move to \"other\"")
	}
	f.BoolVar(&o.NoWait, "no-wait", false, "end instead of waiting for the pipeline; run the command again to continue")
	f.BoolVar(&e.detach, "detach", false, "end after the first sweep, and continue in a process of its own that writes to a log file")
	command.Exclude(cmd, "detach", "no-wait")
	command.Exclude(cmd, "detach", "dry-run")
	f.StringSliceVar(&o.Skip, "skip-partition", nil, "do not wait for these partitions, TOPIC/PARTITION, which are no longer consumed")
	command.AddOutput(cmd, &e.output, show.Table, show.JSON)
	command.AddConfigFlags(f, "visitorHashKey", "visitorHashKeyFile")
}

// run erases the person, or counts what it would change, and prints the report.
func (e *eraseFlags) run(a *command.App, cmd *cobra.Command, site, id string) error {
	o := e.options
	o.Site, o.ID, o.NoWait = site, id, o.NoWait || e.detach
	if err := o.Validate(); err != nil {
		return command.Usagef("%w", err)
	}
	if !e.yes && !o.DryRun {
		return command.Usagef("this deletes what the table holds about %s %q of site %q permanently: add --yes to do it, "+
			"or --dry-run to count it",
			o.Person, o.ID, o.Site)
	}
	c, err := a.Config(cmd)
	if err != nil {
		return err
	}
	o.HashKey = engine.HashKey(c)
	return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
		o.Table, o.Progress = t.Table, erasureProgress(a)
		o.Scrubber, _ = t.Admin.(sinks.Scrubber)
		report, err := erase.Run(ctx, o)
		if err != nil {
			return err
		}
		err = a.Print(e.output, report, func(out io.Writer) error { return printErasure(out, report) })
		if err == nil && e.detach && !report.Over() {
			err = continueErasure(a, cmd, site, id)
		}
		return err
	})
}

// continueErasure runs the same command in the background, where it waits and sweeps again.
func continueErasure(a *command.App, cmd *cobra.Command, site, id string) error {
	args := append([]string{"erase", cmd.Name()}, sameFlags(cmd, map[string]bool{"detach": true})...)
	pid, log, err := detached(append(args, "--", site, id))
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Err, "Process %d continues the erasure and writes to %s; footfall erase list shows how far it is.\n", pid, log)
	return nil
}

func newEraseListCommand(a *command.App) *cobra.Command {
	var output show.Format
	cmd := &cobra.Command{
		Use:   "list [SITE]",
		Short: "List erasures, and how far each has come",
		Long: `List the erasures of a site, or of all sites: the keyed hash of the id, since the table keeps no id; the event time up to which it
erases; its state, and what it has changed.`,
		Example: "  footfall erase list\n  footfall erase list shop.example --output json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == "" {
				return command.Usagef("the site is empty: name one, or leave it out to list all erasures")
			}
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				all, err := erase.List(ctx, t.Table, strings.Join(args, ""))
				if err != nil {
					return err
				}
				return a.PrintList(output, erasureList{all}, erasureRows(all).Write)
			})
		},
	}
	command.AddOutput(cmd, &output, show.Table, show.JSON, show.NDJSON)
	return cmd
}

// erasureList is the JSON of footfall erase list.
type erasureList struct {
	Erasures []erase.Listed `json:"erasures"`
}

// Rows are the erasures.
func (l erasureList) Rows() any { return l.Erasures }

func erasureRows(all []erase.Listed) show.List {
	l := show.List{Headers: []string{"REVISION", "SITE", "PERSON", "HASH", "UNTIL", "STATE", "TOUCHED"}}
	for _, e := range all {
		l.Rows = append(l.Rows, []string{fmt.Sprint(e.Revision), command.SpellID(e.Site), string(e.Person), fmt.Sprint(e.Hash),
			e.Until.Format(time.RFC3339), string(e.State), spellCounts(e.Touched)})
	}
	return l
}

// erasureProgress returns a function that prints to stderr how far an erasure is, whenever that changes.
func erasureProgress(a *command.App) func(erase.Report) {
	said := ""
	return func(r erase.Report) {
		text := ""
		switch {
		case r.State == erase.Begun:
			text = "sweeping for the first time"
		case r.State == erase.Swept && len(r.Waiting) > 0:
			var names []string
			for _, c := range r.Waiting {
				names = append(names, c.Name()+" of "+c.Owner)
			}
			text = fmt.Sprintf("waiting until running members of the consumer group have recorded revision %d: %s", r.Revision,
				strings.Join(names, ", "))
		case r.State == erase.Recorded && r.LastAt != nil:
			text = "every checkpoint has recorded it: the last sweep begins at " + r.LastAt.Format(time.RFC3339)
		}
		if text != "" && text != said {
			fmt.Fprintln(a.Err, text)
			said = text
		}
	}
}

// kept is what an erasure leaves, and until when.
const kept = `Left until their retention ends: the topic's own records, rejected ones on the failed-events topic, the ids of sessions in lists of
recent sessions (2 days) and in the keys of session items, and pages in realtime minutes (10 minutes). Sums, uniques and
breakdowns stay: they have no ids but keyed hashes.
`

func printErasure(out io.Writer, r erase.Report) error {
	if r.DryRun {
		_, err := fmt.Fprintf(out, "Would change: %s. Later items, which stay: %d.\n", spellCounts(r.Touched), r.Later)
		return err
	}
	fmt.Fprintf(out, "Erasure %d of a %s of site %q, up to %s: %s.\nChanged: %s.\n", r.Revision, r.Person, r.Site,
		r.Until.Format(time.RFC3339), spellState(r), spellCounts(r.Touched))
	if r.Later > 0 {
		fmt.Fprintf(out, "Later items, which stay: %d: the %s came back, or a clock was ahead. To erase them, run the command again when this "+
			"one is done.\n", r.Later, r.Person)
	}
	for _, c := range r.Waiting {
		fmt.Fprintf(out, "Waits for partition %s, owned by %s.\n", c.Name(), c.Owner)
		if c.Generation > 0 {
			fmt.Fprintf(out, "It is of generation %d, which is not live: footfall rebuild continues it, footfall rebuild drop gives it up.\n",
				c.Generation)
		}
	}
	if len(r.Open) > 0 {
		fmt.Fprintf(out, "Not waited for, with an unfinished last flush: %s. Run the command again after these partitions were taken over, "+
			"or after footfall rebuild drop if G1# or the like says that their generation is not live.\n", strings.Join(r.Open, ", "))
	}
	_, err := io.WriteString(out, kept)
	return err
}

func spellState(r erase.Report) string {
	switch {
	case r.Over():
		return "done"
	case r.State == erase.Done:
		return "not done for some partitions"
	case r.State == erase.Recorded && r.LastAt != nil:
		return "not done; run the command again at " + r.LastAt.Format(time.RFC3339) + " or later"
	}
	return "not done; run the command again to continue"
}

func spellCounts(n erase.Counts) string {
	var parts []string
	for kind, count := range n {
		parts = append(parts, fmt.Sprintf("%d %s", count, kind))
	}
	if parts == nil {
		return "nothing"
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}
