package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// discard is a table that keeps what the protocol itself asks back, settings, topics and chains, in a table in
// memory, and drops everything else as if it had been written.
type discard struct{ sinks.Table }

func kept(k sinks.Key) bool {
	return strings.HasPrefix(k.PK, "PIPELINE") || strings.HasPrefix(k.PK, "CHAIN#")
}

func (d discard) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if kept(u.Key) {
		return d.Table.Update(ctx, u)
	}
	return sinks.Result{}, nil
}

func (d discard) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if kept(p.Item.Key()) {
		return d.Table.Put(ctx, p)
	}
	return sinks.Result{}, nil
}

func (d discard) BatchPut(context.Context, []sinks.Item) (sinks.BatchResult, error) {
	return sinks.BatchResult{}, nil
}

func (d discard) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if kept(g.Keys[0]) {
		return d.Table.BatchGet(ctx, g)
	}
	return sinks.BatchResult{}, nil
}

// consumeNothing reads so many records of the topic and looks at none of them: what Kafka's client alone costs.
func consumeNothing(ctx context.Context, broker, topic string, records int) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), // As the pipeline reads, here and below.
		kgo.FetchMaxBytes(16<<20), kgo.FetchMaxPartitionBytes(4<<20))
	if err != nil {
		return err
	}
	defer client.Close()
	for n := 0; n < records; {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		n += fetches.NumRecords()
	}
	return nil
}

// pipelineRun is one run of the pipeline over a topic.
type pipelineRun struct {
	broker, topic, group string
	records              int // of the topic
	settings             checkpoint.Settings
}

// runPipeline folds the whole topic into a table that discards, from joining the group to the end of its drain.
func runPipeline(ctx context.Context, r pipelineRun) error {
	table, err := sqlite.Open(sqlite.Memory)
	if err != nil {
		return err
	}
	defer table.Close()
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		return err
	}
	m := pipeline.NewMetrics(prometheus.NewRegistry())
	p, err := pipeline.New(pipeline.Options{Kafka: []kgo.Opt{kgo.SeedBrokers(r.broker)}, Topic: r.topic, Group: r.group,
		Table: discard{table}, HashKey: []byte("0123456789abcdef"), Settings: r.settings, Metrics: m})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for total(m.Records, "counted") < float64(r.records) {
		select {
		case err := <-done:
			return fmt.Errorf("the pipeline ended early: %w", err)
		case <-look.C:
		}
	}
	stop()
	return <-done
}

// total reads one of the counters.
func total(c *prometheus.CounterVec, label string) float64 { return value(c.WithLabelValues(label)) }

func value(c prometheus.Counter) float64 {
	var m dto.Metric
	if err := c.Write(&m); err != nil {
		panic(err) // A counter in memory can be read.
	}
	return m.GetCounter().GetValue()
}
