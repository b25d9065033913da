package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// hotPartition prints how fast one partition catches up, and what CPU that takes, with and without chunks that are decoded ahead. The
// rounds of the depths alternate.
func hotPartition(ctx context.Context, o options) error {
	broker, err := startChild("broker")
	if err != nil {
		return err
	}
	defer broker.end()
	const topic, sites = "hot", 100
	l := load{sites: sites, partitions: 1, hourly: o.records, script: clickers, think: 40 * time.Second}
	t := newTraffic(l, time.Now())
	if _, err := fill(ctx, broker.addr, topic, l.partitions, o.records, func() *kgo.Record { return t.next(topic) }); err != nil {
		return err
	}
	packed := checkpoint.DefaultSettings()
	packed.NewSites, packed.RawPacked = 10_000, true
	some := variants()
	some = append(some[:1], some[len(some)-1], variant{"the defaults, raw events packed", packed})
	depths := slices.Compact([]int{0, 1, config.Default().Limits.ChunksAhead, pipeline.MaxChunksAhead})
	fmt.Printf("Catch-up of one partition, by limits.chunksAhead\n")
	fmt.Printf("  method: %d rounds in turns, %d records of %d sites, one partition, lz4, broker in its own process, a table that discards;\n"+
		"  records a second of the wall clock from the first counted record to the last, CPU by getrusage; GOMAXPROCS %d;\n"+
		"  median, with the least and the most; the gain is the median of each round's records a second against those of 0\n\n",
		o.rounds, o.records, sites, runtime.GOMAXPROCS(0))
	fmt.Printf("  %-32s %6s | %26s | %26s | %6s\n", "with", "ahead", "records a second", "CPU ns a record", "gain")
	for i, v := range some {
		if err := hotRows(ctx, o, hotRun{broker.addr, topic, fmt.Sprint(topic, "-", i), v}, depths); err != nil {
			return fmt.Errorf("one partition with %s: %w", v.name, err)
		}
	}
	fmt.Println()
	return nil
}

// hotRun is what the rounds of a row have in common.
type hotRun struct {
	broker, topic, group string
	variant              variant
}

// catchUp counts the whole topic. rate is records a second, from the first that was counted to the last.
func (r pipelineRun) catchUp(ctx context.Context, records int) (rate float64, c cost, err error) {
	var first, last time.Time
	had := 0.0
	c, err = measure(records, func() error {
		return r.run(ctx, func(n float64) bool {
			last = time.Now()
			if had == 0 {
				first, had = last, n
			}
			return n >= float64(records)
		})
	})
	return (float64(records) - had) / last.Sub(first).Seconds(), c, err
}

func hotRows(ctx context.Context, o options, h hotRun, depths []int) error {
	rates, cpu, gains := make([][]float64, len(depths)), make([][]float64, len(depths)), make([][]float64, len(depths))
	for round := range o.rounds {
		for i := range depths {
			i = (i + round) % len(depths) // Each depth comes first in its turn.
			r := pipelineRun{broker: h.broker, topic: h.topic, group: fmt.Sprint(h.group, "-", round, "-", i), settings: h.variant.settings,
				chunksAhead: depths[i]}
			rate, c, err := r.catchUp(ctx, o.records)
			if err != nil {
				return err
			}
			rates[i], cpu[i] = append(rates[i], rate), append(cpu[i], c.cpu)
		}
		for i := range depths {
			gains[i] = append(gains[i], rates[i][round]/rates[0][round])
		}
	}
	for i, depth := range depths {
		fmt.Printf("  %-32s %6d | %8.0f %8.0f %8.0f | %8.0f %8.0f %8.0f | %6.2f\n", h.variant.name, depth,
			median(rates[i]), slices.Min(rates[i]), slices.Max(rates[i]), median(cpu[i]), slices.Min(cpu[i]), slices.Max(cpu[i]),
			median(gains[i]))
	}
	return nil
}
