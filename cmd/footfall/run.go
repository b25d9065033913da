package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

func newRunCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Consume the topic and keep the table's numbers",
		Long: `Consume the topic as a member of the consumer group and keep the table's numbers. To scale, start more processes: each takes over a
share of the partitions.

First, run checks that the brokers can be reached, that the topic exists and is not compacted, and that the table exists with the right
shape. Otherwise it prints the remedy and ends with exit code 1.

SIGINT and SIGTERM drain the process: it completes its open flushes within 35 seconds and ends with exit code 0. A second signal ends
the process at once. Nothing is lost then either: the next owner repeats the unfinished flushes. Any other end has exit code 1; let a
supervisor restart the process.

Memory is bounded by the sum of 48 MiB, limits.memoryBytes, limits.fetchedBytes and some 16 MiB per partition. run logs the sum when it
starts. In a container with a memory limit it sets GOMEMLIMIT to 90 % of the limit, unless the environment sets it. It sets GOGC to 200,
unless the environment does.

With --http ADDR it serves /livez (the process runs), /readyz (it is a member of its group, has taken over its partitions, gets answers from
the table and the brokers, and is not draining; otherwise a line for each reason), /metrics (Prometheus) and /cost (for footfall cost);
with --http-hot-keys also /debug/hot-keys (for footfall table hot-keys).

If OTEL_EXPORTER_OTLP_ENDPOINT is set, as in http://localhost:4318, it sends a trace of each flush there.`,
		Example: `  footfall run --brokers kafka:9092 --topic events --table dynamodb://footfall
  footfall run --config footfall.yaml --http :8080 --log-format json
  AWS_ENDPOINT_URL_DYNAMODB=http://localhost:8000 footfall run --table dynamodb://footfall`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config(cmd)
			if err != nil {
				return err
			}
			log := newLog(a.err, c.Log)
			kafka, err := clients(cmd, c)
			if err != nil {
				return unlessAsked(cmd.Context(), log, err)
			}
			return run(cmd.Context(), c, kafka, log)
		},
	}
	addAllConfigFlags(cmd.Flags())
	return cmd
}

// run runs the pipeline that c describes, on the brokers that kafka reaches, until ctx ends, then drains it.
func run(ctx context.Context, c config.Config, kafka []kgo.Opt, log *slog.Logger) error {
	table, err := openConfigured(ctx, c)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := errors.Join(doctor.CheckTopic(ctx, kafka, c.Kafka), doctor.CheckTable(ctx, table.Admin, c.Table)); err != nil {
		return unlessAsked(ctx, log, err)
	}
	warnOfExpired(ctx, kafka, table, c, log)
	warnOfTimestamps(ctx, kafka, c, log)
	warnOfClocks(ctx, kafka, table, log)
	for _, text := range configWarnings(c) {
		log.Warn(text)
	}

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	registerBuild(registry)
	o := pipelineOptions(c)
	o.Kafka = append(kafka, kgo.WithLogger(kafkaLog{log}))
	heat := capacity.NewHeat(nil)
	o.Table, o.Metrics, o.Log = heat.Watch(table.Table), pipeline.NewMetrics(registry), log
	flushed, endTraces := startTraces(os.Getenv, registry, log)
	defer endTraces()
	o.Flushed = flushed
	p, err := pipeline.New(o)
	if err != nil {
		return err
	}
	partitions := topicPartitions(ctx, kafka, c.Kafka.Topic)
	reportMemory(log, c, partitions, limitMemory(os.DirFS("/"), memoryCeiling(c, partitions)))
	log.Info("starting", "topic", c.Kafka.Topic, "group", c.Kafka.Group, "brokers", strings.Join(c.Kafka.Brokers, ","), "table", c.Table)
	if c.HTTP == "" {
		return p.Run(ctx)
	}
	return withHTTP(ctx, c.HTTP, probed{p.Ready, registry, heat, c.HTTPHotKeys}, log, p.Run)
}

// unlessAsked returns the error of what a process does before it begins to consume, or nil when it was asked to end
// meanwhile: that made the error, and there is nothing to drain.
func unlessAsked(ctx context.Context, log *slog.Logger, err error) error {
	if err != nil && ctx.Err() != nil {
		log.Info("stopped before consuming", "cause", context.Cause(ctx))
		return nil
	}
	return err
}

// duplicatesOf is the window of duplicates of a configuration. Its memory bounds its positions.
func duplicatesOf(c config.Config) checkpoint.Duplicates {
	if c.Duplicates.Window == 0 {
		return checkpoint.Duplicates{}
	}
	return checkpoint.Duplicates{WindowMs: c.Duplicates.Window.Milliseconds(),
		Positions: int64(c.Duplicates.MemoryBytes) / checkpoint.DuplicateBytes}
}

