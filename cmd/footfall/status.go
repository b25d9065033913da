package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

func newStatusCommand(a *app) *cobra.Command {
	var (
		output    show.Format
		partition int32
		history   bool
	)
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show each partition's checkpoint, lag and owner, and what is stopped",
		Long: `Show how far the topic is counted. The first line sums up the partitions. A partition is counted in two lanes, which flush to the
table independently: stats (hours, days, sessions, visitors, raw events) and realtime (minutes). The table has a line for each:

  STATE      complete: the last flush is in the table. flushing: it is being written, or its owner ended and the next owner
             repeats it. parked, gap: the partition is stopped. not started: nothing was flushed yet
  FLUSH      number of the last flush
  POSITIONS  what the flush covers, start inclusive and end exclusive. A position is an offset, plus a base if the topic was
             created again
  LAG        offsets up to the high watermark that are not counted yet
  RECORDS    records counted, rejected or found to be duplicates so far (lane stats)
  EPOCH      raised by each takeover, so that older owners can no longer write

After the table come parked partitions and data gaps with the commands that continue them, and records that wait for an open
transaction. --history adds earlier settings, topics that were created again, and gaps that were accepted.`,
		Example: "  footfall status\n  footfall status --partition 3 --history\n  footfall status --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withTopic(cmd, func(ctx context.Context, kafka []kgo.Opt, topic string, t *openedTable) error {
				views, err := checkpoint.ViewChains(ctx, kafka, topic, t.Table, sinks.Keys{})
				if err != nil {
					return err
				}
				if cmd.Flags().Changed("partition") {
					if views, err = chainsOf(partition, views); err != nil {
						return err
					}
				}
				sum := summarize(topic, views)
				return a.print(output, statusAnswer{sum, views}, func(out io.Writer) error { return printStatus(out, sum, views, history) })
			})
		},
	}
	f := cmd.Flags()
	addOutput(cmd, &output, show.Table, show.JSON)
	f.Int32Var(&partition, "partition", 0, "show this partition only (default: all)")
	f.BoolVar(&history, "history", false, "also show earlier settings, topics that were created again, and accepted gaps")
	addAllConfigFlags(f)
	return cmd
}

// withTopic runs f with the configured topic and table.
func (a *app) withTopic(cmd *cobra.Command, f func(ctx context.Context, kafka []kgo.Opt, topic string, t *openedTable) error) error {
	return a.withBrokers(cmd, embedded.OpenAnywhere, func(b openedBrokers) error {
		return a.withTable(cmd, func(ctx context.Context, t *openedTable) error { return f(ctx, b.kafka, b.config.Kafka.Topic, t) })
	})
}

// openedBrokers are the brokers of a command, which have the configured topic.
type openedBrokers struct {
	kafka  []kgo.Opt
	config config.Config
	own    bool // the command runs the broker of --data itself
}

// withBrokers runs f with the brokers. open opens the directory of --data, where footfall dev does not run it.
func (a *app) withBrokers(cmd *cobra.Command, open func(dir string) (*embedded.Broker, error), f func(openedBrokers) error) error {
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	kafka, broker, err := brokers(cmd, c, open)
	if err != nil {
		return err
	}
	if broker != nil {
		defer broker.Close()
	}
	if err := checkTopic(cmd.Context(), kafka, c.Kafka); err != nil {
		return err
	}
	return f(openedBrokers{kafka, c, broker != nil})
}

// chainsOf returns the chains of one partition. It is an error if there are chains, but none of that partition.
func chainsOf(partition int32, views []checkpoint.ChainView) ([]checkpoint.ChainView, error) {
	var partitions []string
	for _, v := range views {
		if p := fmt.Sprint(v.Partition); !slices.Contains(partitions, p) {
			partitions = append(partitions, p)
		}
	}
	kept := slices.DeleteFunc(views, func(v checkpoint.ChainView) bool { return v.Partition != partition })
	if len(kept) == 0 && len(partitions) > 0 {
		return nil, fmt.Errorf("--partition %d: no pipeline has written it to the table: choose from %s", partition,
			strings.Join(partitions, ", "))
	}
	return kept, nil
}

// statusSummary sums up the checkpoints of a topic. Each field but the lag is a number of partitions.
type statusSummary struct {
	Topic            string `json:"topic"`
	Partitions       int    `json:"partitions"`
	Parked           int    `json:"parked"`
	WithGap          int    `json:"withGap"`
	OpenTransactions int    `json:"openTransactions"`
	LagRecords       int64  `json:"lagRecords"` // of the lane stats, all partitions together
}

// statusAnswer is the JSON of footfall status.
type statusAnswer struct {
	statusSummary
	Checkpoints []checkpoint.ChainView `json:"checkpoints"`
}

