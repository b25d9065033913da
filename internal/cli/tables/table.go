// Package tables has the commands on the table itself, its load and its cost: footfall table, upgrade, rebuild,
// plan and cost.
package tables

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/sinks"
)

// NewTableCommand is footfall table.
func NewTableCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "table",
		Short: "Create, describe, change or delete the table",
		Long: `The table holds all numbers: a DynamoDB table (dynamodb://NAME) or a SQLite file (sqlite://PATH). AWS is configured by
its standard variables, profiles and roles; AWS_ENDPOINT_URL_DYNAMODB points at DynamoDB Local.`,
		Example: "  footfall table create --table dynamodb://footfall\n  footfall table describe --table dynamodb://footfall",
	}
	cmd.AddCommand(newTableCreateCommand(a), newTableDescribeCommand(a), newTableUpdateCommand(a), newTableTemplateCommand(a),
		newTableHotCommand(a), newTableQuarantineCommand(a), newTableResumeCommand(a), newTableDeleteCommand(a))
	return cmd
}

func newTableCreateCommand(a *command.App) *cobra.Command {
	var s sinks.Shape
	var options optionFlags
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create the table, or check that it exists as requested",
		Long: `Create the table with its keys, its index and expiry by the attribute ttl, and wait until it can be written. It is billed on demand
unless both capacities are given.

Running the command again is safe. A table of the same shape stays; a table of another shape is not changed, its differences are
listed, and the exit code is 1. Expiry, recovery and the options of --warm-write-units, --max-write-units, --deletion-protection and
--table-class are applied to an existing table too.`,
		Example: `  footfall table create --table dynamodb://footfall
  footfall table create --table dynamodb://footfall --recovery --dynamodb-stream
  footfall table create --table dynamodb://footfall --read-capacity 50 --write-capacity 500
  footfall table create --warm-write-units 12000 --max-write-units 30000 --deletion-protection
  AWS_ENDPOINT_URL_DYNAMODB=http://localhost:8000 footfall table create`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.readShape(cmd, &s); err != nil {
				return command.Usagef("%w", err)
			}
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				_, err := t.Describe(ctx)
				found := !errors.Is(err, sinks.ErrNoTable)
				if err := t.Create(ctx, s); err != nil {
					return err
				}
				d, err := t.Describe(ctx)
				if err != nil {
					return err
				}
				text := "Table %s is created and ready.\n"
				if found {
					text = "Table %s already exists and is ready.\n"
				}
				_, err = fmt.Fprintf(a.Out, text, d.Name)
				return err
			})
		},
	}
	options.addShape(cmd, &s)
	return command.OnCopies(cmd, true)
}

func newTableDescribeCommand(a *command.App) *cobra.Command {
	var output show.Format
	cmd := &cobra.Command{
		Use:   "describe",
		Short: "Show the table's status, and how it differs from what footfall needs",
		Long: `Print the table's status, billing, expiry, recovery, stream and indexes, items and bytes (DynamoDB counts
them every six hours), and each difference from what footfall needs.`,
		Example: "  footfall table describe --table dynamodb://footfall\n  footfall table describe --output json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				d, err := t.Describe(ctx)
				if err != nil {
					return err
				}
				described := DescribedTable{d.Name, d.Kind, d.Status, d.Billing, d.ReadCapacity, d.WriteCapacity, d.WarmWriteUnits,
					d.MaxWriteUnits, d.DeletionProtection != nil && *d.DeletionProtection, string(d.Class), d.TTL, d.Recovery,
					d.Stream, orEmpty(d.Indexes), d.Items, d.Bytes, orEmpty(d.Differences)}
				return a.Print(output, described, func(out io.Writer) error { return printDescription(out, d) })
			})
		},
	}
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	return command.OnCopies(cmd, true)
}

// DescribedTable is the JSON of a sinks.Description.
type DescribedTable struct {
	Name          string   `json:"name"`
	Kind          string   `json:"kind"`
	Status        string   `json:"status"`
	Billing       string   `json:"billing"`
	ReadCapacity  int64    `json:"readCapacity"`
	WriteCapacity int64    `json:"writeCapacity"`
	WarmWrites    int64    `json:"warmWriteUnits"` // 0: not described
	MaxWrites     int64    `json:"maxWriteUnits"`  // -1: unlimited; 0: billing has none
	Protected     bool     `json:"deletionProtection"`
	Class         string   `json:"tableClass"` // "": none
	TTL           bool     `json:"ttl"`
	Recovery      bool     `json:"recovery"`
	Stream        bool     `json:"stream"`
	Indexes       []string `json:"indexes"`
	Items         int64    `json:"items"`
	Bytes         int64    `json:"bytes"`
	Differences   []string `json:"differences"`
}

func printDescription(out io.Writer, d sinks.Description) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	onOff := map[bool]string{true: "on", false: "off"}
	billing := d.Billing
	if d.WriteCapacity > 0 {
		billing = fmt.Sprintf("%s, %d read and %d write units a second", billing, d.ReadCapacity, d.WriteCapacity)
	}
	for _, row := range append([][2]string{
		{"Table", d.Name}, {"Kind", d.Kind}, {"Status", d.Status}, {"Billing", billing}}, append(optionRows(d.Options), [][2]string{
		{"Expiry", onOff[d.TTL]}, {"Recovery", onOff[d.Recovery]}, {"Stream", onOff[d.Stream]}, {"Indexes", strings.Join(d.Indexes, ", ")},
		{"Items", fmt.Sprint(d.Items)}, {"Bytes", fmt.Sprint(d.Bytes)},
	}...)...) {
		if row[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
		}
	}
	for _, difference := range d.Differences {
		fmt.Fprintf(w, "Difference\t%s\n", difference)
	}
	return w.Flush()
}

func newTableDeleteCommand(a *command.App) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "delete",
		Short: "Delete the table with all it holds",
		Long: `Delete the table with all its items and wait until it is gone. Only what the topic still holds can be counted again, so the command
asks for the table's name on a terminal, and requires --yes elsewhere.`,
		Example: "  footfall table delete --table dynamodb://footfall-test --yes",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Config(cmd)
			if err != nil {
				return err
			}
			switch {
			case yes:
			case !command.IsTerminal(a.In):
				return command.Usagef("this deletes table %s and all it holds: add --yes to do it", c.Table)
			default:
				_, name, _ := strings.Cut(c.Table, "://")
				if err := a.AskForName("deletes table "+c.Table+" and all it holds", "table", name, c.Table); err != nil {
					return err
				}
			}
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				switch err := t.Drop(ctx); {
				case errors.Is(err, sinks.ErrNoTable):
					return fmt.Errorf("table %s does not exist: nothing was deleted", c.Table)
				case err != nil:
					return err
				}
				_, err := fmt.Fprintf(a.Out, "Table %s is gone.\n", c.Table)
				return err
			})
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "delete without confirmation")
	return command.OnCopies(cmd, true)
}
