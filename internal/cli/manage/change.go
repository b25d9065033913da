package manage

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
)

// A change is written to the table. It returns the answer to print: what was changed, as it is then.
type change func(ctx context.Context, t *connect.Table) (answer any, err error)

// changing makes cmd change something of the table: a site, a goal or a funnel. read makes the change of flags and arguments, and
// refuses what is wrong before anything is opened.
func changing(a *command.App, cmd *cobra.Command, read func(f *pflag.FlagSet, args []string) (change, error)) *cobra.Command {
	var output show.Format
	command.AddOutput(cmd, &output, show.Table, show.JSON, show.CSV)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		apply, err := read(cmd.Flags(), args)
		if err != nil {
			if _, coded := errors.AsType[*command.ExitError](err); !coded {
				err = command.Usagef("%w", err)
			}
			return err
		}
		return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
			answer, err := apply(ctx, t)
			if err != nil {
				return err
			}
			return a.Show(a.Layout(output), answer)
		})
	}
	return cmd
}

// sayRebuild says, beside an answer that people read, how a change can hold for what was counted before it, if anything was.
func sayRebuild(ctx context.Context, a *command.App, f *pflag.FlagSet, d sites.Decision) error {
	if output, err := f.GetString("output"); err != nil || show.Format(output) != show.Table {
		return err
	}
	counted, err := d.Counted(ctx)
	if counted {
		fmt.Fprintln(a.Err, "This applies from now on. footfall rebuild --settings today applies it to all events that the topic still has.")
	}
	return err
}

const ifRevision = "if-revision"

// addRevision adds the flag that refuses a change if the site has changed since.
func addRevision(f *pflag.FlagSet) {
	f.Int64(ifRevision, 0, "change only if the site's last revision has this number; 0 = the site has no revision (default: any)")
}

// readRevision returns the revision that the flag names; nil: it was not set.
func readRevision(f *pflag.FlagSet) (*int64, error) {
	revision, err := f.GetInt64(ifRevision)
	if err != nil || !f.Changed(ifRevision) {
		return nil, err
	}
	if revision < 0 {
		return nil, fmt.Errorf("--%s %d: name the site's last revision, which footfall site show --json prints; 0 = it has none", ifRevision,
			revision)
	}
	return &revision, nil
}
