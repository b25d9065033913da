package tables

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/adopt"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
)

// NewTopicCommand is footfall topic.
func NewTopicCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "topic",
		Short: "Continue with a mirror of the topic on another cluster",
		Long: `A table counts a topic. If the topic is mirrored to another cluster, its records have other offsets there, and the topic has another id.
"footfall topic adopt" finds where each partition continues.`,
		Example: "  footfall topic adopt --from-brokers old:9092 --dry-run",
	}
	cmd.AddCommand(newTopicAdoptCommand(a))
	return cmd
}

// adoptFlags are those of footfall topic adopt.
type adoptFlags struct {
	brokers []string
	file    string
	records int
	dry     bool
	output  show.Format
}

func newTopicAdoptCommand(a *command.App) *cobra.Command {
	var o adoptFlags
	cmd := &cobra.Command{
		Use:   "adopt",
		Short: "Let the table continue in a mirror of its topic",
		Long: `Let the table continue in a mirror of its topic, which --brokers or the configuration name. The mirror has the same name, and each record in
the same partition and order, as MirrorMaker with the IdentityReplicationPolicy makes it. Offsets may differ, and it may have begun later.

Before it, stop all members in order (SIGTERM), and let the mirror catch up. Do not start a member on the mirror first: it would take the
topic for one that was created again, and count its records twice. The old cluster must still be readable. Of each partition the command
compares the last counted records, and those that follow, with the mirror: key, value, timestamp and headers. If a record is missing or
there twice, or if it is not certain where a partition continues, nothing is changed and the reason is named.

Afterwards start the members on the new cluster. Those of the old cluster are refused. The command may be killed at any point and is
completed by running it again. "footfall verify" recounts all of a mirror that has all records at their old offsets; otherwise it leaves out
what depends on earlier records.`,
		Example: `  footfall topic adopt --brokers new:9092 --from-brokers old:9092 --dry-run
  footfall topic adopt -c new.yaml --from-config old.yaml`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if (len(o.brokers) > 0) == (o.file != "") {
				return command.Usagef("name the old cluster, by --from-brokers or by --from-config")
			}
			if o.records < 1 {
				return command.Usagef("--records %d: write a number of 1 or more", o.records)
			}
			return o.run(a, cmd)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.brokers, "from-brokers", nil, "seed brokers of the old cluster, reached with the TLS and SASL settings of the new one")
	f.StringVar(&o.file, "from-config", "", "configuration file that names the old cluster; its kafka settings are used")
	f.IntVar(&o.records, "records", 10_000, "max. records to compare on either side of a position; each takes about 100 bytes of memory")
	f.BoolVar(&o.dry, "dry-run", false, "print where each partition would continue, and change nothing")
	command.AddOutput(cmd, &o.output, show.Table, show.JSON)
	command.AddAllConfigFlags(f)
	return cmd
}

func (o *adoptFlags) run(a *command.App, cmd *cobra.Command) error {
	return connect.WithTopic(a, cmd, connect.ReadPatience, func(ctx context.Context, kafka []kgo.Opt, topic string, t *connect.Table) error {
		old, err := connect.OtherBrokers(t.Config.Kafka, o.brokers, o.file)
		if err != nil {
			return err
		}
		job := adopt.Job{Old: old, Mirror: kafka, Topic: topic, Group: t.Config.Kafka.Group, Table: t.Table, Records: o.records}
		done, err := job.Run(ctx, o.dry)
		if err != nil {
			return err
		}
		return a.Print(o.output, done, func(out io.Writer) error { return o.print(out, done) })
	})
}

func (o *adoptFlags) print(out io.Writer, a adopt.Adopted) error {
	for _, l := range a.Lanes {
		where := "is in the mirror already"
		if l.Offset >= 0 {
			where = fmt.Sprintf("offset %d -> %d (%d records before it and %d after it are equal)", l.Offset, l.NewOffset, l.Before, l.After)
		}
		if _, err := fmt.Fprintf(out, "Partition %d, %s: position %d, %s\n", l.Partition, l.Lane, l.Position, where); err != nil {
			return err
		}
	}
	last := "The table continues in the mirror. Start the members there."
	if o.dry {
		last = "Nothing was changed."
	}
	_, err := fmt.Fprintln(out, last)
	return err
}
