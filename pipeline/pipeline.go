package pipeline

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/batch"
	"github.com/footfall/footfall/internal/urlquery"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Options are what a Pipeline is made of. Kafka, Topic, Group and Table are required.
type Options struct {
	Kafka          []kgo.Opt // seeds, TLS, SASL, dialer; nothing about groups or offsets
	Topic          string
	Group          string
	InstanceID     string // static membership; "": none
	ServerBalanced bool   // a group of KIP-848, balanced by the broker; else classic, cooperative-sticky
	FailedTopic    string // where rejected records go; "": Topic + ".failed"

	Table   sinks.Table
	Keys    sinks.Keys
	HashKey []byte // 16 bytes, the key of the visitors' hash; nil: the table's own

	Settings checkpoint.Settings // zero: DefaultSettings
	// ObserveDuplicates is a window of duplicates that is only measured, in positions, beside the one of Settings that
	// is acted on; 0: none.
	ObserveDuplicates int64
	StatsInterval     time.Duration // between two steps of the stats lane; 0: 60 s
	RealtimeInterval  time.Duration // 0: 5 s
	Limits            Limits        // zero fields: DefaultLimits

	// SealInterval is how long the owner of partition 0 waits between two passes in which it seals days and months that are
	// over; 0: it makes none, and readers merge hours. SealAfter is how long after its end a day is sealed.
	SealInterval, SealAfter time.Duration

	Metrics *Metrics         // nil: kept, and not shown
	Log     *slog.Logger     // nil: nothing is logged
	Now     func() time.Time // decides what has expired; nil: time.Now
}

// Limits are the ceilings of the promise "bounded".
type Limits struct {
	// Of the process, in bytes.
	MemoryBytes  int // states, and the flushes that are under way
	FetchedBytes int // records that were fetched and are not folded yet

	// Of each partition.
	StepItems  int // max. items of a step: it is cut then
	StepBytes  int // max. bytes of its writes, about: it is cut then
	QueueBytes int // fetched and not yet folded before its fetching pauses
	Sessions   int // kept in memory by one of its lanes beyond those of open steps; an hour counts for 32, a minute for 5

	InFlight int // requests at the table at once, of the process

	Journal aggregate.Journal // which hours are not rewritten at each step
}

// DefaultLimits bound what a process holds for all of its partitions. See PartitionBytes for what each of them adds.
var DefaultLimits = Limits{MemoryBytes: 256 << 20, FetchedBytes: 64 << 20,
	StepItems: 5000, StepBytes: 16 << 20, QueueBytes: 8 << 20, Sessions: 50_000, InFlight: 128, Journal: aggregate.DefaultJournal}

// Pipeline consumes one topic as a member of one group. New makes it, Run runs it once.
type Pipeline struct {
	o     Options
	ready atomic.Bool
	*shared

	failure chan error    // the first failure that ends the process
	begun   chan struct{} // closed once client is set: the group's callbacks may come before
	polls   atomic.Int64

	fetching brokerPulse // when the consuming client last talked to a broker

	mu       sync.Mutex // covers all below; never held across I/O
	workers  map[int32]*worker
	assigned map[int32]bool
	fences   map[int32][]time.Time // of the last minutes, by partition
	// Partitions that a goroutine is bringing back, each with a token of its own, and where the log of a partition was
	// found to be truncated until that is looked at.
	returning   map[int32]*int
	truncatedAt map[int32]int64
	parked      map[int32]*standstill
	parking     map[int32]*checkpoint.Park // to be recorded when the partition is taken over next
	regained    []regained                 // acquired again, to be started by the poll loop
	quiet       map[int32]checkpoint.Stand // where a later group's stats chain has stood still for quietAfter
	unpack      *batch.Decompressor
	stalled     map[int32]time.Time // whose fetching the poll loop is to restart, and since when
	breakOff    context.CancelFunc  // ends the poll that is under way
	closing     bool
	tasks       sync.WaitGroup
}

// shared is what all workers of a pipeline have in common.
type shared struct {
	streams       chan struct{} // holds one for each batch that is being streamed
	topic         string
	number        int64 // of the topic in this table
	owner         string
	keys          sinks.Keys
	sessionShards int
	rules         *ruleBook
	hash          sketch.Hasher
	settings      checkpoint.Settings
	intervals     map[string]time.Duration
	limits        Limits
	memory        *budget
	send          *sender
	events        *failedEvents
	client        *kgo.Client
	metrics       *Metrics
	log           *slog.Logger
	now           func() time.Time // of what has expired, and of the last record time that a step believes
	records       atomic.Int64     // folded
	keyless       atomic.Int64     // of them, without a Kafka key
}

