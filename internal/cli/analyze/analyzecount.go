package analyze

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/errgroup"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/engine"
	"github.com/footfall/footfall/internal/cli/files"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// analysis is one count of files.
type analysis struct {
	flags  *analyzeFlags
	config config.Config
	file   *produce.File
	total  int64  // bytes of the files; -1: not known
	table  string // URL
	files  string // what titles call the files
}

// maxBacklog is how many bytes of keys and values may wait for the pipeline in the broker's memory.
const maxBacklog = 64 << 20

// analyze counts the files into the table, and prints what it says then.
func analyze(ctx context.Context, a *command.App, x analysis) (err error) {
	began := time.Now()
	broker, err := embedded.InMemory()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, broker.Close()) }()
	if err := errors.Join(broker.CreateTopic(command.DevTopic, command.DevPartitions),
		broker.CreateTopic(x.config.Kafka.FailedTopic, 1)); err != nil {
		return err
	}
	table, err := connect.Open(ctx, x.table)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, table.Close()) }()
	if err := table.Create(ctx, sinks.Shape{}); err != nil {
		return err
	}
	engine.LimitMemory(os.DirFS("/"), engine.MemoryCeiling(x.config, command.DevPartitions))
	c := &counting{analysis: x, log: process.NewLog(a.Err, config.Log{Level: "error", Format: x.config.Log.Format}), table: table,
		kafka: []kgo.Opt{kgo.SeedBrokers(broker.Addr()), kgo.ClientID("footfall")}}
	answer, err := c.run(ctx, a)
	if err != nil {
		return err
	}
	answer.Seconds = time.Since(began).Seconds()
	if err := x.flags.answer(ctx, table.Table, answer); err != nil {
		return err
	}
	if x.flags.output == show.JSON {
		err = a.PrintJSON(answer)
	} else {
		err = x.flags.printTables(a, answer, x.files)
	}
	return errors.Join(append([]error{err}, c.broken...)...)
}

// counting is the broker and the pipeline while they count.
type counting struct {
	analysis
	kafka []kgo.Opt
	table *connect.Table
	log   *slog.Logger

	counted atomic.Int64 // records that are in the table

	// Of the goroutine that sends.
	handed []handed // what was sent and may not be in the table yet, in this order
	broken []error  // of files that could not be read to their end
}

// handed is how much was sent at some time.
type handed struct{ records, bytes int64 }

// run sends the lines and waits until the table has them.
func (c *counting) run(ctx context.Context, a *command.App) (*Answer, error) {
	parts, failed := errgroup.WithContext(ctx)
	consuming, endConsuming := context.WithCancel(context.WithoutCancel(ctx))
	defer endConsuming()
	context.AfterFunc(failed, endConsuming)
	o := engine.PipelineOptions(c.config)
	o.Kafka, o.Table, o.Log = c.kafka, c.table.Table, c.log
	p, err := pipeline.New(o)
	if err != nil {
		return nil, err
	}
	sending, endSending := context.WithCancel(failed)
	defer endSending()
	var answer *Answer
	parts.Go(func() error { return p.Run(consuming) })
	parts.Go(func() error { return c.watch(sending) })
	parts.Go(func() error {
		defer endConsuming()
		defer endSending()
		summary, err := c.send(failed, a)
		if err != nil {
			return err
		}
		if err := c.await(failed, summary.Sent); err != nil {
			return err
		}
		answer = &Answer{Counted: summary.Sent, Refused: summary.Refused, FirstRefused: summary.FirstRefused, LeftOut: summary.LeftOut,
			Broken: []brokenFile{}, FirstEvent: summary.FirstEvent, LastEvent: summary.LastEvent}
		for _, err := range c.broken {
			if e, ok := errors.AsType[*produce.ReadError](err); ok {
				answer.Broken = append(answer.Broken, brokenFile{e.Place, e.Offset, e.Err.Error()})
			}
		}
		return nil
	})
	if err := parts.Wait(); err != nil {
		return nil, err
	}
	chains, err := c.chains(ctx)
	for id, chain := range chains {
		if id.Lane == checkpoint.LaneStats {
			answer.Duplicates += chain.Head.Totals.Duplicate
		}
	}
	return answer, err
}

