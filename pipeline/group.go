package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// The consumer group is a performance hint: it says which process should own a partition. Who may write is decided
// by the chains alone, so nothing here has to be right for the numbers to be right.

// groupOptions are the client's settings that the protocol relies on. io outlives Run's context.
func (p *Pipeline) groupOptions(io context.Context) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ConsumeTopics(p.topic),
		kgo.ConsumerGroup(p.o.Group),
		kgo.DisableAutoCommit(), // The checkpoint says where a chain goes on.
		// Never skip silently: a position that the topic no longer holds is an error.
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // They move next, so that lag reaches 0 behind them.
		kgo.RebalanceTimeout(60 * time.Second),
		kgo.MetadataMaxAge(30 * time.Second), // So soon added partitions are seen.
		kgo.FetchMaxBytes(16 << 20), kgo.FetchMaxPartitionBytes(4 << 20),
		// A partition that resumes waits for the fetch that is under way without it, which where the others have
		// nothing new takes this long; the default of 5 s made catching up five times slower.
		kgo.FetchMaxWait(250 * time.Millisecond),
		kgo.AdjustFetchOffsetsFn(func(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
			return p.assign(ctx, io, offsets)
		}),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { p.assignedTo(parts[p.topic]) }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { p.revoked(parts[p.topic]) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { p.lost(parts[p.topic]) }),
	}
	if p.o.ServerBalanced {
		opts = append(opts, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	} else {
		opts = append(opts, kgo.Balancers(kgo.CooperativeStickyBalancer()))
	}
	if p.o.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(p.o.InstanceID))
	}
	return opts
}

func (p *Pipeline) assignedTo(parts []int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range parts {
		p.assigned[n] = true
	}
	p.ready.Store(true)
}

// assign acquires the chains of newly assigned partitions and tells the client where each goes on. It may run
// again for the same partitions after an interrupted rebalance: workers of an earlier run are replaced.
func (p *Pipeline) assign(ctx, io context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	<-p.begun
	var parts []int32
	for n := range offsets[p.topic] {
		parts = append(parts, n)
	}
	slices.Sort(parts)
	p.drop(parts, errReplaced)
	workers, gaps, err := p.acquireAll(ctx, parts)
	if err != nil {
		if ctx.Err() == nil {
			p.fail(err)
		}
		return nil, err
	}
	for n, found := range gaps {
		p.park(io, n, found)
	}
	for _, w := range workers {
		offsets[p.topic][w.partition] = kgo.NewOffset().At(w.start).WithEpoch(-1)
		if !p.register(io, w) {
			return nil, errors.New("the assignment has passed")
		}
	}
	return offsets, nil
}

// register makes a worker the owner of its partition and starts it. It reports false when the pipeline is ending, or
// the partition is not assigned any more, or has another worker by now.
func (p *Pipeline) register(io context.Context, w *worker) bool {
	ctx, kill := context.WithCancelCause(io)
	w.open(ctx, kill)
	p.mu.Lock()
	if p.closing || !p.assigned[w.partition] || p.workers[w.partition] != nil { // The group has moved on meanwhile.
		p.mu.Unlock()
		kill(errLost)
		return false
	}
	w.since = p.polls.Load()
	p.workers[w.partition] = w
	p.mu.Unlock()
	p.client.ResumeFetchPartitions(map[string][]int32{p.topic: {w.partition}})
	p.log.Info("partition acquired", "partition", w.partition, "offset", w.start, "redo", w.redoes())
	p.tasks.Go(func() {
		w.err = w.run(ctx)
		close(w.done)
		p.ended(io, w)
	})
	return true
}

// ended decides what the end of a worker means for the process.
func (p *Pipeline) ended(io context.Context, w *worker) {
	p.mu.Lock()
	if p.workers[w.partition] == w {
		delete(p.workers, w.partition)
	}
	p.mu.Unlock()
	p.metrics.Lag.DeleteLabelValues(strconv.Itoa(int(w.partition)))
	p.metrics.LagSeconds.DeleteLabelValues(strconv.Itoa(int(w.partition)))
	switch err := w.err; {
	case err == nil:
		p.log.Info("partition drained", "partition", w.partition)
	case errors.Is(err, errDeadline):
		p.log.Warn("drain cut short: the next owner does the open step again", "partition", w.partition)
	case errors.Is(err, errLost), errors.Is(err, errReplaced), errors.Is(err, context.Canceled) && io.Err() != nil:
		p.log.Info("partition let go", "partition", w.partition, "cause", err)
	case errors.Is(err, ErrFenced):
		p.metrics.Fenced.Inc()
		p.fenced(io, w.partition, err)
	default:
		if gap, ok := errors.AsType[*gapError](err); ok {
			p.park(io, w.partition, []*gapError{gap})
			return
		}
		p.fail(fmt.Errorf("partition %d: %w", w.partition, err))
	}
}

