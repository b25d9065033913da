package main

import (
	"context"
	"fmt"
	"runtime"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// comparison is a row: a client that discards a topic's records, and the pipeline that counts them.
type comparison struct {
	name     string
	topic    topic
	settings checkpoint.Settings
	through  func(sinks.Table) sinks.Table // the table that the pipeline writes to, on one in memory; nil: discard

	runs              int
	nothing, pipeline []cost // by round
}

// run runs the pipeline over the whole topic, as a new group with a new table.
func (c *comparison) run(ctx context.Context) error {
	c.runs++
	r := pipelineRun{c.topic.broker, c.topic.name, fmt.Sprint(c.name, c.runs), c.settings, config.Default().Limits.ChunksAhead, c.through}
	return r.run(ctx, whole(c.topic.records))
}

// compare measures the rows in turns and prints them.
func compare(ctx context.Context, rounds int, rows []*comparison) error {
	for range rounds {
		for _, c := range rows {
			a, err := measure(c.topic.records, func() error {
				return consumeNothing(ctx, c.topic.broker, c.topic.name, kgo.NewOffset().AtStart(), whole(c.topic.records))
			})
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			b, err := measure(c.topic.records, func() error { return c.run(ctx) })
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			c.nothing, c.pipeline = append(c.nothing, a), append(c.pipeline, b)
		}
	}
	for _, c := range rows {
		printRow(c.name, c.topic.bytes, c.nothing, c.pipeline)
	}
	return nil
}

func printHead(what string, rounds int) {
	fmt.Printf("CPU per record, of franz-go discarding its records and of the pipeline from poll to plan: %s\n", what)
	fmt.Printf("  method: %d rounds in turns, 8 partitions, lz4, broker in its own process, a table that discards, realtime on, raw events\n"+
		"  off; CPU of this process by getrusage; GOMAXPROCS %d; median of the rounds (least to most), ratio of the rounds' pairs\n\n",
		rounds, runtime.GOMAXPROCS(0))
	fmt.Printf("  %-48s %5s | %22s | %25s | %6s %8s | %s\n", "", "bytes", "discard, ns a record", "pipeline, ns a record", "allocs", "rec/s",
		"discard/pipeline")
}

// printRow prints what rounds of a client that discards and of the pipeline took.
func printRow(name string, bytes float64, nothing, pipeline []cost) {
	var ratios, allocs, rates []float64
	for i, b := range pipeline {
		ratios, allocs, rates = append(ratios, nothing[i].cpu/b.cpu), append(allocs, b.allocs), append(rates, b.rate)
	}
	fmt.Printf("  %-48s %5.0f | %22s | %25s | %6.2f %8.0f | %s\n", name, bytes, spread(cpus(nothing), "%.0f"), spread(cpus(pipeline), "%.0f"),
		median(allocs), median(rates), spread(ratios, "%.2f"))
}
