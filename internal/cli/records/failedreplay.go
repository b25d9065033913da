package records

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/query"
)

// replayFlags are the flags of footfall failed replay. Those that need reading are as they are written.
type replayFlags struct {
	options    replay.Options
	reasons    []string
	open, from string
	output     show.Format
}

func newFailedReplayCommand(a *command.App) *cobra.Command {
	var r replayFlags
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "Publish rejected records to their topic again",
		Long: `Publish rejected records to their source topic again after the cause is gone: a setting was changed (allowedLateness), a site was
created, or a newer release accepts them. Each record goes to its old partition with its key, its bytes and its timestamp. The header
footfall-source identifies the rejected record; the pipeline uses it as the event's id. A record that is rejected again returns to the
failed-events topic.

Each rejected record is published once, even if the command is killed or run again. The table keeps the replayed position for each
reason, so --reason may replay one reason now and another run the others later. If two runs overlap, the first one ends with an error.

A record may have an entry although it was counted: a process rejected it and crashed, and the next one accepted it under other
settings. Such an entry is skipped. If the record of an entry has not been flushed yet, the entry and all later ones are left for the
next run.

Records that were replayed before and rejected again are skipped; --replayed takes only these. Entries that were truncated to the
topic's size limit are skipped; those that lack only headers are skipped if a mapping (event.*) reads records. A run ends where the
failed-events topic ended when the run began.

--again starts at the beginning of the topic, for the reasons chosen. It publishes records that were replayed before a second time, and
they count twice unless they lie within duplicates.window of the first copy. The same happens with a new table, which has no replay
positions. --from skips older records permanently: only a run with --again returns to them.

The command publishes in transactions. It needs the permission to write and describe the transactional id
footfall-failed-replay-FAILEDTOPIC-TOPIC. The pipeline waits while a batch is published, up to a minute if the command is killed.

--dry-run also says what would become of the records by the settings and site settings of now: how many would be counted, and how many
rejected again, and why. A run warns of these before it publishes. What is not foreseen is sites.maxNewPerHour. Name the configuration of
the pipeline with --config, or its settings with flags, as in --allowed-lateness 96h.

Exit code 1 if the run could not be completed. Skipped entries are not an error.`,
		Example: `  footfall failed replay --dry-run
  footfall failed replay --reason too_late
  footfall failed replay --reason bad_json,bad_timestamp --limit 100 --output json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(a, cmd) },
	}
	r.addFlags(cmd)
	return cmd
}

func (r *replayFlags) addFlags(cmd *cobra.Command) {
	f, o := cmd.Flags(), &r.options
	f.StringSliceVar(&r.reasons, "reason", nil, "only entries with these reasons, as in too_late,too_early (default: all)")
	f.BoolVar(&o.Replayed, "replayed", false, "only entries of records that were replayed before and rejected again")
	f.StringVar(&r.from, "from", "", "skip records with an earlier timestamp, permanently (default: none)")
	f.Int64Var(&o.Limit, "limit", 0, "max. records to publish; 0 = unlimited")
	f.BoolVar(&o.DryRun, "dry-run", false, "count what would be published, by reason and partition, and what would be rejected again, "+
		"without any change")
	f.BoolVar(&o.Again, "again", false, "start at the beginning of the topic, and repeat earlier replays: see above")
	f.StringVar(&r.open, "open", "", "published or unpublished: what became of the last batch of a killed run, if the command asks because "+
		"the brokers do not have it any more")
	command.AddOutput(cmd, &r.output, show.Table, show.JSON)
	f.Lookup("output").Usage = "format of the summary: table or json"
	command.Complete(cmd, "reason", strings.Split(joined(event.Reasons), ", ")...)
	command.Complete(cmd, "open", string(replay.Published), string(replay.Unpublished))
	command.AddConfigFlags(f, "kafka.failedTopic")
	command.AddAllConfigFlags(f)
}

// run replays what the flags choose, and prints the summary of what was begun.
func (r *replayFlags) run(a *command.App, cmd *cobra.Command) error {
	o, err := r.read(time.Now())
	if err != nil {
		return err
	}
	sum, err := replayFailed(a, cmd, o)
	if sum == nil {
		return err
	}
	return errors.Join(err, a.Print(r.output, sum, sum.WriteText))
}

// read returns the options that the flags amount to.
func (r *replayFlags) read(now time.Time) (o replay.Options, err error) {
	o = r.options
	if o.Reasons, err = parseReasons(r.reasons); err != nil {
		return o, err
	}
	if o.Limit < 0 {
		return o, command.Usagef("--limit %d: write 1 or more, or 0 for all", o.Limit)
	}
	o.Open = replay.Verdict(r.open)
	if o.Open != replay.Unsaid && o.Open != replay.Published && o.Open != replay.Unpublished {
		return o, command.Usagef("--open %s: choose published or unpublished", r.open)
	}
	if r.from != "" {
		if o.From, err = query.ParseTime(r.from, now); err != nil {
			return o, command.Usagef("--from: %w", err)
		}
	}
	return o, nil
}

func joined(reasons []event.Reason) string {
	var all []string
	for _, r := range reasons {
		all = append(all, string(r))
	}
	return strings.Join(all, ", ")
}

// replayFailed opens the table, and the broker of --data unless footfall dev runs it, and replays. The summary is nil when nothing
// was begun.
func replayFailed(a *command.App, cmd *cobra.Command, o replay.Options) (sum *replay.Summary, err error) {
	err = connect.WithBrokers(a, cmd, embedded.Open, func(b connect.OpenedBrokers) error {
		o.Kafka, o.Topic, o.Failed = b.Kafka, b.Config.Kafka.Topic, connect.FailedTopic(b.Config.Kafka)
		return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
			o.Table, o.Keys, o.Settings = t.Table, t.Keys, new(engine.SettingsNow(b.Config, time.Now()))
			if o.Registry, err = command.Registry(b.Config); err != nil {
				return err
			}
			warnOfReplay(ctx, a, o)
			done := showReplay(a, &o)
			defer done()
			s, err := replay.Run(ctx, o)
			if err == nil || s.Published+s.Found > 0 {
				sum = s
			}
			return err
		})
	})
	return sum, err
}

// warnOfReplay says, before a replay, how many of its records would only be rejected again. Where that cannot be foreseen, the replay
// itself says why.
func warnOfReplay(ctx context.Context, a *command.App, o replay.Options) {
	if o.DryRun {
		return
	}
	o.DryRun = true
	s, err := replay.Run(ctx, o)
	if err != nil {
		return
	}
	if n := s.Predicted.RejectedAgain(); n > 0 {
		fmt.Fprintf(a.Err, "warning: of %d records to publish, %d would only be rejected again by the settings of now: %s. To leave them out, "+
			"stop this with Ctrl-C and choose others with --reason; --dry-run shows them by reason\n", s.Published, n, s.Predicted.Reasons())
	}
}

// showReplay shows the progress on a terminal; elsewhere it does nothing. The returned function takes the bar away.
func showReplay(a *command.App, o *replay.Options) (done func()) {
	bar, done := a.Progress("replaying", -1, progressbar.OptionShowCount(), progressbar.OptionShowIts(), progressbar.OptionFullWidth())
	if bar != nil {
		o.Progress = func(n, total int64) {
			bar.ChangeMax64(total)
			_ = bar.Set64(n)
		}
	}
	return done
}

func parseReasons(texts []string) ([]event.Reason, error) {
	var list []event.Reason
	for _, text := range texts {
		reason := event.Reason(text)
		if !slices.Contains(event.Reasons, reason) {
			return nil, command.Usagef("--reason %s: choose from %s", text, joined(event.Reasons))
		}
		list = append(list, reason)
	}
	return list, nil
}
