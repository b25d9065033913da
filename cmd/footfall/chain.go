package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/embedded"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

func newChainCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "chain",
		Short: "Look at the chains of a topic, and let one pass a gap",
		Long: `A chain is the history of what was folded of one partition in one lane, stats or realtime. Its checkpoint in the table says where
it stands and who owns it. A chain stops where records are gone from the topic before they were folded: only an operator
can let it go on.`,
		Example: "  footfall chain show\n  footfall chain accept-gap --partition 3 --lane stats --step 4711",
	}
	cmd.AddCommand(newChainShowCommand(a), newChainAcceptCommand(a))
	return cmd
}

func newChainShowCommand(a *app) *cobra.Command {
	var (
		output    string
		partition int32
		history   bool
	)
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show where each chain stands, what it lags behind, and its gaps",
		Long: `Show for each partition and lane the chain's last step, the positions it covers, whether it is done, how many offsets it is
from the high watermark, the epoch, the owner and its consumer group. Also show records that an open transaction holds up, and each
parked partition and each gap that waits for a decision, with the commands that continue it.
With --history also what the chain has been through: settings that changed, topics created again, gaps that were passed.`,
		Example: "  footfall chain show\n  footfall chain show --partition 3 --history\n  footfall chain show --output json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != string(query.Table) && output != string(query.JSON) {
				return usagef("--output %q: choose table or json", output)
			}
			return a.withChains(cmd, func(ctx context.Context, kafka []kgo.Opt, topic string, t *openedTable) error {
				views, err := pipeline.ViewChains(ctx, kafka, topic, t.Table, sinks.Keys{})
				if err != nil {
					return err
				}
				if cmd.Flags().Changed("partition") {
					if views, err = chainsOf(partition, views); err != nil {
						return err
					}
				}
				if output == string(query.JSON) {
					e := json.NewEncoder(a.plainIfTerminal())
					e.SetEscapeHTML(false)
					e.SetIndent("", "  ")
					return e.Encode(struct {
						Topic  string               `json:"topic"`
						Chains []pipeline.ChainView `json:"chains"`
					}{topic, views})
				}
				return printChains(a.plainIfTerminal(), views, history)
			})
		},
	}
	f := cmd.Flags()
	f.StringVarP(&output, "output", "o", string(query.Table), "table or json")
	complete(cmd, "output", string(query.Table), string(query.JSON))
	f.Int32Var(&partition, "partition", 0, "show this partition only (default: all)")
	f.BoolVar(&history, "history", false, "show what each chain has been through")
	addConfigFlags(f)
	return cmd
}

func newChainAcceptCommand(a *app) *cobra.Command {
	var accept pipeline.Acceptance
	cmd := &cobra.Command{
		Use:   "accept-gap",
		Short: "Let a chain pass a gap: records that are gone before they were folded",
		Long: `Make the gap that "footfall chain show" tells of the chain's next step, which folds nothing, so that the chain goes on behind it. The
numbers then lack what was never read, and may lack, or hold a part of, what is undecided: the gap stays in the chain's
history with these bounds. Nothing can bring the records back but the producers.

The step at which the chain stands must be given as "footfall chain show" prints it: if the chain has moved since, nothing is
done. Whoever owns the chain is fenced; a running pipeline takes the partition up again within seconds.`,
		Example: "  footfall chain accept-gap --partition 3 --lane stats --step 4711",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, flag := range []string{"partition", "lane", "step"} {
				if !cmd.Flags().Changed(flag) {
					return usagef("--%s is missing: `footfall chain show` prints the whole command for each gap", flag)
				}
			}
			if !slices.Contains(pipeline.Lanes, accept.Lane) {
				return usagef("--lane %q: choose %s", accept.Lane, strings.Join(pipeline.Lanes, " or "))
			}
			return a.withChains(cmd, func(ctx context.Context, kafka []kgo.Opt, topic string, t *openedTable) error {
				accept.Kafka, accept.Topic, accept.Table = kafka, topic, t.Table
				gap, err := pipeline.AcceptGap(ctx, accept)
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.out, "Partition %d, lane %s has passed the gap: %s.\n", accept.Partition, accept.Lane, gap.String())
				return err
			})
		},
	}
	f := cmd.Flags()
	f.Int32Var(&accept.Partition, "partition", 0, "the chain's partition")
	f.StringVar(&accept.Lane, "lane", "", "the chain's lane: stats or realtime")
	f.Int64Var(&accept.Step, "step", 0, "the step at which the chain stands")
	complete(cmd, "lane", pipeline.Lanes...)
	addConfigFlags(f)
	return cmd
}

