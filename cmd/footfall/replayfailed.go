package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/footfall/footfall/embedded"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/replay"
)

func newReplayFailedCommand(a *app) *cobra.Command {
	var o replay.Options
	var reasons []string
	var open, from, output string
	cmd := &cobra.Command{
		Use:   "replay-failed",
		Short: "Publish rejected records to their topic again",
		Long: `Publish the entries of the failed-events topic to their source topic again, once what rejected them is gone: a setting was
changed (lateness), a site was created, or a release installed, that accepts them. Each goes to the partition it came from, with its key, its
bytes and its record's time as they were, and with the header footfall-source, which says which record it is: the pipeline
takes that for the event's id. What is rejected again goes to the failed-events topic again.

It is safe to run it twice, to kill it, and to start it anew: each rejected record is published once. The table keeps, for
each reason, up to where entries were replayed. So --reason takes some of them now, and another run takes the others later.
Of two runs at the same time the later one goes on, and the first one ends and says so.

An entry that a killed process left behind may be of a record that was counted after all, under other settings: it is left out.
One whose record the pipeline has not folded yet is not decided: the run leaves it, and what is behind it, for the next.

Entries of records that were replayed before and rejected again are left alone; --replayed takes them, and no others.
Entries that were cut to the topic's limit are passed over. A run ends where the failed-events topic ended when it began.

--again begins at the start of the topic, for the reasons chosen: what was replayed before is published a second time, and
counts a second time unless it is within the pipeline's window (duplicates.window) of the first. So it does with an empty
table, which knows of no replay. --from passes older records over for good: later runs without --again do not come back to
them.

It publishes in transactions, and needs leave to write and describe the transactional id
footfall-replay-failed-FAILEDTOPIC-TOPIC. While a batch is being published the pipeline waits behind it, up to a minute if
the command is killed.

Exit code 1 if it could not go on; passed-over entries alone are no error.`,
		Example: `  footfall replay-failed --dry-run
  footfall replay-failed --reason too_late
  footfall replay-failed --reason bad_json,bad_timestamp --limit 100 --output json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, text := range reasons {
				reason := pipeline.Reason(text)
				if !slices.Contains(pipeline.Reasons, reason) {
					return usagef("--reason %s: choose from %s", text, joined(pipeline.Reasons))
				}
				o.Reasons = append(o.Reasons, reason)
			}
			if o.Limit < 0 {
				return usagef("--limit %d: write 1 or more, or 0 for all", o.Limit)
			}
			if output != "table" && output != "json" {
				return usagef("--output %s: choose table or json", output)
			}
			o.Open = replay.Verdict(open)
			if o.Open != replay.Unsaid && o.Open != replay.Published && o.Open != replay.Unpublished {
				return usagef("--open %s: choose published or unpublished", open)
			}
			if from != "" {
				var err error
				if o.From, err = query.ParseTime(from, time.Now()); err != nil {
					return usagef("--from: %w", err)
				}
			}
			sum, err := a.replayFailed(cmd, o)
			if sum == nil {
				return err
			}
			return errors.Join(err, printReplay(a, sum, output))
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&reasons, "reason", nil, "take entries with these reasons only, as in too_late,too_early (default: all)")
	f.BoolVar(&o.Replayed, "replayed", false, "take entries of records that were replayed before and rejected again, and no others")
	f.StringVar(&from, "from", "", "pass over, for good, records whose own time is before this (default: none)")
	f.Int64Var(&o.Limit, "limit", 0, "publish so many at most; 0: all")
	f.BoolVar(&o.DryRun, "dry-run", false, "count what would be published, by reason and partition, and change nothing")
	f.BoolVar(&o.Again, "again", false, "begin at the start of the topic, whatever was replayed before: see above")
	f.StringVar(&open, "open", "", "what became of a killed run's last batch, where it can no longer be found out: published or unpublished")
	f.StringVarP(&output, "output", "o", "table", "how to print the summary: table or json")
	complete(cmd, "reason", strings.Split(joined(pipeline.Reasons), ", ")...)
	complete(cmd, "open", string(replay.Published), string(replay.Unpublished))
	complete(cmd, "output", "table", "json")
	addConfigFlags(f, "kafka.failedTopic")
	return cmd
}

func joined(reasons []pipeline.Reason) string {
	var all []string
	for _, r := range reasons {
		all = append(all, string(r))
	}
	return strings.Join(all, ", ")
}

// replayFailed opens the broker, where nobody runs it, and the table, and replays. The summary is nil when nothing was begun.
func (a *app) replayFailed(cmd *cobra.Command, o replay.Options) (sum *replay.Summary, err error) {
	c, err := a.config(cmd)
	if err != nil {
		return nil, err
	}
	var broker *embedded.Broker
	if o.Kafka, broker, err = brokers(cmd, c, embedded.Open); err != nil {
		return nil, err
	}
	if broker != nil {
		defer broker.Close()
	}
	if err := checkTopic(cmd.Context(), o.Kafka, c.Kafka); err != nil {
		return nil, err
	}
	o.Topic, o.Failed = c.Kafka.Topic, cmp.Or(c.Kafka.FailedTopic, c.Kafka.Topic+".failed")
	err = a.withTable(cmd, func(ctx context.Context, t *openedTable) error {
		o.Table = t.Table
		done := a.showReplay(&o)
		defer done()
		s, err := replay.Run(ctx, o)
		if err == nil || s.Published+s.Found > 0 {
			sum = s
		}
		return err
	})
	return sum, err
}

// showReplay shows the progress on a terminal; elsewhere it does nothing. The returned function takes the bar away.
func (a *app) showReplay(o *replay.Options) (done func()) {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return func() {}
	}
	bar := progressbar.NewOptions64(-1, progressbar.OptionSetWriter(f), progressbar.OptionSetDescription("replaying"),
		progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionFullWidth(), progressbar.OptionClearOnFinish())
	o.Progress = func(n, total int64) { // A bar that cannot be drawn is no reason to stop.
		bar.ChangeMax64(total)
		_ = bar.Set64(n)
	}
	return func() { _ = bar.Finish() }
}

func printReplay(a *app, s *replay.Summary, format string) error {
	if format == "json" {
		e := json.NewEncoder(a.plainIfTerminal())
		e.SetIndent("", "  ")
		return e.Encode(s)
	}
	return s.WriteText(a.plainIfTerminal())
}