func summarize(topic string, views []checkpoint.ChainView) statusSummary {
	s := statusSummary{Topic: topic}
	seen, gaps := make(map[int32]bool), make(map[int32]bool)
	for _, v := range views {
		seen[v.Partition] = true
		if v.Gap != nil {
			gaps[v.Partition] = true
		}
		if v.Lane != checkpoint.LaneStats {
			continue
		}
		s.LagRecords += v.Lag
		if v.Park != nil {
			s.Parked++
		}
		if v.Held > 0 {
			s.OpenTransactions++
		}
	}
	s.Partitions, s.WithGap = len(seen), len(gaps)
	return s
}

func (s statusSummary) String() string {
	count := func(n int) string {
		if n == 1 {
			return "1 partition"
		}
		return fmt.Sprintf("%d partitions", n)
	}
	var stopped []string
	for _, x := range []struct {
		n    int
		what string
	}{{s.Parked, "parked"}, {s.WithGap, "stopped at a data gap"}, {s.OpenTransactions, "held up by an open transaction"}} {
		if x.n > 0 {
			stopped = append(stopped, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	state := "none is stopped"
	if stopped != nil {
		state = strings.Join(stopped, ", ")
	}
	return fmt.Sprintf("Topic %s: %s, lag %d records; %s.", s.Topic, count(s.Partitions), s.LagRecords, state)
}

func printStatus(out io.Writer, sum statusSummary, views []checkpoint.ChainView, history bool) error {
	if len(views) == 0 {
		_, err := fmt.Fprintf(out, "Topic %s: nothing of it is in this table yet.\n", sum.Topic)
		return err
	}
	fmt.Fprintf(out, "%s\n\n", sum)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PARTITION\tLANE\tSTATE\tFLUSH\tPOSITIONS\tLAG\tRECORDS\tEPOCH\tGROUP\tOWNER")
	for _, v := range views {
		records := "-"
		if v.Lane == checkpoint.LaneStats {
			records = fmt.Sprint(v.Totals.Records())
		}
		fmt.Fprintf(w, "%d\t%s\t%s\t%d\t[%d,%d)\t%d\t%s\t%d\t%s\t%s\n", v.Partition, v.Lane, stateOf(v), v.Step, v.From, v.To, v.Lag, records,
			v.Epoch, v.Group, v.Owner)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, v := range views {
		printStopped(out, v)
		if history {
			printHistory(out, v)
		}
	}
	return nil
}

// printStopped says what holds a lane up, and how to continue it.
func printStopped(out io.Writer, v checkpoint.ChainView) {
	if v.Held > 0 && v.Lane == checkpoint.LaneStats {
		by := "a producer that the brokers do not name"
		if tx := v.HeldBy; tx != nil {
			by = fmt.Sprintf("producer %d, epoch %d, transactional id %q", tx.ProducerID, tx.ProducerEpoch, tx.TransactionalID)
		}
		fmt.Fprintf(out, "\nPartition %d: an open transaction of %s holds up %d records from offset %d on.\n", v.Partition, by, v.Held,
			v.LogEnd-v.Held)
	}
	if k := v.Park; k != nil {
		fmt.Fprintf(out, "\nPartition %d is parked since %s: %s\nRemove the cause, then continue the partition with:\n", v.Partition, k.Since,
			k.String())
		for _, command := range k.Commands(v.Partition) {
			fmt.Fprintf(out, "  %s\n", command)
		}
	}
	if g := v.Gap; g != nil {
		fmt.Fprintf(out, "\nPartition %d, lane %s has a data gap, found %s: %s.\nTo continue after the gap, without these records:\n"+
			"  footfall partition accept-gap %d --lane %s --flush %d\n", v.Partition, v.Lane, g.Found, g.String(), v.Partition, v.Lane, v.Step)
	}
}

func printHistory(out io.Writer, v checkpoint.ChainView) {
	fmt.Fprintf(out, "\nHistory of partition %d, lane %s:\n", v.Partition, v.Lane)
	for _, h := range v.History {
		fmt.Fprintf(out, "  from flush %d, position %d: topic id %s, base %d, site settings revision %d, settings %s\n", h.Step, h.From,
			h.TopicID, h.Base, h.Revision, h.Settings)
		if h.Gap != nil {
			fmt.Fprintf(out, "    gap accepted %s: %s\n", h.Gap.Accepted, h.Gap.String())
		}
		if f := h.Forgot; f != nil {
			fmt.Fprintf(out, "    positions [%d,%d) were counted, and skipped later\n", f.From, f.To)
		}
	}
}

func stateOf(v checkpoint.ChainView) string {
	switch {
	case v.Park != nil:
		return "parked"
	case v.Gap != nil:
		return "gap"
	case v.Step == 0:
		return "not started"
	case v.Done:
		return "complete"
	}
	return "flushing"
}
