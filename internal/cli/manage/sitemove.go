package manage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/move"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/show"
)

// moveFlags are the flags of footfall site move.
type moveFlags struct {
	to       string
	units    int
	dry, yes bool
	output   show.Format
}

func newSiteMoveCommand(a *command.App) *cobra.Command {
	var m moveFlags
	cmd := &cobra.Command{
		Use:   "move SITE --to-table TABLE",
		Short: "Copy a deleted site to another table, where it is counted from then on",
		Long: `Copy a site to another table: its settings, goals, funnels, annotations, alerts and erasures, and all that was counted of it, raw events
included. Queries of the new table then answer as those of the old one did, and later events count on top. Nothing of the old table is
changed: remove the site there with "footfall site purge".

Delete the site in the old table first, with "footfall site delete", so that no more of it is counted. The new table must have nothing of
it, and must have been made with the same visitor hash key: an empty table takes the key over. It rejects the site's events until the
command is done; "footfall failed replay" counts them. Point the site's producers at the topic of the new table.

Visitors who come back and sessions that continue are new ones to the new table. "footfall verify" leaves out what has moved, and
"footfall rebuild" refuses a table with such sites. Tokens and share links stay in the old table. The command may be killed at any point
and is completed by running it again.`,
		Example: `  footfall site move shop.example --to-table dynamodb://client --dry-run
  footfall site move shop.example --to-table dynamodb://client --write-units 500`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return m.run(a, cmd, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&m.to, "to-table", "", "table to move the site to: dynamodb://NAME or sqlite://PATH")
	f.IntVar(&m.units, "write-units", 0, "max. write units a second that the copy takes of the new table; 0 = unlimited")
	f.BoolVar(&m.dry, "dry-run", false, "count what would be copied and what it costs, and write nothing")
	f.BoolVar(&m.yes, "yes", false, "copy although it costs more than 100 dollars")
	command.AddOutput(cmd, &m.output, show.Table, show.JSON)
	return cmd
}

// MoveAnswer is the JSON of footfall site move.
type MoveAnswer struct {
	Estimate MoveEstimate `json:"estimate"`
	Move     *move.Report `json:"move"` // null: with --dry-run
}

// MoveEstimate is what a move copies, and what that consumes.
type MoveEstimate struct {
	Items      int64   `json:"items"`
	Bytes      int64   `json:"bytes"`
	WriteUnits float64 `json:"writeUnits"`       // of the new table
	Dollars    float64 `json:"estimatedDollars"` // of these on demand; 0: the table costs nothing
}

func (m *moveFlags) run(a *command.App, cmd *cobra.Command, site string) error {
	switch {
	case m.to == "":
		return command.Usagef("--to-table is missing: name the table to move the site to")
	case m.units < 0:
		return command.Usagef("--write-units %d: write 1 or more, or 0 for no bound", m.units)
	}
	return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) (err error) {
		if t.Config.Table == m.to {
			return command.Usagef("--to-table %s is the table that the site is in", m.to)
		}
		c := t.Config
		c.Table = m.to
		to, err := connect.OpenConfigured(ctx, c)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, to.Close()) }()
		if err := doctor.CheckTable(ctx, to.Admin, m.to); err != nil {
			return err
		}
		answer := MoveAnswer{}
		if answer.Estimate, err = m.estimate(ctx, a, t, site); err != nil {
			return err
		}
		if m.dry {
			return a.Print(m.output, answer, func(io.Writer) error { return nil })
		}
		report, err := move.Run(ctx, move.Options{From: t.Table, To: to.Table, Site: site, WriteUnits: m.units, Waiting: waitsFor(a)})
		if err != nil {
			return err
		}
		answer.Move = &report
		return a.Print(m.output, answer, func(out io.Writer) error { return printMove(out, report, m.to) })
	})
}

// estimate prints what is copied, and what that costs. Above askAbove it is an error without --yes.
func (m *moveFlags) estimate(ctx context.Context, a *command.App, t *connect.Table, site string) (e MoveEstimate, err error) {
	had, err := purge.Count(ctx, purge.Options{Table: t.Table, Site: site})
	if err != nil {
		return e, err
	}
	e = MoveEstimate{Items: had.Items, Bytes: had.Bytes, WriteUnits: had.WriteUnits}
	if strings.HasPrefix(m.to, "dynamodb://") {
		e.Dollars = e.WriteUnits * capacity.DefaultPrices().WriteMillion / 1e6
	}
	out := a.Out
	if m.output == show.JSON || !m.dry {
		out = a.Err
	}
	_, err = fmt.Fprintf(out, "Site %s has %s, %.1f MB. A move takes about %.0f write units of the new table, %.2f dollars on demand.\n",
		command.SpellID(site), plural.Count(e.Items, "item", "items"), float64(e.Bytes)/1e6, e.WriteUnits, e.Dollars)
	if err == nil && e.Dollars > askAbove && !m.yes && !m.dry {
		err = command.Usagef("this costs more than %d dollars: add --yes to do it", askAbove)
	}
	return e, err
}

// waitsFor returns a function that prints to stderr what a move waits for, whenever that changes.
func waitsFor(a *command.App) func(table string, chains []erase.Chain) {
	said := ""
	return func(table string, chains []erase.Chain) {
		if text := fmt.Sprintf("waiting for checkpoints of the %s table: %s", table, strings.Join(ownersOf(chains), ", ")); text != said {
			fmt.Fprintln(a.Err, text)
			said = text
		}
	}
}

func printMove(out io.Writer, r move.Report, to string) error {
	if r.Before {
		_, err := fmt.Fprintf(out, "Site %s is in %s already, since revision %d: nothing was changed.\n", command.SpellID(r.Site), to, r.Revision)
		return err
	}
	_, err := fmt.Fprintf(out, "Site %s is in %s, by revision %d. Copied: %s, for %.0f write units.\n", command.SpellID(r.Site), to,
		r.Revision, plural.Count(r.Items, "item", "items"), r.WriteUnits)
	return err
}