// send sends the lines to the broker, and waits where the pipeline falls behind.
func (c *counting) send(ctx context.Context, a *command.App) (produce.Summary, error) {
	settings := engine.SettingsNow(c.config, time.Now())
	job := produce.Job{File: c.file, Kafka: c.kafka, Topic: command.DevTopic, RecordTime: produce.EventTime, Judge: engine.Judge(&settings),
		Warn: func(text string) { fmt.Fprintln(a.Err, "warning:", text) },
		Hold: c.hold}
	c.file.SkipBroken(func(e *produce.ReadError) { c.broken = append(c.broken, e) })
	done := files.ShowProgress(a, &job, "counting", c.total)
	summary, err := job.Run(ctx)
	done()
	switch {
	case ctx.Err() != nil:
		return summary, context.Cause(ctx)
	case errors.Is(err, produce.ErrNothingSent):
		err = errors.Join(summary.WriteRefused(show.PlainWriter(a.Err)),
			fmt.Errorf("nothing was counted: %w", errors.Join(append([]error{summary.NoRecord()}, c.broken...)...)))
	}
	return summary, err
}

// hold waits while more than maxBacklog bytes of what was sent are not in the table.
func (c *counting) hold(ctx context.Context, records, bytes int64) error {
	if n := len(c.handed); n == 0 || c.handed[n-1].records < records { // Refused lines hand over nothing.
		c.handed = append(c.handed, handed{records, bytes})
	}
	past := 0 // The last of these must be in the table.
	for past < len(c.handed) && c.handed[past].bytes <= bytes-maxBacklog {
		past++
	}
	if past == 0 {
		return nil
	}
	must := c.handed[past-1].records
	c.handed = slices.Delete(c.handed, 0, past)
	return c.await(ctx, must)
}

// watchEvery is how often the table is asked how far the pipeline is, and deleteAfter how many records are deleted from the broker at once:
// they take 64 MB if they are as large as they may be.
const (
	watchEvery  = 20 * time.Millisecond
	deleteAfter = 1000
)

// await waits until this number of records is in the table.
func (c *counting) await(ctx context.Context, records int64) error {
	if c.counted.Load() >= records {
		return nil
	}
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for c.counted.Load() < records {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
}

// watch notes how far the pipeline is, until ctx ends, and deletes from the broker what both lanes have.
func (c *counting) watch(ctx context.Context) error {
	cl, err := kgo.NewClient(c.kafka...)
	if err != nil {
		return err
	}
	defer cl.Close()
	admin := kadm.NewClient(cl)
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	deleted := int64(0)
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		chains, err := c.chains(ctx)
		if err != nil {
			return process.UnlessEnded(ctx, err)
		}
		done, stats := passedBy(chains), int64(0)
		for id, chain := range chains {
			switch {
			case chain.Head.Park != nil:
				return fmt.Errorf("partition %d is parked: %v", id.Partition, chain.Head.Park)
			case id.Lane == checkpoint.LaneStats:
				stats += chain.Head.To - chain.Head.Base
			}
		}
		c.counted.Store(stats)
		if sum := offsetsOf(done); sum-deleted > deleteAfter {
			if _, err := admin.DeleteRecords(ctx, done); err != nil {
				return process.UnlessEnded(ctx, err)
			}
			deleted = sum
		}
	}
}

// passedBy are the offsets that both lanes of a partition have passed.
func passedBy(chains checkpoint.ChainStates) kadm.Offsets {
	done := make(kadm.Offsets)
	for n := range int32(command.DevPartitions) {
		least, all := int64(0), true
		for i, lane := range checkpoint.Lanes {
			chain, ok := chains[checkpoint.ChainID{Partition: n, Lane: lane}]
			to := chain.Head.Position() - chain.Head.Base
			if all = all && ok && chain.Head.Step > 0; i == 0 || to < least {
				least = to
			}
		}
		if all {
			done.AddOffset(command.DevTopic, n, least, -1)
		}
	}
	return done
}

func offsetsOf(o kadm.Offsets) (sum int64) {
	o.Each(func(o kadm.Offset) { sum += o.At })
	return sum
}

// chains are the checkpoints; none before the pipeline has begun.
func (c *counting) chains(ctx context.Context) (checkpoint.ChainStates, error) {
	number, ok, err := checkpoint.NewClient(c.table).Topic(ctx, sinks.Keys{}, command.DevTopic)
	if err != nil || !ok {
		return nil, err
	}
	return checkpoint.LoadChains(ctx, c.table, sinks.Keys{}, number)
}
