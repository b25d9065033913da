package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/quarantine"
	"github.com/footfall/footfall/sinks"
)

func newTableQuarantineCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine PK SK",
		Short: "Quarantine a damaged item, and continue without it",
		Long: `Quarantine an item that cannot be read: copy it, record the lost span in the history of each partition and lane that wrote it, and put
a replacement in its place if the unreadable attributes are unchanged. The command takes over these lanes first, which fences their
owners. A running pipeline takes them back within seconds, and partitions that were parked because of the item continue.

Damaged uniques, breakdowns and realtime minutes need no command: the pipeline quarantines them itself. Of a checkpoint, only the
totals can be replaced. Table settings, topics, site settings and histories cannot be replaced: restore them from a backup. A journal
entry is removed, and the hours that it may have held are marked as lost. Other items, such as raw events and sealed days, are removed.

The copy is kept for 30 days under the printed key. "footfall verify" lists the lost spans. The command may be repeated.`,
		Example: "  footfall table quarantine 'SITE#shop#SHARD#07' 'SESSION#s-1#1_3'",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.Config(cmd)
			if err != nil {
				return err
			}
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				done, err := quarantine.Item(ctx, quarantine.Decision{Topic: c.Kafka.Topic, Table: t.Table, Keys: quarantinedKeys(t, args[0]),
					Key: sinks.Key{PK: args[0], SK: args[1]}})
				if errors.Is(err, quarantine.ErrReadable) || errors.Is(err, quarantine.ErrNoCheckpoint) {
					return fmt.Errorf("%s / %s: %w", args[0], args[1], err)
				}
				if err != nil {
					return err
				}
				return printQuarantined(a, done)
			})
		},
	}
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}

// quarantinedKeys are the keys of the generation that a partition key names. An item that all generations share is treated as the live
// one's.
func quarantinedKeys(t *connect.Table, pk string) sinks.Keys {
	if keys := sinks.KeysOf(pk); keys.Generation > 0 {
		return keys
	}
	return t.Keys
}

func printQuarantined(a *command.App, done quarantine.Result) error {
	var b strings.Builder
	switch {
	case done.Again:
		fmt.Fprintln(&b, "The item was quarantined before.")
	case done.Absent:
		fmt.Fprintln(&b, "There is no such item: it was removed before, or has never been written.")
	case done.Removed:
		fmt.Fprintf(&b, "The %s was removed: %s could not be read. Copy: %s / %s\n", done.Type, strings.Join(done.Attrs, ", "), done.Copy.PK,
			done.Copy.SK)
	default:
		fmt.Fprintf(&b, "The %s was quarantined: %s could not be read. Copy: %s / %s\n", done.Type, strings.Join(done.Attrs, ", "), done.Copy.PK,
			done.Copy.SK)
		for _, l := range done.Spans {
			fmt.Fprintf(&b, "Lost: what partition %d, lane %s had folded into it before position %d.\n", l.TP.Partition, l.Lane, l.To)
		}
	}
	for _, n := range done.Resumed {
		fmt.Fprintf(&b, "Partition %d continues.\n", n)
	}
	_, err := fmt.Fprint(a.Out, b.String())
	return err
}
