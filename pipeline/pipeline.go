package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/budget"
	"github.com/footfall/footfall/pipeline/internal/inbox"
	"github.com/footfall/footfall/pipeline/internal/outgoing"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/pipeline/internal/rulebook"
	"github.com/footfall/footfall/pipeline/schemas"
	"github.com/footfall/footfall/pipeline/telemetry"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
	"github.com/footfall/footfall/sketch"
)

// New checks the options and makes a Pipeline of them. It does no I/O.
func New(o Options) (*Pipeline, error) {
	o = o.orDefault()
	if err := o.check(); err != nil {
		return nil, err
	}
	send := requests.NewSender(o.Table, o.Limits.InFlight, &o.Metrics.Metrics)
	common := &shared{
		options: o,
		streams: make(chan struct{}, 1),
		topic:   o.Topic, owner: checkpoint.OwnerName(),
		memory:  budget.NewBudget(o.Limits.MemoryBytes, o.Limits.FetchedBytes),
		metrics: &o.Metrics.Metrics, log: o.Log, now: o.Now,
		send: send, rules: rulebook.New(send), registry: requests.NewOutage(telemetry.ServiceRegistry),
	}
	p := &Pipeline{
		shared:  common,
		taker:   newTaker(common, o.ObserveDuplicates),
		brokers: requests.NewBrokerOutage(),
		failure: make(chan error, 1),
		begun:   make(chan struct{}),
		roster:  newRoster(common),
		unpack:  batch.NewDecompressor(o.Settings.BatchBytes, int64(o.Limits.FetchedBytes)),
	}
	p.offsets = groupOffsets{shared: common, instanceID: o.InstanceID, settled: p.roster.settled,
		turn: make(chan struct{}, 1), committed: make(map[int32]settledTo), takeovers: takeovers{of: make(map[int32]checkpoint.Takeovers)}}
	return p, nil
}

// Run consumes until ctx ends, then drains: open steps are finished as far as 35 seconds allow, and nil is returned.
// Any other end is a failure, after which the process should exit and start again: the next owner does again what was
// not finished. Run returns when everything it started has ended, or, after a failure, ten seconds later. It may be
// called once.
func (p *Pipeline) Run(ctx context.Context) error {
	// Input and output outlive ctx, so that a drain can finish what is open.
	io, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	p.tasks.Go(func() { p.watchOutages(io) })
	if err := p.prepare(ctx); err != nil {
		stop(nil)
		p.tasks.Wait()
		if ctx.Err() != nil {
			return nil // Asked to end before it began.
		}
		return err
	}
	defer p.events.Close()
	own := []kgo.Opt{kgo.WithHooks(&p.fetching, p.brokers), kgo.WithDecompressor(p.unpack)}
	client, err := kgo.NewClient(append(append(own, p.options.Kafka...), p.groupOptions(io)...)...)
	if err != nil {
		return fmt.Errorf("open the client of Kafka: %w", err)
	}
	p.client = client
	p.brokers.Asked(time.Now())
	close(p.begun)
	polling, endPolling := context.WithCancel(ctx)
	p.start(polling, io)
	select {
	case <-ctx.Done():
		err = nil
		p.log.Info("draining", "cause", context.Cause(ctx))
	case err = <-p.failure:
	}
	endPolling()
	return p.end(err, stop)
}

// start begins to poll, and what runs beside it until polling ends.
func (p *Pipeline) start(polling, io context.Context) {
	watch := &observer{shared: p.shared, of: p}
	p.tasks.Go(func() { p.poll(polling, io) })
	p.tasks.Go(func() { watch.observe(polling) })
	p.tasks.Go(func() { watch.measure(polling) })
	p.tasks.Go(func() { p.rules.Follow(polling, p.fail) })
	p.tasks.Go(func() { p.offsets.follow(polling) })
	p.tasks.Go(func() {
		if err := p.schemas.Confirm(polling); err != nil {
			p.fail(err)
		}
	})
	if s, ok := p.options.Table.(sinks.Sweeper); ok {
		p.tasks.Go(func() { requests.Sweep(polling, s, p.now, p.log) })
	}
	if p.options.Seal.Interval > 0 {
		p.tasks.Go(func() { sealAll(polling, p) })
	}
}

