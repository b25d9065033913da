package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/erase"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/rules"
	"github.com/footfall/footfall/sinks"
)

func newEraseCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "erase",
		Short: "Erase what the table holds about a visitor or a user",
		Long: `Delete a person's raw events and conversions, take ids, pages and places in the indexes from his sessions, and keep
footfall from bringing any of it back: by a late event, a redo, or a replay of the topic. Totals stay as they are.
docs/erasure.md says what goes, what stays, and until when.`,
		Example: "  footfall erase visitor shop.example 4f2a --dry-run\n  footfall erase visitor shop.example 4f2a --yes\n  footfall erase list",
	}
	cmd.AddCommand(newErasePersonCommand(a, rules.Visitor, "visitorId"), newErasePersonCommand(a, rules.User, "userId"), newEraseListCommand(a))
	return cmd
}

func newErasePersonCommand(a *app, person rules.Person, field string) *cobra.Command {
	o := erase.Options{Person: person}
	var yes bool
	var output string
	cmd := &cobra.Command{
		Use:   string(person) + " SITE ID",
		Short: "Erase what the table holds about the " + string(person) + " with this " + field,
		Long: `Erase what the table holds of a site's events with this ` + field + `, up to now and ten minutes on (further, where the
pipeline lets events be further ahead). What the ` + string(person) + ` does after that is counted as anybody's.

It sweeps the table at once. Then it waits until every chain has recorded the erasure, which a running pipeline does within
a minute or two of its flush interval, and ten minutes more, until what was on its way is void; and sweeps again. It may
be ended at any point: the same command goes on where it was. --no-wait ends it where it would have to wait.

A chain that nobody owns holds it up: start the pipeline of its topic, or, if nobody will read that topic again, name the chain
with --skip-chain. Where its last step is open, its sessions keep their pages, and the erasure is not done.

The whole of the site's raw events and sessions is read, twice, and with --include-breakdowns its breakdowns once. Exit codes: 0 done, or as far as was asked for; 1 it could not
go on.`,
		Example: "  footfall erase " + string(person) + " shop.example 4f2a --dry-run\n  footfall erase " + string(person) + " shop.example 4f2a --yes\n" +
			"  footfall erase " + string(person) + " shop.example 4f2a --yes --no-wait --output json",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Site, o.ID = args[0], args[1]
			if err := checkJSON(output); err != nil {
				return err
			}
			if err := o.Validate(); err != nil {
				return usagef("%w", err)
			}
			if !yes && !o.DryRun {
				return usagef("this deletes what the table holds about %s %q of site %q for good: add --yes to do it, or --dry-run to count it",
					person, o.ID, o.Site)
			}
			c, err := a.config(cmd)
			if err != nil {
				return err
			}
			o.HashKey = hashKey(c)
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				o.Table, o.Tell = t.Table, a.tellErasure()
				o.Scrubber, _ = t.Admin.(sinks.Scrubber)
				report, err := erase.Run(ctx, o)
				if err != nil {
					return err
				}
				return printErasure(a.plainIfTerminal(), report, output)
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&yes, "yes", false, "erase without asking again")
	f.BoolVar(&o.DryRun, "dry-run", false, "count what would be deleted or changed now, and write nothing")
	if person == rules.Visitor {
		f.BoolVar(&o.Breakdowns, "include-breakdowns", false, "also drop rows of breakdowns that only this visitor made; their figures move to \"other\"")
	}
	f.BoolVar(&o.NoWait, "no-wait", false, "end where the pipeline would have to be waited for; the same command goes on later")
	f.StringSliceVar(&o.Skip, "skip-chain", nil, "do not wait for these chains, topic/partition, which nobody reads any more")
	f.StringVarP(&output, "output", "o", string(query.Table), "table or json")
	complete(cmd, "output", string(query.Table), string(query.JSON))
	addConfigFlags(f, "visitorHashKey")
	return cmd
}

