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
	"github.com/footfall/footfall/sinks/memory"
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

func (d discard) BatchPut(context.Context, []sinks.Attrs) (sinks.BatchResult, error) {
	return sinks.BatchResult{}, nil
}

func (d discard) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if kept(g.Keys[0]) {
		return d.Table.BatchGet(ctx, g)
	}
	return sinks.BatchResult{}, nil
}

// consumeNothing reads a topic from its start, or from its end, and looks at none of the records: what Kafka's client alone costs. It
// ends when done, which is asked after each poll, says so of the records that were read.
func consumeNothing(ctx context.Context, broker, topic string, from kgo.Offset, done func(records float64) bool) error {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker), kgo.ConsumeTopics(topic),
		kgo.ConsumeStartOffset(from),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), // As the pipeline reads, here and below.
		kgo.FetchMaxBytes(16<<20), kgo.FetchMaxPartitionBytes(4<<20))
	if err != nil {
		return err
	}
	defer client.Close()
	for n := 0; !done(float64(n)); {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return err
		}
		n += fetches.NumRecords()
	}
	return nil
}

// whole is done once all records of the topic are counted.
func whole(records int) func(float64) bool {
	return func(n float64) bool { return n >= float64(records) }
}

// pipelineRun is one run of the pipeline over a topic.
type pipelineRun struct {
	broker, topic, group string
	settings             checkpoint.Settings
	chunksAhead          int
	through              func(sinks.Table) sinks.Table // the table, on one in memory that keeps what the protocol asks back; nil: discard
}

// run counts a topic from its start into a new table, from joining the group to the end of the drain. That begins when done, which is
// asked every 10 ms, says so of the records that were counted or refused.
func (r pipelineRun) run(ctx context.Context, done func(records float64) bool) error {
	table := new(memory.Table)
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		return err
	}
	through := r.through
	if through == nil {
		through = func(t sinks.Table) sinks.Table { return discard{t} }
	}
	m := pipeline.NewMetrics(prometheus.NewRegistry())
	p, err := pipeline.New(pipeline.Options{Kafka: []kgo.Opt{kgo.SeedBrokers(r.broker)}, Topic: r.topic, Group: r.group,
		Table: through(table), HashKey: []byte("0123456789abcdef"), Settings: r.settings, ChunksAhead: r.chunksAhead, Metrics: m})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for !done(total(m.Records, "counted") + total(m.Records, "duplicate") + total(m.Records, "rejected")) {
		select {
		case err := <-ended:
			return fmt.Errorf("the pipeline ended early: %w", err)
		case <-look.C:
		}
	}
	stop()
	return <-ended
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
