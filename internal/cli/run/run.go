// Package run has the commands that fill the topic and the table: footfall run, dev and produce.
package run

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/alerts/watch"
	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/doctor"
	"github.com/footfall/footfall/internal/secret"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/live"
)

// NewRunCommand is footfall run.
func NewRunCommand(a *command.App) *cobra.Command {
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

As a service of systemd with Type=notify it is ready when /readyz would be, and answers WatchdogSec.

If OTEL_EXPORTER_OTLP_ENDPOINT is set, as in http://localhost:4318, it sends a trace of each flush there.`,
		Example: `  footfall run --brokers kafka:9092 --topic events --table dynamodb://footfall
  footfall run --config footfall.yaml --http :8080 --log-format json
  AWS_ENDPOINT_URL_DYNAMODB=http://localhost:8000 footfall run --table dynamodb://footfall`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.Config(cmd)
			if err != nil {
				return err
			}
			log := process.NewLog(a.Err, c.Log)
			kafka, err := connect.Clients(cmd, c)
			if err != nil {
				return process.UnlessAsked(cmd.Context(), log, err)
			}
			return run(cmd.Context(), c, kafka, log)
		},
	}
	command.AddAllConfigFlags(cmd.Flags())
	return cmd
}

// run runs the pipeline that c describes, on the brokers that kafka reaches, until ctx ends, then drains it.
func run(ctx context.Context, c config.Config, kafka []kgo.Opt, log *slog.Logger) error {
	table, err := connect.OpenConfigured(ctx, c)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := errors.Join(doctor.CheckTopic(ctx, kafka, c.Kafka), doctor.CheckTable(ctx, table.Admin, c.Table)); err != nil {
		return process.UnlessAsked(ctx, log, err)
	}
	warnOfExpired(ctx, kafka, table, c, log)
	warnOfTimestamps(ctx, kafka, c, log)
	warnOfClocks(ctx, kafka, table, log)
	for _, text := range engine.ConfigWarnings(c) {
		// Messages: ConfigWarnings, ShortSessions.
		log.Warn(text)
	}

	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	process.RegisterBuild(registry)
	o := engine.PipelineOptions(c)
	if o.Registry, err = command.Registry(c); err != nil {
		return err
	}
	o.Kafka = append(kafka, kgo.WithLogger(process.KafkaLog{To: log}))
	heat := capacity.NewHeat(nil)
	o.Table, o.Metrics, o.Log = heat.Watch(table.Table), pipeline.NewMetrics(registry), log
	flushed, endTraces := process.StartTraces(os.Getenv, registry, log)
	defer endTraces()
	o.Flushed = flushed
	p, err := live.New(o)
	if err != nil {
		return err
	}
	counting := judging(c, table, kafka, registry, log, p)
	partitions := engine.TopicPartitions(ctx, kafka, c.Kafka.Topic)
	engine.ReportMemory(log, c, partitions, engine.LimitMemory(os.DirFS("/"), engine.MemoryCeiling(c, partitions),
		engine.CollectPercent))
	log.Info("starting", "topic", c.Kafka.Topic, "group", c.Kafka.Group, "brokers", strings.Join(c.Kafka.Brokers, ","), "table", c.Table)
	return process.Notifying(ctx, p.Ready, log, func(ctx context.Context) error {
		if c.HTTP == "" {
			return counting(ctx)
		}
		return process.WithHTTP(ctx, c.HTTP, process.Probed{Ready: p.Ready, Metrics: registry, Heat: heat, HotKeys: c.HTTPHotKeys}, log, counting)
	})
}

// judging is what p runs, and beside it what judges alerts.
func judging(c config.Config, table *connect.Table, kafka []kgo.Opt, registry prometheus.Registerer, log *slog.Logger,
	p *live.Pipeline,
) func(context.Context) error {
	w := watch.New(watch.Options{Table: table.Repeating(), Mine: p.Seals, Log: log, Metrics: watch.NewMetrics(registry),
		Topic: watch.Topic{Kafka: kafka, Name: c.Kafka.Topic, Table: table.Repeating()},
		Key:   secret.New(c.Sites.AlertKey, "sites.alertKeyFile", c.Sites.AlertKeyFile)})
	return w.Beside(p.Run)
}
