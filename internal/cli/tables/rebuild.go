package tables

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/plural"
	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// rebuildFlags are those of footfall rebuild.
type rebuildFlags struct {
	flip, dry, yes bool
	settings       string
	keepBefore     string
	from           string
	units          int
	output         show.Format
}

// NewRebuildCommand is footfall rebuild.
func NewRebuildCommand(a *command.App) *cobra.Command {
	var r rebuildFlags
	cmd := &cobra.Command{
		Use:   "rebuild",
		Short: "Count the topic once more beside the live figures, compare, and replace them",
		Long: `Count the topic once more, into a generation of items of its own beside the live one. Members continue to count, and readers see the live
generation. With --settings recorded, the default, each record is counted under the settings under which it was counted before: what differs
then was wrong. With --settings today, the current configuration and site settings apply to the whole topic: use it to apply a new goal, an
excluded page, a property or a time zone to past events. With --keep-before, zones stay as they are.

When the new generation has caught up with the live one, both are compared, and what differs is shown by site and figure. Then a terminal
asks whether to make the new generation live; elsewhere --flip says so. Members take it over within seconds, and readers read it within
five. The former generation is kept: "footfall rebuild back" makes it live again, "footfall rebuild drop" gives it up.

The topic must still have all records that the table has counted: otherwise nothing is changed, and a date is named from which it has all.
With --keep-before DATE that date and later ones are counted once more, and readers find earlier ones as they were. A session belongs to the
date on which it was opened; new visitors are counted as if that had begun on DATE. With --from raw the table's raw events are read in place
of what the topic has lost, and a date is named only if they are not complete. Raw events, the list of sites and what is decided about sites
belong to all generations: they are not written again. The command may be killed at any point and is continued by running it again.`,
		Example: `  footfall rebuild --dry-run
  footfall rebuild --settings today --write-units 2000
  footfall rebuild --from raw --keep-before 2026-11-02
  footfall rebuild --flip --output json
  footfall rebuild status`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return r.run(a, cmd) },
	}
	f := cmd.Flags()
	f.BoolVar(&r.flip, "flip", false, "make the new generation live without asking")
	f.BoolVar(&r.dry, "dry-run", false, "say what it would take, and change nothing")
	f.BoolVar(&r.yes, "yes", false, "rebuild although it costs more than 100 dollars")
	f.StringVar(&r.settings, "settings", settingsRecorded, "under which settings to count: recorded, or today")
	f.StringVar(&r.from, "from", fromTopic, "what is counted: topic, or raw, which has raw events in place of what the topic has lost")
	f.StringVar(&r.keepBefore, "keep-before", "", "first date in UTC to count once more; earlier dates stay as they are (default: all)")
	f.IntVar(&r.units, "write-units", 0, "write units a second that the rebuild takes of the table at most (default: unlimited)")
	command.AddOutput(cmd, &r.output, show.Table, show.JSON)
	command.AddAllConfigFlags(f)
	cmd.AddCommand(newRebuildStatusCommand(a), newRebuildBackCommand(a), newRebuildDropCommand(a))
	return cmd
}

// RebuildAnswer is the JSON of footfall rebuild.
type RebuildAnswer struct {
	Records    int64               `json:"records"` // that the topic has, about
	Partitions int                 `json:"partitions"`
	KeepBefore *time.Time          `json:"keepBefore"`       // the first date that is counted once more; null: all are
	Estimate   rebuild.Estimate    `json:"estimate"`         // all 0: another run had begun the rebuild
	Dollars    float64             `json:"estimatedDollars"` // of the units on demand; 0: the table costs nothing
	Generation int                 `json:"generation"`       // that was built; 0: a dry run
	WriteUnits float64             `json:"writeUnits"`       // that this run has taken
	Comparison *rebuild.Comparison `json:"comparison"`       // null: a dry run
	Live       bool                `json:"live"`             // the generation is the live one
}

