package tables

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/upgrade"
)

// NewUpgradeCommand is footfall upgrade.
func NewUpgradeCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Finish an upgrade, after which an earlier release may not return",
		Long: `A table has a format: what the releases that use it agree on. A new release writes the format of the table, whichever that is, so members of
both releases may share a consumer group, and the earlier release may be deployed again at any time. "footfall upgrade finalize" raises
the format. From the next flush of each partition on the rules of the new release hold; what was counted before stays as it is.`,
		Example: "  footfall upgrade status\n  footfall upgrade finalize",
	}
	cmd.AddCommand(newUpgradeStatusCommand(a), newUpgradeFinalizeCommand(a))
	return cmd
}

func newUpgradeStatusCommand(a *command.App) *cobra.Command {
	var output show.Format
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the format of the table, and which members of an earlier release own partitions",
		Long: `Show the format of the table, the latest that this footfall knows, and the lanes of partitions whose last owner does not know it. A
partition is counted in two lanes, stats and realtime.`,
		Example: "  footfall upgrade status\n  footfall upgrade status --output json | jq -r '.earlier[].owner' | sort -u",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				s, err := upgrade.Look(ctx, t.Table)
				if err == nil {
					err = a.Print(output, s, func(out io.Writer) error { return printUpgrade(out, s) })
				}
				return err
			})
		},
	}
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	command.AddAllConfigFlags(cmd.Flags())
	return command.OnCopies(cmd, true)
}

func newUpgradeFinalizeCommand(a *command.App) *cobra.Command {
	var force bool
	var output show.Format
	cmd := &cobra.Command{
		Use:   "finalize",
		Short: "Raise the format of the table to the latest that this footfall knows",
		Long: `Raise the format of the table to the latest that this footfall knows, then fence all partitions; their owners take them over again
within some ten seconds, and continue in the new format. There is no way back: members of an earlier release are refused from then on, with
the release to run.

While partitions are owned by members of an earlier release, nothing is changed: they are named. --force ignores them, for topics that
are no longer consumed; a member that is at work after all is fenced, writes nothing more, and ends. The command may be interrupted
and repeated.`,
		Example: "  footfall upgrade finalize",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				s, err := upgrade.Finalize(ctx, t.Table, force)
				if earlier, ok := errors.AsType[*upgrade.EarlierError](err); ok {
					return errors.Join(printOwners(a.Err, earlier.Owners), err)
				}
				if err != nil {
					return err
				}
				return a.Print(output, s, func(out io.Writer) error {
					_, err := fmt.Fprintf(out, "The table has format %d: releases before %s are refused from now on.\n", s.Format, s.Release)
					return err
				})
			})
		},
	}
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	cmd.Flags().BoolVar(&force, "force", false, "finalize although partitions were last owned by members of an earlier release")
	command.AddAllConfigFlags(cmd.Flags())
	return command.OnCopies(cmd, true)
}

func printUpgrade(out io.Writer, s upgrade.State) error {
	_, err := fmt.Fprintf(out, "The table has format %d, of release %s. This footfall knows format %d, of release %s.\n", s.Format, s.Release,
		s.LatestFormat, s.LatestRelease)
	switch {
	case err != nil:
	case s.Finalized && s.Unchanged == 0:
		_, err = fmt.Fprintln(out, "The upgrade is finalized.")
	case s.Finalized:
		_, err = fmt.Fprintf(out, "The upgrade is finalized. The last flush of %d of %d lanes is in an earlier format; their next will not be.\n",
			s.Unchanged, s.Lanes)
	case s.Format == s.LatestFormat:
		_, err = fmt.Fprintln(out, "`footfall upgrade finalize` was cut short: run it again. Until then some lanes may continue in the earlier format.")
	case len(s.Earlier) == 0:
		_, err = fmt.Fprintln(out, "No partition is owned by an earlier release. `footfall upgrade finalize` raises the format; there is no way back.")
	default:
		if _, err = fmt.Fprintf(out, "Members of an earlier release own %d of %d lanes:\n", len(s.Earlier), s.Lanes); err == nil {
			err = printOwners(out, s.Earlier)
		}
	}
	return err
}

func printOwners(out io.Writer, owners []upgrade.Owner) error {
	for _, o := range owners {
		flushed := "never flushed"
		if !o.FlushedAt.IsZero() {
			flushed = "last flush " + o.FlushedAt.Format("2006-01-02 15:04:05Z")
		}
		if _, err := fmt.Fprintf(out, "  topic %q, partition %d, %s: %s, %s\n", o.Topic, o.Partition, o.Lane, o.Owner, flushed); err != nil {
			return err
		}
	}
	return nil
}