// withChains runs f with the configured topic and table.
func (a *app) withChains(cmd *cobra.Command, f func(ctx context.Context, kafka []kgo.Opt, topic string, t *openedTable) error) error {
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	kafka, broker, err := brokers(cmd, c, embedded.OpenAnywhere)
	if err != nil {
		return err
	}
	if broker != nil {
		defer broker.Close()
	}
	if err := checkTopic(cmd.Context(), kafka, c.Kafka); err != nil {
		return err
	}
	return a.withTable(cmd, func(ctx context.Context, t *openedTable) error { return f(ctx, kafka, c.Kafka.Topic, t) })
}

// chainsOf returns the chains of one partition. It is an error if there are chains, but none of that partition.
func chainsOf(partition int32, views []pipeline.ChainView) ([]pipeline.ChainView, error) {
	var partitions []string
	for _, v := range views {
		if p := fmt.Sprint(v.Partition); !slices.Contains(partitions, p) {
			partitions = append(partitions, p)
		}
	}
	kept := slices.DeleteFunc(views, func(v pipeline.ChainView) bool { return v.Partition != partition })
	if len(kept) == 0 && len(partitions) > 0 {
		return nil, fmt.Errorf("--partition %d: no pipeline has written it to the table: choose from %s", partition, strings.Join(partitions, ", "))
	}
	return kept, nil
}

func printChains(out io.Writer, views []pipeline.ChainView, history bool) error {
	if len(views) == 0 {
		_, err := fmt.Fprintln(out, "No pipeline has written this topic to the table.")
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PARTITION\tLANE\tSTEP\tPOSITIONS\tSTATE\tLAG\tRECORDS\tEPOCH\tGROUP\tOWNER")
	for _, v := range views {
		records := "-"
		if v.Lane == pipeline.LaneStats {
			records = fmt.Sprint(v.Totals.Records())
		}
		fmt.Fprintf(w, "%d\t%s\t%d\t[%d,%d)\t%s\t%d\t%s\t%d\t%s\t%s\n", v.Partition, v.Lane, v.Step, v.From, v.To, stateOf(v), v.Lag, records, v.Epoch, v.Group, v.Owner)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, v := range views {
		if v.Held > 0 && v.Lane == pipeline.LaneStats {
			by := "a producer that the brokers do not name"
			if tx := v.HeldBy; tx != nil {
				by = fmt.Sprintf("producer %d, epoch %d, transactional id %q", tx.ProducerID, tx.ProducerEpoch, tx.TransactionalID)
			}
			fmt.Fprintf(out, "\nPartition %d: an open transaction of %s holds up %d records from offset %d on.\n", v.Partition, by, v.Held, v.LogEnd-v.Held)
		}
		if k := v.Park; k != nil {
			fmt.Fprintf(out, "\nPartition %d is parked since %s: %s\nTo continue it, remove the cause, then run:\n", v.Partition, k.Since, k.String())
			for _, command := range k.Commands(v.Partition) {
				fmt.Fprintf(out, "  %s\n", command)
			}
		}
		if g := v.Gap; g != nil {
			fmt.Fprintf(out, "\nGap in partition %d, lane %s, found %s: %s.\nTo let the chain pass it: footfall chain accept-gap --partition %d --lane %s --step %d\n",
				v.Partition, v.Lane, g.Found, g.String(), v.Partition, v.Lane, v.Step)
		}
		if !history {
			continue
		}
		fmt.Fprintf(out, "\nPartition %d, lane %s:\n", v.Partition, v.Lane)
		for _, h := range v.History {
			fmt.Fprintf(out, "  from step %d, position %d: topic id %s, base %d, revision %d, settings %s\n", h.Step, h.From, h.TopicID, h.Base, h.Revision, h.Settings)
			if h.Gap != nil {
				fmt.Fprintf(out, "    gap accepted %s: %s\n", h.Gap.Accepted, h.Gap.String())
			}
			if f := h.Forgot; f != nil {
				fmt.Fprintf(out, "    positions [%d,%d) were skipped after they had been folded\n", f.From, f.To)
			}
		}
	}
	return nil
}

func stateOf(v pipeline.ChainView) string {
	switch {
	case v.Park != nil:
		return "parked"
	case v.Gap != nil:
		return "gap"
	case v.Step == 0:
		return "not begun"
	case v.Done:
		return "done"
	}
	return "open"
}
