package tables

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/sinks"
)

func newTableUpdateCommand(a *command.App) *cobra.Command {
	var c sinks.Change
	var output show.Format
	var options optionFlags
	cmd := &cobra.Command{
		Use:   "update",
		Short: "Change how the table is billed, and add what this version needs",
		Long: `Create the indexes and turn on the expiry that this version needs and the table lacks, change the billing on request, and wait until
the table can be written. The table stays in use. Each action is checked first, so running the command again does only what is left. If
the table's keys differ, which no update can change, they are listed, with exit code 1.

Without --on-demand or capacities, the billing stays. With --max-read-capacity and --max-write-capacity, auto scaling moves the
capacities of the table and of each index between the given values and these; without them, auto scaling is removed. If the store has
no auto scaling, like DynamoDB Local, the command prints that and does the rest. footfall plan estimates the capacities of a load.

AWS requires the permissions dynamodb:UpdateTable and dynamodb:UpdateTimeToLive, and for auto scaling those of
application-autoscaling to describe, register and deregister scalable targets and to describe and put scaling policies.

A table on demand is ready for 4,000 write units per second when it is new. --warm-write-units prepares it, and each index, for more at
once; AWS charges each rise once, and takes none back. --max-write-units limits what a table on demand can cost.

A SQLite file has no billing; its indexes are repaired.`,
		Example: `  footfall table update --dry-run
  footfall table update --on-demand
  footfall table update --warm-write-units 12000 --max-write-units 30000 --deletion-protection
  footfall table update --read-capacity 10 --write-capacity 100 --max-read-capacity 200 --max-write-capacity 2000`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := options.read(cmd, &c.Options); err != nil {
				return command.Usagef("%w", err)
			}
			if err := checkChange(cmd, c); err != nil {
				return command.Usagef("%w", err)
			}
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				done, err := t.Alter(ctx, c)
				return errors.Join(err, printAltered(a, done, c.Dry, err == nil, output))
			})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&c.OnDemand, "on-demand", false, "bill by request")
	f.Int64Var(&c.ReadCapacity, "read-capacity", 0, "provisioned read units per second, of the table and of each index")
	f.Int64Var(&c.WriteCapacity, "write-capacity", 0, "provisioned write units per second, of the table and of each index")
	addScaling(cmd, &c)
	options.add(cmd)
	f.BoolVar(&c.Dry, "dry-run", false, "list the changes without making them")
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	return command.OnCopies(cmd, true)
}

func checkChange(cmd *cobra.Command, c sinks.Change) error {
	if err := noZeros(cmd, "read-capacity", "write-capacity", "max-read-capacity", "max-write-capacity"); err != nil {
		return err
	}
	return c.Validate()
}

// AlteredTable is the JSON of a sinks.Altered.
type AlteredTable struct {
	DryRun  bool     `json:"dryRun"`
	Done    []string `json:"done"`    // in a dry run, what there is to do
	Without []string `json:"without"` // what the store does not have
}

// printAltered says what was done, all of it or up to an error.
func printAltered(a *command.App, done sinks.Altered, dry, all bool, output show.Format) error {
	if output == show.JSON {
		return a.PrintJSON(AlteredTable{dry, orEmpty(done.Done), orEmpty(done.Without)})
	}
	if all && len(done.Done) == 0 {
		fmt.Fprintln(a.Out, "The table is as it should be: there is nothing to do.")
	}
	verb := "done"
	if dry {
		verb = "to do"
	}
	for _, line := range done.Done {
		fmt.Fprintf(a.Out, "%s: %s\n", verb, line)
	}
	for _, line := range done.Without {
		fmt.Fprintf(a.Out, "left out: %s\n", line)
	}
	return nil
}