func newEraseListCommand(a *app) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "list [SITE]",
		Short: "List erasures, and how far each has come",
		Long: `List the erasures of a site, or of all sites: whose by a keyed hash, since the table keeps no id; up to which event time; how
far each has come, and what it has touched.`,
		Example: "  footfall erase list\n  footfall erase list shop.example --output json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkJSON(output); err != nil {
				return err
			}
			if len(args) > 0 && args[0] == "" {
				return usagef("the site is empty: name one, or leave it out to list all erasures")
			}
			return a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
				all, err := erase.List(ctx, t.Table, sinks.Keys{}, strings.Join(args, ""))
				if err != nil {
					return err
				}
				if output == string(query.JSON) {
					return printJSON(a.plainIfTerminal(), struct {
						Erasures []erase.Listed `json:"erasures"`
					}{all})
				}
				w := tabwriter.NewWriter(a.plainIfTerminal(), 0, 0, 2, ' ', 0)
				fmt.Fprintln(w, "REVISION\tSITE\tPERSON\tHASH\tUNTIL\tSTATE\tTOUCHED")
				for _, e := range all {
					fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%s\n", e.Revision, spellID(e.Site), e.Person, e.Hash, e.Until.Format(time.RFC3339), e.State, spellCounts(e.Touched))
				}
				return w.Flush()
			})
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", string(query.Table), "table or json")
	complete(cmd, "output", string(query.Table), string(query.JSON))
	return cmd
}

func checkJSON(output string) error {
	if output != string(query.Table) && output != string(query.JSON) {
		return usagef("--output %q: choose table or json", output)
	}
	return nil
}

func printJSON(out io.Writer, v any) error {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// tellErasure returns what says on stderr how far an erasure is, whenever that changes.
func (a *app) tellErasure() func(erase.Report) {
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
			text = "waiting for chains to record revision " + fmt.Sprint(r.Revision) + ": " + strings.Join(names, ", ")
		case r.State == erase.Recorded && r.LastAt != nil:
			text = "every chain has recorded it: the last sweep begins at " + r.LastAt.Format(time.RFC3339)
		}
		if text != "" && text != said {
			fmt.Fprintln(a.err, text)
			said = text
		}
	}
}

// kept is what an erasure leaves, and until when.
const kept = `Left until their retention ends: the topic's own records, rejected ones on the failed-events topic, the ids of sessions in lists of
recent sessions (2 days) and in the keys of session items, and pages in realtime minutes (10 minutes). Sums, uniques and
breakdowns stay: they have no ids but keyed hashes.
`

func printErasure(out io.Writer, r erase.Report, output string) error {
	if output == string(query.JSON) {
		return printJSON(out, r)
	}
	if r.DryRun {
		_, err := fmt.Fprintf(out, "Would touch: %s. Behind them in time, and left: %d.\n", spellCounts(r.Touched), r.Later)
		return err
	}
	fmt.Fprintf(out, "Erasure %d of a %s of site %q, up to %s: %s.\nTouched: %s.\n", r.Revision, r.Person, r.Site, r.Until.Format(time.RFC3339), spellState(r), spellCounts(r.Touched))
	if r.Later > 0 {
		fmt.Fprintf(out, "Later than that, and left: %d: the %s came back, or a clock was ahead. To erase them, run the command again when this is done.\n", r.Later, r.Person)
	}
	for _, c := range r.Waiting {
		fmt.Fprintf(out, "Waits for: chain %s, owned by %s.\n", c.Name(), c.Owner)
	}
	if len(r.Open) > 0 {
		fmt.Fprintf(out, "Not waited for, and their last step open: %s. Once one is taken over, run the command again.\n", strings.Join(r.Open, ", "))
	}
	_, err := io.WriteString(out, kept)
	return err
}

// spellID makes an id fit for a terminal: sites name themselves, and must not move the cursor.
func spellID(id string) string {
	q := strconv.QuoteToGraphic(id)
	return q[1 : len(q)-1]
}

func spellState(r erase.Report) string {
	switch {
	case r.Over():
		return "done"
	case r.State == erase.Done:
		return "not done for some chains"
	case r.State == erase.Recorded && r.LastAt != nil:
		return "not done; run the command again at " + r.LastAt.Format(time.RFC3339) + " or later"
	}
	return "not done; run the command again to go on"
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