// end leaves the group, in order or after a failure, and waits until everything has ended. stop ends input and output.
func (p *Pipeline) end(failure error, stop context.CancelCauseFunc) error {
	ended := make(chan struct{})
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), drainAll)
		defer cancel()
		p.leave(ctx, failure)
		member, _ := p.client.GroupMetadata()
		_ = p.client.LeaveGroupContext(ctx) // Close has no bound of its own.
		p.client.Close()
		p.releaseInstance(ctx, member)
		stop(context.Canceled)
		p.tasks.Wait()
		close(ended)
	}()
	if failure != nil { // What hangs must not keep the process from ending.
		select {
		case <-ended:
			return failure
		case <-time.After(failureGrace):
			return fmt.Errorf("%w (and %w %v later: exit now)", failure, ErrLingers, failureGrace)
		}
	}
	<-ended
	select {
	case err := <-p.failure: // A worker failed while it drained.
		return err
	default:
		return nil
	}
}

// ErrLingers reports that Run has returned although not everything that it started has ended: the process should exit.
var ErrLingers = errors.New("not everything has ended")

// failureGrace is how long Run waits, after a failure, for everything it started.
const failureGrace = 10 * time.Second

// prepare makes sure of the table's settings, the topic's number and the failed-events topic.
func (p *Pipeline) prepare(ctx context.Context) error {
	var settings sinks.TableSettings
	err := p.send.Send(ctx, nil, "open table", func() (err error) {
		if settings, err = sinks.EnsureTableSettings(ctx, p.options.Table, sinks.Keys{}, p.options.HashKey); err == nil {
			err = tableid.Ensure(ctx, p.options.Table, settings.Generations)
		}
		return err
	})
	if err != nil {
		return err
	}
	if p.keys = settings.Keys(); p.options.Rebuild.Generation > 0 {
		p.keys = sinks.KeysOfGeneration(p.options.Rebuild.Generation)
	}
	if err := settings.Check(p.keys); err != nil {
		return err
	}
	if p.sessionShards = settings.SessionShards; settings.Format < sinks.LastFormat {
		p.log.Info("the table is in the format of an earlier release, which may return until footfall upgrade finalize",
			"format", settings.Format, "release", sinks.FormatRelease(settings.Format))
	}
	if p.hash, err = sketch.NewHasher(settings.HashKey); err != nil {
		return err
	}
	p.schemas = &schemas.Book{Table: requests.ChainTable{Send: p.send, Pulse: new(requests.Pulse)}, Topic: p.topic,
		Registry: p.options.Registry, Watch: p.registry}
	err = p.send.Send(ctx, nil, "number the topic", func() (err error) {
		p.number, err = sinks.EnsureTopic(ctx, p.options.Table, p.keys, p.topic)
		return err
	})
	if err != nil {
		return err
	}
	if err := p.rules.Refresh(ctx, nil); err != nil {
		return err
	}
	p.events, err = outgoing.NewFailedEvents(ctx, p.options.Kafka, p.options.FailedTopic, p.topic, p.log)
	return err
}

// poll is the loop between the client and the workers. Records go to their partition's queue and never wait here
// for one slow partition; a partition whose queue is full pauses.
func (p *Pipeline) poll(ctx, io context.Context) {
	for ctx.Err() == nil {
		poll, cancel := context.WithCancel(ctx)
		p.roster.mu.Lock()
		p.roster.breakOff = cancel
		p.roster.mu.Unlock()
		p.takeUp()
		p.restartFetching(io)
		seq := p.polls.Add(1)
		fetches := p.client.PollFetches(poll)
		p.unpack.Drained()
		cancel()
		fetches.EachPartition(func(f kgo.FetchTopicPartition) { p.deliver(io, seq, f) })
	}
}

// deliver hands a partition's records to its worker.
func (p *Pipeline) deliver(io context.Context, seq int64, f kgo.FetchTopicPartition) {
	if f.Err != nil {
		defer p.fetchError(io, f.Partition, f.Err) // Behind the good records that may come with it.
	}
	w := p.roster.worker(f.Partition)
	if w == nil || f.Topic != p.topic {
		return // Lost in the meantime: the next owner reads them.
	}
	if len(f.Records) > 0 && seq == w.since && f.Records[0].Offset > w.start && f.Records[len(f.Records)-1].Offset >= w.start {
		// This poll began before the worker did, so the records may stem from before: an earlier assignment of
		// the partition had read further, was lost and dropped, and its fetch came back only now. Records right
		// at the worker's start are the right ones whatever they stem from; a gap is not to be trusted. Fetch again.
		w.since = 0
		p.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.topic: {f.Partition: {Epoch: -1, Offset: w.start}}})
		return
	}
	end := inbox.End{High: f.HighWatermark, Stable: f.LastStableOffset, Start: f.LogStartOffset}
	if end.Stable < 0 {
		end.Stable = end.High
	}
	records, whole := w.Follow(f.Records)
	w.Enqueue(records, end)
	if !whole {
		p.readRaw(io, f.Partition, errLeftOut)
	}
}