// of takes over what is known of the topic.
func (a *RebuildAnswer) of(s rebuild.Source) {
	a.Records, a.Partitions = s.Records, s.Partitions
	if !s.KeepBefore.IsZero() {
		a.KeepBefore = &s.KeepBefore
	}
}

// What --settings may be.
const (
	settingsRecorded = "recorded"
	settingsToday    = "today"
)

// What --from may be.
const (
	fromTopic = "topic"
	fromRaw   = "raw"
)

func (r *rebuildFlags) run(a *command.App, cmd *cobra.Command) error {
	if r.settings != settingsRecorded && r.settings != settingsToday {
		return command.Usagef("--settings %q: write %s or %s", r.settings, settingsRecorded, settingsToday)
	}
	if r.from != fromTopic && r.from != fromRaw {
		return command.Usagef("--from %q: write %s or %s", r.from, fromTopic, fromRaw)
	}
	return r.with(a, cmd, func(ctx context.Context, t *connect.Table, job *rebuild.Job) error {
		has, err := rebuild.Look(ctx, t.Table)
		if err != nil {
			return err
		}
		var answer RebuildAnswer
		if has.Building == 0 || r.dry { // What is continued was estimated when it began.
			if answer, err = r.estimate(ctx, a, t.Config.Table, job.Estimate); err != nil {
				return err
			}
		}
		if r.dry {
			return a.Print(r.output, answer, func(io.Writer) error { return nil })
		}
		done, err := job.Run(ctx)
		if err != nil {
			return err
		}
		answer.of(done.Source)
		answer.Generation, answer.WriteUnits, answer.Comparison, answer.Live = done.Generation, done.WriteUnits, &done.Comparison, done.Flipped
		return a.Print(r.output, answer, func(out io.Writer) error { return printRebuilt(out, done) })
	})
}

// with opens what all rebuilds need, and calls do with a job of the flags.
func (r *rebuildFlags) with(a *command.App, cmd *cobra.Command, do func(context.Context, *connect.Table, *rebuild.Job) error) error {
	first, err := r.check()
	if err != nil {
		return err
	}
	return connect.WithBrokers(a, cmd, embedded.OpenAnywhere, func(b connect.OpenedBrokers) error {
		return connect.WithPlainTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
			if f := cmd.Flag("data"); f != nil && f.Changed {
				b.Config.Intervals = command.DevIntervals
			}
			partitions := engine.TopicPartitions(ctx, b.Kafka, b.Config.Kafka.Topic)
			engine.LimitMemory(os.DirFS("/"), engine.MemoryCeiling(b.Config, partitions), engine.CollectPercent)
			job, err := r.job(a, b.Config, b.Kafka, t)
			if err != nil {
				return err
			}
			job.KeepBefore = first
			return do(ctx, t, job)
		})
	})
}

// estimator counts a sample into a table.
type estimator func(context.Context, rebuild.Scratch) (rebuild.Source, rebuild.Estimate, error)

// check checks the flags that all rebuilds have, and returns the first date that is counted once more; zero: all are.
func (r *rebuildFlags) check() (first time.Time, err error) {
	if r.units < 0 {
		return first, command.Usagef("--write-units %d: write 1 or more, or 0 for no bound", r.units)
	}
	if r.keepBefore != "" {
		if first, err = time.Parse(time.DateOnly, r.keepBefore); err != nil {
			return first, command.Usagef("--keep-before %q: write a date, as 2026-11-25", r.keepBefore)
		}
	}
	return first, nil
}

// askAbove is what a rebuild may cost without --yes, in dollars.
const askAbove = 100