// New checks the options and makes a Pipeline of them. It does no I/O.
func New(o Options) (*Pipeline, error) {
	var err error
	fault := func(format string, args ...any) { err = errors.Join(err, fmt.Errorf(format, args...)) }
	if o.Topic == "" {
		fault("Topic is empty: name the topic to consume")
	}
	if o.Group == "" {
		fault("Group is empty: name the consumer group")
	}
	if o.Table == nil {
		fault("Table is nil: open a table first")
	}
	if o.HashKey != nil && len(o.HashKey) != 16 {
		fault("HashKey has %d bytes: it must have 16", len(o.HashKey))
	}
	if o.Settings.Fold == 0 {
		o.Settings = checkpoint.DefaultSettings()
	}
	if o.Settings.Sites != checkpoint.SitesAny && o.Settings.Sites != checkpoint.SitesRegistered {
		fault("Settings.Sites is %q: choose %q or %q", o.Settings.Sites, checkpoint.SitesAny, checkpoint.SitesRegistered)
	}
	if _, err := urlquery.Parse(o.Settings.QueryParameters); err != nil {
		fault("Settings.QueryParameters: %v", err)
	}
	if o.Settings.BatchBytes < 1<<20 || o.Settings.BatchBytes > batch.Window {
		fault("Settings.BatchBytes is %d: choose 1 MiB to 16 MiB", o.Settings.BatchBytes)
	}
	if o.Settings.NewSites < 0 {
		fault("Settings.NewSites is %d: choose 0, which is any number, or more", o.Settings.NewSites)
	}
	if o.Settings.NotAfter != 0 {
		fault("Settings.NotAfter is %d: leave it 0, each step gets its own", o.Settings.NotAfter)
	}
	if o.Settings.Fold != checkpoint.FoldVersion {
		fault("Settings.Fold is %d: this is fold version %d", o.Settings.Fold, checkpoint.FoldVersion)
	}
	if o.FailedTopic == "" {
		o.FailedTopic = o.Topic + ".failed"
	}
	if o.FailedTopic == o.Topic {
		fault("FailedTopic %q is the topic itself: rejected records would come back for ever", o.FailedTopic)
	}
	if o.StatsInterval == 0 {
		o.StatsInterval = time.Minute
	}
	if o.RealtimeInterval == 0 {
		o.RealtimeInterval = 5 * time.Second
	}
	o.Limits = o.Limits.orDefault()
	if o.Metrics == nil {
		o.Metrics = NewMetrics(prometheus.NewRegistry())
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err != nil {
		return nil, err
	}
	send := newSender(o.Table, newLimiter(o.Limits.InFlight), o.Metrics)
	return &Pipeline{
		o:         o,
		failure:   make(chan error, 1),
		begun:     make(chan struct{}),
		workers:   make(map[int32]*worker),
		assigned:  make(map[int32]bool),
		fences:    make(map[int32][]time.Time),
		returning: make(map[int32]*int), truncatedAt: make(map[int32]int64),
		parked: make(map[int32]*standstill), parking: make(map[int32]*checkpoint.Park), stalled: make(map[int32]time.Time),
		quiet:  make(map[int32]checkpoint.Stand),
		unpack: batch.NewDecompressor(o.Settings.BatchBytes),
		shared: &shared{
			streams: make(chan struct{}, 1),
			topic:   o.Topic, owner: checkpoint.OwnerName(), keys: o.Keys, settings: o.Settings,
			intervals: map[string]time.Duration{checkpoint.LaneStats: o.StatsInterval, checkpoint.LaneRealtime: o.RealtimeInterval},
			limits:    o.Limits, memory: newBudget(o.Limits), metrics: o.Metrics, log: o.Log, now: o.Now,
			send: send, rules: newRuleBook(send, o.Keys),
		},
	}, nil
}

func (l Limits) orDefault() Limits {
	if l.Journal == (aggregate.Journal{}) {
		l.Journal = aggregate.DefaultJournal
	}
	for _, f := range []struct{ have, def *int }{
		{&l.MemoryBytes, &DefaultLimits.MemoryBytes}, {&l.FetchedBytes, &DefaultLimits.FetchedBytes},
		{&l.StepItems, &DefaultLimits.StepItems}, {&l.StepBytes, &DefaultLimits.StepBytes},
		{&l.QueueBytes, &DefaultLimits.QueueBytes}, {&l.Sessions, &DefaultLimits.Sessions},
		{&l.InFlight, &DefaultLimits.InFlight},
	} {
		if *f.have == 0 {
			*f.have = *f.def
		}
	}
	return l
}

// Run consumes until ctx ends, then drains: open steps are finished as far as 35 seconds allow, and nil is returned.
// Any other end is a failure, after which the process should exit and start again: the next owner does again what was
// not finished. Run returns when everything it started has ended, or, after a failure, ten seconds later. It may be
// called once.
func (p *Pipeline) Run(ctx context.Context) error {
	// Input and output outlive ctx, so that a drain can finish what is open.
	io, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	if err := p.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return nil // Asked to end before it began.
		}
		return err
	}
	defer p.events.close()
	client, err := kgo.NewClient(append(append([]kgo.Opt{kgo.WithHooks(&p.fetching), kgo.WithDecompressor(p.unpack)}, p.o.Kafka...),
		p.groupOptions(io)...)...)
	if err != nil {
		return fmt.Errorf("open the client of Kafka: %w", err)
	}
	p.client = client
	close(p.begun)

	polling, endPolling := context.WithCancel(ctx)
	p.tasks.Go(func() { p.poll(polling, io) })
	p.tasks.Go(func() { p.observe(polling) })
	p.tasks.Go(func() { p.measure(polling) })
	p.tasks.Go(func() { p.rules.follow(polling, p.fail) })
	if s, ok := p.o.Table.(sinks.Sweeper); ok {
		p.tasks.Go(func() { p.sweep(polling, s) })
	}
	if p.o.SealInterval > 0 {
		p.tasks.Go(func() { p.seal(polling) })
	}
	select {
	case <-ctx.Done():
		err = nil
		p.log.Info("draining", "cause", context.Cause(ctx))
	case err = <-p.failure:
	}
	endPolling()
	ended := make(chan struct{})
	go func() {
		p.leave(err)
		client.Close()
		stop(context.Canceled)
		p.tasks.Wait()
		close(ended)
	}()
	if err != nil { // What hangs must not keep the process from ending.
		select {
		case <-ended:
		case <-time.After(failureGrace):
			err = fmt.Errorf("%w (and not everything has ended %v later: exit now)", err, failureGrace)
		}
		return err
	}
	<-ended
	if err == nil {
		select {
		case err = <-p.failure: // A worker failed while it drained.
		default:
		}
	}
	return err
}

