package records

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/query"
)

// NewFailedCommand is footfall failed.
func NewFailedCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "failed",
		Short: "List, show or replay rejected records",
		Long: `Rejected records are on the failed-events topic, an entry for each: its bytes, the reason, and the partition and offset that it had.
docs/events.md lists the reasons and what to do about each.`,
		Example: "  footfall failed list\n  footfall failed show 3 4711\n  footfall failed replay --reason too_late --dry-run",
	}
	cmd.AddCommand(newFailedListCommand(a), newFailedShowCommand(a), newFailedReplayCommand(a))
	return cmd
}

func newFailedListCommand(a *command.App) *cobra.Command {
	var reasons []string
	var from string
	var output show.Format
	var o replay.ListOptions
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List rejected records, the newest first, and count them by reason",
		Long: `Count the entries of the failed-events topic by reason, and list the newest ones. PARTITION and OFFSET are the entry's place in the
failed-events topic, which footfall failed show takes. SOURCE is the partition and offset of the rejected record.

A record that was processed again after a crash may have several entries with the same source.`,
		Example: "  footfall failed list\n  footfall failed list --from -7d --reason too_late,too_early --limit 100\n  footfall failed list " +
			"--json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if o.Reasons, err = parseReasons(reasons); err != nil {
				return err
			}
			if o.Limit < 0 {
				return command.Usagef("--limit %d: write 0 or more", o.Limit)
			}
			if o.From, err = query.ParseTime(from, time.Now()); err != nil {
				return command.Usagef("--from: %w", err)
			}
			return withFailedTopic(a, cmd, func(ctx context.Context, kafka []kgo.Opt, failed string) error {
				o.Kafka, o.Failed = kafka, failed
				l, err := replay.List(ctx, o)
				if err != nil {
					return err
				}
				return a.PrintList(output, failedListing(l), func(out io.Writer, layout show.Layout) error { return printFailed(out, layout, l) })
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&reasons, "reason", nil, "only entries with these reasons, as in too_late,too_early (default: all)")
	f.StringVar(&from, "from", "-24h", "only records rejected at or after this time")
	f.IntVar(&o.Limit, "limit", 20, "max. entries to list; 0 = only count them")
	command.AddOutput(cmd, &output, show.Table, show.JSON, show.NDJSON)
	command.Complete(cmd, "reason", strings.Split(joined(event.Reasons), ", ")...)
	command.AddConfigFlags(f, "kafka.failedTopic")
	return cmd
}

func newFailedShowCommand(a *command.App) *cobra.Command {
	var output show.Format
	cmd := &cobra.Command{
		Use:   "show PARTITION OFFSET",
		Short: "Show one rejected record with its headers and bytes",
		Long: `Show an entry of the failed-events topic, by its partition and offset as footfall failed list prints them: when and why the record was
rejected, where it came from, its key and its value. Bytes that are not UTF-8 are printed in base64.`,
		Example: "  footfall failed show 3 4711\n  footfall failed show 3 4711 --json",
		Args:    cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			partition, err := command.PartitionOf(args[0])
			if err != nil {
				return err
			}
			offset, err := strconv.ParseInt(args[1], 10, 64)
			if err != nil || offset < 0 {
				return command.Usagef("%q is not an offset: give its number", args[1])
			}
			return withFailedTopic(a, cmd, func(ctx context.Context, kafka []kgo.Opt, failed string) error {
				e, err := replay.Show(ctx, kafka, failed, partition, offset)
				if err != nil {
					return err
				}
				return a.Print(output, failedEntry(e), func(out io.Writer) error { return printFailedEntry(out, e) })
			})
		},
	}
	f := cmd.Flags()
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	command.AddConfigFlags(f, "kafka.failedTopic")
	return cmd
}

// withFailedTopic runs f with the brokers and the name of the failed-events topic.
func withFailedTopic(a *command.App, cmd *cobra.Command, f func(ctx context.Context, kafka []kgo.Opt, failed string) error) error {
	return connect.WithBrokers(a, cmd, embedded.OpenAnywhere, func(b connect.OpenedBrokers) error {
		return f(cmd.Context(), b.Kafka, connect.FailedTopic(b.Config.Kafka))
	})
}

