package inspect

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

func newPartitionAcceptCommand(a *command.App) *cobra.Command {
	var accept checkpoint.Acceptance
	generation := 0
	cmd := &cobra.Command{
		Use:   "accept-gap PARTITION --lane LANE --flush NUMBER",
		Short: "Continue a partition after a data gap: records that the topic lost before they were counted",
		Long: `Continue a lane of a partition after its data gap. Records that were never read are missing from the numbers. If a flush was
unfinished at the gap, all, some or none of its records are counted. The gap stays in the history with these bounds, and "footfall
verify" reports it. Only the producers can send the records again.

"footfall status" prints the whole command for each gap. --flush guards against a mistake: if the lane has flushed since, the
command changes nothing. The command fences the partition's owner; a running pipeline takes the partition over within seconds.`,
		Example: "  footfall partition accept-gap 3 --lane stats --flush 4711",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if accept.Partition, err = command.PartitionOf(args[0]); err != nil {
				return err
			}
			for _, flag := range []string{"lane", "flush"} {
				if !cmd.Flags().Changed(flag) {
					return command.Usagef("--%s is missing: `footfall status` prints the whole command for each gap", flag)
				}
			}
			if !slices.Contains(checkpoint.Lanes, accept.Lane) {
				return command.Usagef("--lane %q: choose %s", accept.Lane, strings.Join(checkpoint.Lanes, " or "))
			}
			return connect.WithTopic(a, cmd, connect.ReadPatience, func(ctx context.Context, kafka []kgo.Opt, topic string, t *connect.Table) error {
				if accept.Keys, err = t.KeysOf(generation); err != nil {
					return err
				}
				accept.Kafka, accept.Topic, accept.Table = kafka, topic, t.Table
				gap, err := checkpoint.AcceptGap(ctx, accept)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "Partition %d, lane %s continues after the gap: %s.\n", accept.Partition, accept.Lane, gap.String())
				return err
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&accept.Lane, "lane", "", "lane with the gap: stats or realtime")
	f.Int64Var(&accept.Step, "flush", 0, "number of the lane's last flush, as footfall status prints it")
	command.Complete(cmd, "lane", checkpoint.Lanes...)
	connect.AddGeneration(f, &generation)
	command.AddAllConfigFlags(f)
	return cmd
}
