// Package inspect has the commands that examine a running installation: footfall status, doctor, health,
// verify and partition.
package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// statusFlags are the flags of footfall status.
type statusFlags struct {
	output          show.Format
	partition       int32
	generation      int
	history         bool
	maxLag          string
	maxFlush, watch time.Duration
	limit           lagLimit // maxLag, read
}

// NewStatusCommand is footfall status.
func NewStatusCommand(a *command.App) *cobra.Command {
	var s statusFlags
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show each partition's checkpoint, lag and owner, and what is stopped",
		Long: `Show how far the topic is counted, by the brokers and the table alone: no process of footfall is asked. The first line sums up the
partitions. A partition is counted in two lanes, which flush to the table independently: stats (hours, days, sessions, visitors, raw
events) and realtime (minutes). The table has a line for each:

  STATE      complete: the last flush is in the table. flushing: it is being written, or its owner ended and the next owner
             repeats it. parked, gap: the partition is stopped. not started: nothing was flushed yet. deleted: there is a history,
             and its checkpoint is gone
  FLUSH      number of the last flush
  POSITIONS  what the flush covers, start inclusive and end exclusive. A position is an offset, plus a base if the topic was
             created again
  OPEN       for how long the flush has been open, if it is
  LAG        offsets up to the high watermark that are not counted yet
  AGE        how old the first of these is, by its Kafka timestamp
  RECORDS    records counted, rejected or found to be duplicates so far (lane stats)
  EPOCH      raised by each takeover, so that older owners can no longer write

After the table come parked partitions and data gaps with the commands that continue them, and records that wait for an open
transaction. --history adds the takeovers of the last day, which the group's committed offsets have, earlier settings, topics that were
created again, and gaps that were accepted. A takeover repeats a flush that its last owner left open; an orderly move repeats none. A line
before the table says if a rebuild is under way, or a former generation of items is kept.

Exit codes: 0 healthy; 1 a partition is parked, has a data gap, no checkpoint any more, a flush that has been open for longer than
--max-flush-age, or a lag above --max-lag; 2 wrong usage; 3 the brokers or the table could not be asked. With --watch, it is that of
the last look.`,
		Example: `  footfall status
  footfall status --max-lag 5m || alert
  footfall status --watch
  footfall status --partition 3 --history
  footfall status --json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(a, cmd) },
	}
	f := cmd.Flags()
	command.AddOutput(cmd, &s.output, show.Table, show.JSON, show.NDJSON)
	f.Int32Var(&s.partition, "partition", 0, "show this partition only (default: all)")
	f.BoolVar(&s.history, "history", false, "also show takeovers of the last day, earlier settings, topics that were created again, "+
		"and accepted gaps")
	f.StringVar(&s.maxLag, "max-lag", "", "lag above which the exit code is 1: records, as in 10000, or their age, as in 5m (default: any)")
	f.DurationVar(&s.maxFlush, "max-flush-age", defaultMaxFlush, "age of an open flush above which the exit code is 1")
	f.DurationVar(&s.watch, "watch", 0, "look again after so long, until Ctrl-C; without a value: 2s")
	f.Lookup("watch").NoOptDefVal = "2s"
	connect.AddGeneration(f, &s.generation)
	command.AddAllConfigFlags(f)
	return command.OnCopies(cmd, true)
}

// run looks once, or again and again. Its exit code says whether the topic is healthy.
func (s *statusFlags) run(a *command.App, cmd *cobra.Command) (err error) {
	if s.limit, err = parseLagLimit(s.maxLag); err != nil {
		return err
	}
	if s.maxFlush <= 0 {
		return command.Usagef("--max-flush-age %v: write a duration above 0, as in 5m", s.maxFlush)
	}
	if s.watch < 0 || s.watch > 0 && s.watch < 100*time.Millisecond {
		return command.Usagef("--watch=%v: write a duration of 100ms or more", s.watch)
	}
	err = connect.WithTopic(a, cmd, connect.StatusPatience, func(ctx context.Context, kafka []kgo.Opt, topic string, t *connect.Table) error {
		for {
			err := s.look(ctx, a, cmd, kafka, topic, t)
			if s.watch == 0 || err != nil && !hasCode(err, command.CodeUnwell) {
				return err
			}
			select {
			case <-time.After(s.watch):
			case <-ctx.Done():
				return err
			}
		}
	})
	if _, coded := errors.AsType[*command.ExitError](err); err == nil || coded {
		return err
	}
	return &command.ExitError{Code: command.CodeUnanswered, Err: err}
}

func hasCode(err error, code int) bool {
	e, ok := errors.AsType[*command.ExitError](err)
	return ok && e.Code == code
}

// look asks the brokers and the table once and prints the answer.
func (s *statusFlags) look(ctx context.Context, a *command.App, cmd *cobra.Command, kafka []kgo.Opt, topic string, t *connect.Table) error {
	var only *int32
	if cmd.Flags().Changed("partition") {
		only = &s.partition
	}
	answer, err := askStatus(ctx, kafka, topic, t, s.generation, only)
	if err != nil {
		return err
	}
	answer.Problems = problems(answer.Checkpoints, s.limit, s.maxFlush)
	table := func(out io.Writer, layout show.Layout) error { return printStatus(out, layout, answer, s.history) }
	switch columns, _ := a.Size(); {
	case s.watch > 0 && s.output == show.JSON:
		err = show.WriteJSON(a.PlainIfTerminal(a.Out), answer)
	case s.watch > 0 && s.output == show.NDJSON:
		err = show.WriteLines(a.PlainIfTerminal(a.Out), answer)
	case s.watch > 0:
		clear := answer.AskedAt.Format(time.RFC3339) + "\n"
		if columns > 0 {
			clear = "\x1b[H\x1b[2J" // Home, and clear the terminal.
		}
		fmt.Fprint(a.Out, clear)
		err = table(a.Out, a.Layout(s.output))
	default:
		err = a.PrintList(s.output, answer, table)
	}
	if err == nil && len(answer.Problems) > 0 {
		return &command.ExitError{Code: command.CodeUnwell}
	}
	return err
}

// askStatus asks the brokers and the table once about all partitions, or one. The caller looks for problems.
func askStatus(ctx context.Context, kafka []kgo.Opt, topic string, t *connect.Table, generation int, only *int32) (StatusAnswer, error) {
	_, has, err := sinks.CheckFormat(ctx, t.Table)
	if err != nil {
		return StatusAnswer{}, err
	}
	t.Generations, t.Keys = has, has.Keys()
	keys, err := t.KeysOf(generation)
	if err != nil {
		return StatusAnswer{}, err
	}
	views, err := checkpoint.ViewChains(ctx, kafka, topic, t.Table, keys)
	if err != nil {
		return StatusAnswer{}, err
	}
	if only != nil {
		if views, err = chainsOf(*only, views); err != nil {
			return StatusAnswer{}, err
		}
	}
	now := time.Now()
	lanes, err := laneStatuses(ctx, kafka, topic, views, now)
	return StatusAnswer{statusVersion, summarize(topic, views), now.UTC(), nil, max(1, keys.Generation), connect.GenerationsOf(has), lanes,
		takeoversOf(ctx, kafka, t.Config.Kafka.Group, topic, only)}, err
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
		return nil, command.Usagef("--partition %d: no pipeline has written it to the table: choose from %s", partition,
			strings.Join(partitions, ", "))
	}
	return kept, nil
}