// A worker that is fenced while Kafka still assigns it the partition acquires its chains again after a while: its
// own late request may have fenced it, or a zombie that has ended since. Two live groups on one topic would go on
// so for ever; the process that is fenced fencesMost times within fencesSpan gives up and names the other.
const (
	fencesMost = 5
	fencesSpan = 5 * time.Minute
	regainMin  = time.Second
	regainMax  = 10 * time.Second
)

func (p *Pipeline) fenced(io context.Context, partition int32, cause error) {
	now := time.Now()
	p.mu.Lock()
	recent := slices.DeleteFunc(p.fences[partition], func(t time.Time) bool { return now.Sub(t) > fencesSpan })
	p.fences[partition] = append(recent, now)
	assigned, times := p.assigned[partition] && !p.closing, len(p.fences[partition])
	p.mu.Unlock()
	if !assigned {
		p.log.Info("partition taken over by another owner", "partition", partition, "cause", cause)
		return
	}
	if times >= fencesMost {
		p.fail(fmt.Errorf("partition %d: fenced %d times within %v while Kafka assigns it to this process: does another "+
			"consumer group, or another cluster, use this table for topic %q? %w", partition, times, fencesSpan, p.topic, cause))
		return
	}
	wait := regainMin + rand.N(regainMax-regainMin)
	p.log.Warn("fenced: acquiring the partition again", "partition", partition, "in", wait, "cause", cause)
	p.tasks.Go(func() {
		select {
		case <-time.After(wait):
		case <-io.Done():
			return
		}
		p.regain(io, partition)
	})
}

// regained is a worker that waits for the poll loop to seek to its start.
type regained struct {
	worker *worker
	io     context.Context
}

// regain acquires a partition's chains again and leaves the worker to the poll loop: only between two polls can
// the client be moved without records of the old position coming after it.
func (p *Pipeline) regain(io context.Context, partition int32) {
	p.mu.Lock()
	wanted := p.assigned[partition] && !p.closing && p.workers[partition] == nil
	p.mu.Unlock()
	if !wanted {
		return
	}
	workers, gaps, err := p.acquireAll(io, []int32{partition})
	if err != nil {
		if io.Err() == nil {
			p.fail(err)
		}
		return
	}
	if found := gaps[partition]; found != nil {
		p.park(io, partition, found)
		return
	}
	p.mu.Lock()
	p.regained = append(p.regained, regained{workers[0], io})
	breakOff := p.breakOff
	p.mu.Unlock()
	breakOff()
}

// takeUp starts the workers that were acquired anew; called by the poll loop, between two polls.
func (p *Pipeline) takeUp() {
	p.mu.Lock()
	list := p.regained
	p.regained = nil
	p.mu.Unlock()
	for _, r := range list {
		p.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{p.topic: {r.worker.partition: {Epoch: -1, Offset: r.worker.start}}})
		p.register(r.io, r.worker)
	}
}

// revoked gives partitions up in order: their workers finish what is open before Kafka hands the partitions on.
func (p *Pipeline) revoked(parts []int32) {
	p.unassign(parts)
	p.retire(parts)
}

// lost drops partitions that another member owns already: nothing of them may be written any more, and the new
// owner does the open steps again.
func (p *Pipeline) lost(parts []int32) {
	p.unassign(parts)
	p.drop(parts, errLost)
}

func (p *Pipeline) unassign(parts []int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, n := range parts {
		delete(p.assigned, n)
	}
}

func (p *Pipeline) of(parts []int32) []*worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	var list []*worker
	for _, n := range parts {
		if w := p.workers[n]; w != nil {
			list = append(list, w)
		}
	}
	return list
}

