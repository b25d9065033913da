package pipeline

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The consumer group is a performance hint: it says which process should own a partition. Who may write is decided
// by the chains alone, so nothing here has to be right for the numbers to be right.

// groupOptions are the client's settings that the protocol relies on. io outlives Run's context.
func (p *Pipeline) groupOptions(io context.Context) []kgo.Opt {
	opts := []kgo.Opt{
		kgo.ConsumeTopics(p.topic),
		kgo.ConsumerGroup(p.options.Group),
		kgo.DisableAutoCommit(), // The checkpoint says where a chain continues.
		// Never skip silently: a position that the topic no longer holds is an error.
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(), // They move next, so that lag reaches 0 after them.
		kgo.RebalanceTimeout(60 * time.Second),
		kgo.MetadataMaxAge(30 * time.Second), // So soon added partitions are seen.
		kgo.SessionTimeout(p.options.SessionTimeout), kgo.HeartbeatInterval(heartbeatInterval(p.options.SessionTimeout)),
		kgo.FetchMaxBytes(int32(p.options.FetchMaxBytes)), kgo.FetchMaxPartitionBytes(int32(p.options.MaxPartitionFetchBytes)),
		kgo.Rack(p.options.Rack),
		// A partition that resumes waits for the fetch that is under way without it, which where the others have
		// nothing new takes this long; the default of 5 s made catching up five times slower.
		kgo.FetchMaxWait(250 * time.Millisecond),
		kgo.AdjustFetchOffsetsFn(func(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
			return p.assign(ctx, io, offsets)
		}),
		kgo.OnOffsetsFetched(func(_ context.Context, _ *kgo.Client, r *kmsg.OffsetFetchResponse) error {
			p.offsets.takeovers.fetched(r)
			return nil
		}),
		kgo.OnPartitionsAssigned(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { p.assignedTo(parts[p.topic]) }),
		kgo.OnPartitionsRevoked(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { p.revoked(parts[p.topic]) }),
		kgo.OnPartitionsLost(func(_ context.Context, _ *kgo.Client, parts map[string][]int32) { p.lost(parts[p.topic]) }),
	}
	if p.options.ServerBalanced {
		opts = append(opts, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	} else {
		opts = append(opts, kgo.Balancers(kgo.CooperativeStickyBalancer()))
	}
	if p.options.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(p.options.InstanceID))
	}
	return opts
}

func (p *Pipeline) assignedTo(parts []int32) {
	p.roster.mu.Lock()
	defer p.roster.mu.Unlock()
	for _, n := range parts {
		p.roster.assigned[n] = true
	}
	p.ready.Store(true)
	p.joined.Store(true)
}

// assign acquires the chains of newly assigned partitions and sets where the client continues in each. It may run
// again for the same partitions after an interrupted rebalance: workers of an earlier run are replaced.
func (p *Pipeline) assign(ctx, io context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	<-p.begun
	var parts []int32
	committed := make(map[int32]int64) // negative: nothing is
	for n, offset := range offsets[p.topic] {
		parts = append(parts, n)
		committed[n] = offset.EpochOffset().Offset
	}
	slices.Sort(parts)
	p.roster.drop(parts, errReplaced)
	t, err := p.taker.acquireAll(ctx, parts)
	if err != nil {
		if ctx.Err() == nil {
			p.fail(err)
		}
		return nil, err
	}
	for n, found := range t.still {
		p.park(io, n, found)
	}
	for n, cause := range t.fenced {
		p.fenced(io, n, cause)
	}
	for n := range t.yields {
		p.bringBack(io, n, p.yield(io, n))
	}
	for _, n := range parts { // Those without a worker are paused. Later the client cannot move one whose offset it was never given.
		offsets[p.topic][n] = kgo.NewOffset().At(0).WithEpoch(-1)
	}
	for _, w := range t.workers {
		w.compareCommitted(committed[w.partition])
		offsets[p.topic][w.partition] = kgo.NewOffset().At(w.start).WithEpoch(-1)
		if !p.register(io, w) {
			return nil, errors.New("the assignment has passed")
		}
	}
	return offsets, nil
}

// revoked gives partitions up in order: their workers finish what is open before Kafka hands the partitions on.
func (p *Pipeline) revoked(parts []int32) {
	p.unassign(parts)
	ctx, cancel := context.WithTimeout(context.Background(), drainAll)
	defer cancel()
	p.offsets.commit(ctx, settledBy(p.roster.retire(parts)))
	p.offsets.forget(parts)
}

// lost drops partitions that another member owns already: nothing of them may be written any more, and the new
// owner does the open steps again.
func (p *Pipeline) lost(parts []int32) {
	p.ready.Store(false) // Until it has joined again.
	p.unassign(parts)
	p.roster.drop(parts, errLost)
	p.offsets.forget(parts)
}

func (p *Pipeline) unassign(parts []int32) {
	p.roster.mu.Lock()
	defer p.roster.mu.Unlock()
	for _, n := range parts {
		delete(p.roster.assigned, n)
		delete(p.roster.returning, n)
		p.taker.forget(n)
		p.roster.unpark(n)
		p.taker.unyield(n)
	}
}

// leave ends all workers: in order when the pipeline was asked to end, at once after a failure.
func (p *Pipeline) leave(ctx context.Context, failure error) {
	p.roster.mu.Lock()
	p.roster.closing = true
	var parts []int32
	for n := range p.roster.workers {
		parts = append(parts, n)
	}
	p.roster.mu.Unlock()
	if failure == nil {
		p.offsets.commit(ctx, settledBy(p.roster.retire(parts)))
	} else {
		p.roster.drop(parts, failure)
	}
}