// FailedJSON is the JSON of a replay.Entry. Value is a text, or base64 where Base64 says so; listings have neither key nor value.
type FailedJSON struct {
	Partition int32             `json:"partition"`
	Offset    int64             `json:"offset"`
	Rejected  time.Time         `json:"rejected"`
	Reason    event.Reason      `json:"reason"`
	Headers   map[string]string `json:"headers"`
	Key       string            `json:"key,omitempty"`
	Value     string            `json:"value,omitempty"`
	Base64    bool              `json:"base64,omitempty"`
}

func headersOf(e replay.Entry) FailedJSON {
	return FailedJSON{Partition: e.Partition, Offset: e.Offset, Rejected: e.Rejected.UTC(), Reason: e.Reason, Headers: e.Headers}
}

func failedEntry(e replay.Entry) FailedJSON {
	j := headersOf(e)
	j.Key, j.Value = string(e.Key), string(e.Value)
	if !utf8.ValidString(j.Key) || !utf8.ValidString(j.Value) {
		j.Key, j.Value, j.Base64 = base64.StdEncoding.EncodeToString(e.Key), base64.StdEncoding.EncodeToString(e.Value), true
	}
	return j
}

// FailedList is the JSON of a replay.Listing.
type FailedList struct {
	Topic    string                 `json:"failedTopic"`
	Entries  int64                  `json:"entries"`
	ByReason map[event.Reason]int64 `json:"byReason"`
	Newest   []FailedJSON           `json:"newest"`
}

// Rows are the entries.
func (l FailedList) Rows() any { return l.Newest }

func failedListing(l replay.Listing) FailedList {
	list := FailedList{l.Topic, l.Entries, l.ByReason, []FailedJSON{}}
	for _, e := range l.Newest {
		list.Newest = append(list.Newest, headersOf(e))
	}
	return list
}

func printFailed(out io.Writer, layout show.Layout, l replay.Listing) error {
	noun := "entries"
	if l.Entries == 1 {
		noun = "entry"
	}
	fmt.Fprintf(out, "%d %s on topic %s.\n", l.Entries, noun, l.Topic)
	if l.Entries == 0 {
		return nil
	}
	reasons := show.List{Headers: []string{"REASON", "ENTRIES"}}
	for _, reason := range event.Reasons {
		if n := l.ByReason[reason]; n > 0 {
			reasons.Rows = append(reasons.Rows, []string{string(reason), fmt.Sprint(n)})
		}
	}
	fmt.Fprintln(out)
	if err := reasons.Write(out, layout); err != nil || len(l.Newest) == 0 {
		return err
	}
	newest := show.List{Headers: []string{"REJECTED", "REASON", "PARTITION", "OFFSET", "SOURCE", "DETAIL"},
		Minor: []string{"SOURCE"}, Keep: "DETAIL"}
	for _, e := range l.Newest {
		newest.Rows = append(newest.Rows, []string{e.Rejected.UTC().Format(time.RFC3339), string(e.Reason), fmt.Sprint(e.Partition),
			fmt.Sprint(e.Offset), e.Headers[event.HeaderPartition] + "/" + e.Headers[event.HeaderOffset], e.Headers[event.HeaderDetail]})
	}
	fmt.Fprintln(out)
	return newest.Write(out, layout)
}

func printFailedEntry(out io.Writer, e replay.Entry) error {
	j := failedEntry(e)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "rejected\t%s\n", j.Rejected.Format(time.RFC3339))
	for _, k := range e.Order {
		fmt.Fprintf(w, "%s\t%s\n", k, j.Headers[k])
	}
	unit := ""
	if j.Base64 {
		unit = " (base64)"
	}
	fmt.Fprintf(w, "key%s\t%s\n", unit, j.Key)
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\nvalue%s, %d bytes:\n%s\n", unit, len(e.Value), j.Value)
	return err
}