// estimate reckons what the job will take and says it. What costs much needs --yes.
func (r *rebuildFlags) estimate(ctx context.Context, a *command.App, table string, estimate estimator) (answer RebuildAnswer, err error) {
	scratch := new(memory.Table)
	defer scratch.Close()
	source, e, err := estimate(ctx, scratch)
	if err != nil {
		return answer, err
	}
	answer.of(source)
	answer.Estimate = e
	has := "all that the table has counted"
	if answer.KeepBefore != nil {
		has = "all of " + answer.KeepBefore.Format(time.DateOnly) + " and later, and earlier dates stay as they are"
	}
	storage := ""
	if prices := capacity.DefaultPrices(); strings.HasPrefix(table, "dynamodb://") {
		answer.Dollars = (e.WriteUnits*prices.WriteMillion + e.ReadUnits*prices.ReadMillion) / 1e6
		storage = fmt.Sprintf(", %.2f dollars a month until one generation is dropped", float64(e.Bytes)/1e9*prices.StorageGB)
	}
	out := a.Out
	if r.output == show.JSON || !r.dry {
		out = a.Err
	}
	of := "The topic has "
	if r.from == fromRaw {
		of = "Topic and raw events have "
		storage += fmt.Sprintf(", and %.1f MB in a temporary file", float64(e.FileBytes)/1e6)
	}
	_, err = fmt.Fprintf(out, `%s%s: %s in %s%s.
A rebuild takes about %.0f write units and %.0f read units, %.2f dollars on demand, by a sample of %s.
It adds about %.1f MB%s, and takes %v or longer%s.
`, of, has, plural.Count(source.Records, "record", "records"), plural.Count(source.Partitions, "partition", "partitions"),
		andRaw(e.RawEvents), e.WriteUnits,
		e.ReadUnits, answer.Dollars, plural.Count(e.Sampled, "record", "records"), float64(e.Bytes)/1e6, storage, e.Shortest.Round(time.Second),
		arriving(e))
	if err == nil && answer.Dollars > askAbove && !r.yes && !r.dry {
		err = command.Usagef("this costs more than %d dollars: add --yes to do it", askAbove)
	}
	return answer, err
}

// arriving says what comes to the topic while a rebuild counts.
func arriving(e rebuild.Estimate) string {
	switch {
	case e.Overtaken:
		return fmt.Sprintf(": it will not end while %.0f records a second arrive, unless it has more write units, or runs in several processes",
			e.PerSecond)
	case e.PerSecond >= 1:
		return fmt.Sprintf(" while %.0f records a second arrive", e.PerSecond)
	}
	return ""
}

// andRaw is what is read beside the topic.
func andRaw(events int64) string {
	if events == 0 {
		return ""
	}
	return ", and " + plural.Count(events, "raw event", "raw events")
}

// job makes the job of a configuration.
func (r *rebuildFlags) job(a *command.App, c config.Config, kafka []kgo.Opt, t *connect.Table) (*rebuild.Job, error) {
	log := process.NewLog(a.Err, c.Log)
	o := engine.PipelineOptions(c)
	var err error
	if o.Registry, err = command.Registry(c); err != nil {
		return nil, err
	}
	o.Kafka, o.Table, o.Log = append(kafka, kgo.WithLogger(process.KafkaLog{To: log})), t.Table, log
	return &rebuild.Job{Pipeline: o, Today: r.settings == settingsToday, FromRaw: r.from == fromRaw, WriteUnits: r.units, Log: log,
		Compared: r.decide(a), Progress: logProgress(log)}, nil
}

// progressEvery is how often the log says how far a phase is.
const progressEvery = 15 * time.Second

// logProgress logs each phase as it begins, and now and then how far it is.
func logProgress(log *slog.Logger) func(rebuild.Progress) {
	var phase rebuild.Phase
	var logged time.Time
	return func(p rebuild.Progress) {
		if now := time.Now(); p.Phase != phase || now.Sub(logged) >= progressEvery {
			log.Info("rebuild", "phase", string(p.Phase), "behind", p.Behind, "records", p.Records)
			phase, logged = p.Phase, now
		}
	}
}

// decide says whether to flip: as --flip says, or as a person at a terminal does.
func (r *rebuildFlags) decide(a *command.App) func(rebuild.Comparison) (bool, error) {
	return func(c rebuild.Comparison) (bool, error) {
		if r.flip || !command.IsTerminal(a.In) {
			return r.flip, nil
		}
		if err := printComparison(a.Err, c); err != nil {
			return false, err
		}
		fmt.Fprint(a.Err, "Enter yes to make the rebuilt generation live: ")
		var answer string
		if _, err := fmt.Fscanln(a.In, &answer); err != nil && answer == "" {
			return false, nil // Nothing was entered.
		}
		return strings.EqualFold(answer, "yes"), nil
	}
}