// pipelineOptions are what the configuration says to the pipeline. The caller adds the brokers and the table.
func pipelineOptions(c config.Config) pipeline.Options {
	s := checkpoint.DefaultSettings()
	s.LateMs = time.Duration(c.AllowedLateness).Milliseconds()
	if c.AllowedLateness == config.Off {
		s.LateMs = -1
	}
	s.EarlyMs = c.AllowedEarliness.Milliseconds()
	s.NonInteractive = slices.Clone(c.NonInteractiveEvents)
	s.RawEvents, s.RawPacked, s.BatchBytes = c.RawEvents.Kept(), c.RawEvents == config.RawPacked, int64(c.BatchBytes)
	s.Sites, s.NewSites = c.Sites.Accept, int64(c.Sites.MaxNewPerHour)
	s.Retention = checkpoint.Retention{
		RawDays: int64(c.Retention.Raw), SessionDays: int64(c.Retention.Session),
		HourDays: int64(c.Retention.Hour), DayDays: int64(c.Retention.Day),
	}
	observe := checkpoint.Duplicates{}
	s.Duplicates = duplicatesOf(c)
	s.Breakdowns, s.BreakdownBytes = c.Breakdowns.Rows, c.Breakdowns.Bytes
	s.Bots = checkpoint.Bots{Lists: c.Bots.Lists, Rate: int64(c.Bots.Rate)}
	s.VisitGapMs, s.VisitLongestMs = time.Duration(c.Visits.Gap).Milliseconds(), c.Visits.Longest.Milliseconds()
	s.QueryParameters = urlquery.Canonical(c.Privacy.QueryParameters)
	if c.Duplicates.Observe {
		s.Duplicates, observe = observe, s.Duplicates
	}
	return pipeline.Options{
		Topic: c.Kafka.Topic, Group: c.Kafka.Group, InstanceID: c.Kafka.GroupInstanceID,
		ServerBalanced: c.Kafka.GroupProtocol == "consumer", FailedTopic: c.Kafka.FailedTopic,
		SessionTimeout: c.Kafka.SessionTimeout, Rack: c.Kafka.ClientRack,
		FetchMaxBytes: c.Kafka.FetchMaxBytes, MaxPartitionFetchBytes: c.Kafka.MaxPartitionFetchBytes,
		WritesByKey: inFile(c.Table), HashKey: hashKey(c), SiteZone: c.Sites.Zone, Settings: s, ObserveDuplicates: observe,
		StatsInterval: c.Intervals.Stats, RealtimeInterval: c.Intervals.Realtime, RealtimeMax: c.Intervals.RealtimeMax,
		ChunksAhead: c.Limits.ChunksAhead, SealInterval: c.Seal.Interval, SealAfter: c.Seal.After,
		Limits: pipeline.Limits{
			MemoryBytes: c.Limits.MemoryBytes, FetchedBytes: c.Limits.FetchedBytes,
			Journal:   aggregate.DefaultJournal,
			StepItems: c.Limits.FlushItems, StepBytes: c.Limits.FlushBytes, QueueBytes: c.Limits.QueueBytes,
			CacheBytes: c.Limits.CacheBytes, InFlight: c.Limits.InFlight,
		},
	}
}

// settingsNow are the settings that a pipeline of the configuration would begin a flush with at this time.
func settingsNow(c config.Config, now time.Time) checkpoint.Settings {
	s := pipelineOptions(c).Settings
	s.NotAfter = checkpoint.NotAfter(now)
	return s
}

// hashKey is the configured key of the visitors' hash; nil asks for the table's own.
func hashKey(c config.Config) []byte {
	if c.VisitorHashKey == "" {
		return nil
	}
	key, err := hex.DecodeString(c.VisitorHashKey)
	if err != nil {
		panic(fmt.Sprintf("hashKey of a configuration that was validated: %v", err))
	}
	return key
}

// newLog makes a logger that writes as the configuration says, a bounded number of lines of a warning.
func newLog(w io.Writer, c config.Log) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		panic(fmt.Sprintf("log.level of a configuration that was validated: %v", err))
	}
	o := &slog.HandlerOptions{Level: level}
	w = plainIfTerminal(w)
	if c.Format == "json" {
		o.ReplaceAttr = durationsWithUnits
		return slog.New(newBoundedLog(slog.NewJSONHandler(w, o)))
	}
	return slog.New(newBoundedLog(slog.NewTextHandler(w, o)))
}

// durationsWithUnits spells durations as text does, 1m30s, where JSON would have a number of nanoseconds.
func durationsWithUnits(_ []string, a slog.Attr) slog.Attr {
	if a.Value.Kind() == slog.KindDuration {
		a.Value = slog.StringValue(a.Value.Duration().String())
	}
	return a
}

// kafkaLog passes on what the Kafka client has to say: its warnings and errors, at the level debug everything.
type kafkaLog struct{ log *slog.Logger }

func (l kafkaLog) Level() kgo.LogLevel {
	if l.log.Enabled(context.Background(), slog.LevelDebug) {
		return kgo.LogLevelDebug
	}
	return kgo.LogLevelWarn
}

func (l kafkaLog) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	levels := map[kgo.LogLevel]slog.Level{kgo.LogLevelError: slog.LevelError, kgo.LogLevelWarn: slog.LevelWarn}
	at, ok := levels[level]
	if !ok {
		at = slog.LevelDebug
	}
	l.log.Log(context.Background(), at, "kafka client: "+msg, keyvals...)
}