// retire drains workers side by side and waits for them; each ends within its own deadlines.
func (p *Pipeline) retire(parts []int32) {
	workers := p.of(parts)
	for _, w := range workers {
		w.retire()
	}
	limit := time.NewTimer(drainStep + 2*drainRest)
	defer limit.Stop()
	for _, w := range workers {
		select {
		case <-w.done:
		case <-limit.C: // It hangs in a read: drop it, and all that come after.
			p.drop(parts, errDeadline)
			return
		}
	}
}

// drop ends workers at once and waits for them.
func (p *Pipeline) drop(parts []int32, cause error) {
	workers := p.of(parts)
	for _, w := range workers {
		w.kill(cause)
	}
	for _, w := range workers {
		<-w.done
	}
}

// leave ends all workers: in order when the pipeline was asked to end, at once after a failure.
func (p *Pipeline) leave(failure error) {
	p.mu.Lock()
	p.closing = true
	var parts []int32
	for n := range p.workers {
		parts = append(parts, n)
	}
	p.mu.Unlock()
	if failure == nil {
		p.retire(parts)
	} else {
		p.drop(parts, failure)
	}
}

// fetchError tells what ends the process from what passes.
func (p *Pipeline) fetchError(io context.Context, partition int32, err error) {
	var loss *kgo.ErrDataLoss
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, kgo.ErrClientClosed):
	case errors.As(err, &loss):
		p.lookAgain(io, partition, loss.ResetTo, err)
	case errors.Is(err, kerr.OffsetOutOfRange):
		p.lookAgain(io, partition, math.MaxInt64, err)
	case errors.Is(err, kerr.UnknownTopicID), errors.Is(err, kerr.InconsistentTopicID):
		p.fail(fmt.Errorf("partition %d: topic %q was deleted and created again: start the process anew: %w", partition, p.topic, err))
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.ClusterAuthorizationFailed), errors.Is(err, kerr.SaslAuthenticationFailed):
		p.fail(fmt.Errorf("topic %q: Kafka refuses these credentials: %w", p.topic, err))
	case errors.As(err, new(*kgo.ErrGroupSession)), kgo.IsRetryableBrokerErr(err), kerr.IsRetriable(err),
		errors.As(err, new(net.Error)):
		p.log.Warn("fetch", "partition", partition, "error", err)
	default: // Records may have been passed over, as behind a batch that does not decode: the next start asks again.
		p.fail(fmt.Errorf("partition %d: fetch: %w", partition, err))
	}
}

// lookAgain takes a partition over anew because the log does not hold what was to be fetched next: what is folded is
// settled first, and then it shows whether that is a gap, or only a window of duplicates that retention has cut. end is
// where the log was found to end.
func (p *Pipeline) lookAgain(io context.Context, partition int32, end int64, cause error) {
	p.client.PauseFetchPartitions(map[string][]int32{p.topic: {partition}})
	p.mu.Lock()
	before, already := p.cuts[partition]
	if already {
		end = min(end, before)
	}
	p.cuts[partition] = end
	p.mu.Unlock()
	if already {
		return
	}
	p.log.Warn("the log does not hold the next offset: looking what is left", "partition", partition, "error", cause)
	p.tasks.Go(func() {
		p.retire([]int32{partition})
		p.regain(io, partition)
	})
}

// gauges publishes what is read off the workers.
func (p *Pipeline) gauges(now time.Time) {
	workers := p.owned()
	p.metrics.Partitions.Set(float64(len(workers)))
	oldest, queued := 0.0, 0
	stale, states := make([]float64, len(Lanes)), make([]int64, len(Lanes))
	for _, w := range workers {
		label := strconv.Itoa(int(w.partition))
		lag, bytes, seconds := w.progress(now)
		p.metrics.Lag.WithLabelValues(label).Set(float64(lag))
		p.metrics.LagSeconds.WithLabelValues(label).Set(seconds)
		queued += bytes
		for i := range Lanes {
			oldest = max(oldest, age(now, w.intents[i].Load()))
			stale[i] = max(stale[i], age(now, w.stale[i].Load()))
			states[i] += w.states[i].Load()
		}
	}
	p.metrics.OldestIntent.Set(oldest)
	p.metrics.QueueBytes.Set(float64(queued))
	for i, lane := range Lanes {
		p.metrics.Staleness.WithLabelValues(lane).Set(stale[i])
		p.metrics.States.WithLabelValues(lane).Set(float64(states[i]))
	}
}
