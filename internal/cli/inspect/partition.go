package inspect

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// NewPartitionCommand is footfall partition.
func NewPartitionCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "partition",
		Short: "Continue a partition that is parked or has a data gap",
		Long: `A partition is parked when it cannot continue without a decision: its records cannot be read, or an item of the table is damaged. It
also stops at a data gap, where the topic lost records before they were counted. Other partitions continue. "footfall status" shows
the reason and prints the commands that continue the partition. Where "footfall rebuild" ends with such a partition, name the generation
that is being rebuilt with --generation, then run it again; "footfall rebuild drop" and another rebuild begin from the start.

A partition is counted in two lanes, stats and realtime, which flush to the table independently. A data gap belongs to one lane.`,
		Example: "  footfall partition resume 3\n  footfall partition skip 3 --from-offset 4711 --to-offset 4712\n  footfall partition " +
			"accept-gap 3 --lane stats --flush 4711",
	}
	cmd.AddCommand(newPartitionResumeCommand(a), newPartitionSkipCommand(a), newPartitionAcceptCommand(a))
	return cmd
}

func newPartitionResumeCommand(a *command.App) *cobra.Command {
	generation := 0
	cmd := &cobra.Command{
		Use:   "resume PARTITION",
		Short: "Continue a parked partition where it stopped",
		Long: `Continue a parked partition where it stopped. Remove the cause first; otherwise the partition parks again. A running pipeline
takes it up within seconds. Nothing is skipped.`,
		Example: "  footfall partition resume 3",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			n, err := command.PartitionOf(args[0])
			if err != nil {
				return err
			}
			return connect.WithTopic(a, cmd, connect.ReadPatience, func(ctx context.Context, _ []kgo.Opt, topic string, t *connect.Table) error {
				keys, err := t.KeysOf(generation)
				if err != nil {
					return err
				}
				park, err := checkpoint.Resume(ctx, checkpoint.Unparking{Topic: topic, Table: t.Table, Keys: keys, Partition: n})
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "Partition %d continues. It was parked since %s: %s\n", n, park.Since, park.String())
				return err
			})
		},
	}
	connect.AddGeneration(cmd.Flags(), &generation)
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}

func newPartitionSkipCommand(a *command.App) *cobra.Command {
	var u checkpoint.Unparking
	generation := 0
	cmd := &cobra.Command{
		Use:   "skip PARTITION --from-offset A --to-offset B",
		Short: "Skip offsets of a parked partition that cannot be read",
		Long: `Skip the offsets [A, B) of a parked partition, which cannot be read, and continue at B. None of their records is counted. The range
stays in the history of both lanes; "footfall verify" leaves it out and reports it. Duplicates are not detected across the range:
copies of an event on both sides count twice. Offsets that were counted before they became unreadable stay counted.

A must be the offset at which the partition is parked. "footfall status" prints the whole command.`,
		Example: "  footfall partition skip 3 --from-offset 4711 --to-offset 4712",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if u.Partition, err = command.PartitionOf(args[0]); err != nil {
				return err
			}
			for _, flag := range []string{"from-offset", "to-offset"} {
				if !cmd.Flags().Changed(flag) {
					return command.Usagef("--%s is missing: `footfall status` prints the whole command", flag)
				}
			}
			if u.From < 0 || u.From >= u.To {
				return command.Usagef("--from-offset %d, --to-offset %d: the first must be less than the second, and none negative", u.From, u.To)
			}
			return connect.WithTopic(a, cmd, connect.ReadPatience, func(ctx context.Context, kafka []kgo.Opt, topic string, t *connect.Table) error {
				if u.Keys, err = t.KeysOf(generation); err != nil {
					return err
				}
				u.Kafka, u.Topic, u.Table = kafka, topic, t.Table
				if err := checkpoint.Skip(ctx, u); err != nil {
					return err
				}
				_, err := fmt.Fprintf(a.Out, "Partition %d has skipped offsets [%d,%d) and continues.\n", u.Partition, u.From, u.To)
				return err
			})
		},
	}
	f := cmd.Flags()
	f.Int64Var(&u.From, "from-offset", 0, "first offset to skip")
	f.Int64Var(&u.To, "to-offset", 0, "end of the range, exclusive")
	connect.AddGeneration(f, &generation)
	command.AddAllConfigFlags(f)
	return cmd
}