// failureGrace is how long Run waits, after a failure, for everything it started.
const failureGrace = 10 * time.Second

// prepare makes sure of the table's settings, the topic's number and the failed-events topic.
func (p *Pipeline) prepare(ctx context.Context) error {
	var settings sinks.TableSettings
	err := p.send.send(ctx, nil, "open table", func() (err error) {
		settings, err = sinks.EnsureTableSettings(ctx, p.o.Table, p.keys, p.o.HashKey)
		return err
	})
	if err != nil {
		return err
	}
	p.sessionShards = settings.SessionShards
	if p.hash, err = sketch.NewHasher(settings.HashKey); err != nil {
		return err
	}
	err = p.send.send(ctx, nil, "number the topic", func() (err error) {
		p.number, err = sinks.EnsureTopic(ctx, p.o.Table, p.keys, p.topic)
		return err
	})
	if err != nil {
		return err
	}
	if err := p.rules.refresh(ctx, nil); err != nil {
		return err
	}
	p.events, err = newFailedEvents(ctx, p.o.Kafka, p.o.FailedTopic, p.topic, p.log)
	return err
}

// Ready returns nil once the process is a member of its group, and says why not before. Safe for concurrent use.
func (p *Pipeline) Ready() error {
	if !p.ready.Load() {
		return errors.New("not yet a member of the consumer group")
	}
	return nil
}

// fail ends Run with the first failure.
func (p *Pipeline) fail(err error) {
	select {
	case p.failure <- err:
		p.log.Error("ending", "cause", err)
	default: // Run ends already.
	}
}

// poll is the loop between the client and the workers. Records go to their partition's queue and never wait here
// for one slow partition; a partition whose queue is full pauses.
func (p *Pipeline) poll(ctx, io context.Context) {
	for ctx.Err() == nil {
		poll, cancel := context.WithCancel(ctx)
		p.mu.Lock()
		p.breakOff = cancel
		p.mu.Unlock()
		p.takeUp()
		p.restartFetching()
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
	p.mu.Lock()
	w := p.workers[f.Partition]
	p.mu.Unlock()
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
	end := logEnd{high: f.HighWatermark, stable: f.LastStableOffset}
	if end.stable < 0 {
		end.stable = end.high
	}
	w.enqueue(f.Records, end)
}

// sweepEvery is how often expired items are deleted where the store does not do it itself.
const sweepEvery = 10 * time.Second

func (p *Pipeline) sweep(ctx context.Context, s sinks.Sweeper) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			for deleted := 1; deleted > 0; { // A bounded bite each time, so that writes get their turn.
				var err error
				if deleted, err = s.Sweep(ctx, p.now()); err != nil && ctx.Err() == nil {
					p.log.Warn("expired items are not deleted", "error", err)
				}
			}
		case <-ctx.Done():
			return
		}
	}
}

func (p *Pipeline) owned() []*worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := make([]*worker, 0, len(p.workers))
	for _, w := range p.workers {
		list = append(list, w)
	}
	return list
}