func newRebuildStatusCommand(a *command.App) *cobra.Command {
	var output show.Format
	cmd := command.OnCopies(&cobra.Command{
		Use:     "status",
		Short:   "Show which generations of items the table has",
		Long:    "Show which generation of items is live, which one is being rebuilt, and which former one is kept.",
		Example: "  footfall rebuild status",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				has, err := rebuild.Look(ctx, t.Table)
				if err != nil {
					return err
				}
				return a.Print(output, connect.GenerationsOf(has), func(out io.Writer) error { return printGenerations(out, has) })
			})
		},
	}, true)
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}

func printGenerations(out io.Writer, g sinks.Generations) error {
	text := fmt.Sprintf("Generation %d is live.\n", g.Live)
	if g.Restoring {
		text += "It is that of a copy: footfall table resume-restored counts the topic again and replaces it.\n"
	} else if g.Building > 0 {
		text += fmt.Sprintf("Generation %d is being rebuilt: footfall rebuild continues it, footfall rebuild drop gives it up.\n", g.Building)
	}
	for k, ok := g.KeptBefore(g.Live); ok; k, ok = g.KeptBefore(k.From) {
		text += fmt.Sprintf("What lies before %s is in generation %d.\n", sinks.Day(k.Date), k.From)
	}
	if g.Former > 0 {
		text += fmt.Sprintf("Generation %d was live before: footfall rebuild back makes it live again, footfall rebuild drop gives it up.\n",
			g.Former)
	}
	if g.Dropping > 0 {
		text += fmt.Sprintf("Generation %d is being deleted: run footfall rebuild drop again.\n", g.Dropping)
	}
	if g.Flipped {
		text += "The last flip was cut short: run footfall rebuild, or rebuild back, again.\n"
	}
	_, err := io.WriteString(out, text)
	return err
}

func newRebuildBackCommand(a *command.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "back",
		Short: "Make the former generation live again",
		Long: `Make the generation live again that was live before the last rebuild. Members take it over within seconds, and count what has come since:
the topic must still have those records. The present generation is kept in its place.`,
		Example: "  footfall rebuild back",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				has, err := rebuild.Look(ctx, t.Table)
				if err == nil && has.Flipped { // Going back once more would undo it.
					if err = rebuild.Finish(ctx, t.Table); err == nil {
						_, err = fmt.Fprintf(a.Out, "The last flip was cut short, and is finished now: generation %d is live.\n", has.Live)
					}
					return err
				}
				if err == nil {
					err = rebuild.Back(ctx, t.Table, has)
				}
				if err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.Out, "Generation %d is live, and generation %d is kept.\n", has.Former, has.Live)
				return err
			})
		},
	}
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}

func newRebuildDropCommand(a *command.App) *cobra.Command {
	var output show.Format
	cmd := &cobra.Command{
		Use:   "drop",
		Short: "Give up the generation that is being rebuilt, or the former one",
		Long: `Give up the generation that is being rebuilt, or, if there is none, the one that was live before. Its chains are fenced. Items with a time to
live expire by themselves; sealed months, checkpoints and stats that a site keeps for ever are deleted.`,
		Example: "  footfall rebuild drop",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return connect.WithTable(a, cmd, func(ctx context.Context, t *connect.Table) error {
				d, err := rebuild.Drop(ctx, t.Table)
				if err != nil {
					return err
				}
				return a.Print(output, d, func(out io.Writer) error {
					_, err := fmt.Fprintf(out, "Generation %d is gone: %s deleted, what has a time to live expires.\n", d.Generation,
						plural.Count(d.Items, "item", "items"))
					return err
				})
			})
		},
	}
	command.AddOutput(cmd, &output, show.Table, show.JSON)
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}
