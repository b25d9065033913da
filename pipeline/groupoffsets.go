package pipeline

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The group's committed offsets are for tools that show its lag, and for nothing else: where a partition continues, its checkpoints say.
// A commit that is lost, late, refused or made by hand changes no number.

// groupOffsets commits what the partitions of this process have settled.
type groupOffsets struct {
	*shared
	instanceID string                     // of static membership; "": none
	settled    func() map[int32]settledTo // how far the partitions of this process are
	takeovers  takeovers

	turn      chan struct{} // holds one while a commit is under way, or forget, which may use all below
	committed map[int32]settledTo
	refused   time.Time // when the log was last told that commits are refused
}

const (
	commitEvery   = time.Second     // at most
	commitTimeout = 5 * time.Second // as long as drainAll leaves after drainWorkers
	refusedEvery  = time.Hour       // between two warnings
)

// follow commits what has changed, until ctx ends.
func (g *groupOffsets) follow(ctx context.Context) {
	tick := time.NewTicker(commitEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.commit(ctx, g.settled())
		case <-ctx.Done():
			return
		}
	}
}

// commit tells the group how far partitions are that are assigned to this process. It tries once: what fails is tried again with the
// next change, or with the next tick. The request is our own: the client's commits wait until a rebalance is over, and rebalances wait
// for them.
func (g *groupOffsets) commit(ctx context.Context, at map[int32]settledTo) {
	g.turn <- struct{}{}
	defer func() { <-g.turn }()
	r := g.request(at)
	if len(r.Topics) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, commitTimeout)
	defer cancel()
	answer, err := r.RequestWith(ctx, g.client)
	if err == nil {
		err = g.answered(at, answer)
	}
	if err == nil || kerr.IsRetriable(err) || time.Since(g.refused) < refusedEvery {
		return
	}
	switch e, answered := errors.AsType[*kerr.Error](err); {
	case !answered: // The brokers do not answer, which the log says elsewhere.
	case e == kerr.RebalanceInProgress, e == kerr.IllegalGeneration, e == kerr.UnknownMemberID, e == kerr.StaleMemberEpoch,
		e == kerr.FencedInstanceID: // The group has moved on, and whoever owns the partitions now commits.
	default:
		g.refused = time.Now()
		// Cause: The brokers refuse the commit, mostly because the right READ on the group is missing. Logged once an hour. Remedy: Permit READ
		// on the group; `footfall doctor` has the command.
		g.log.Warn("the group's offsets cannot be committed: tools show a wrong lag; the numbers do not depend on it", "group", g.options.Group,
			"error", err)
	}
}

// request asks to commit what has changed.
func (g *groupOffsets) request(at map[int32]settledTo) *kmsg.OffsetCommitRequest {
	r := kmsg.NewPtrOffsetCommitRequest()
	r.Group = g.options.Group
	r.MemberID, r.Generation = g.client.GroupMetadata()
	if id := g.instanceID; id != "" {
		r.InstanceID = &id
	}
	topics := make(map[[16]byte]*kmsg.OffsetCommitRequestTopic) // More than one while the topic is created anew.
	for n, to := range at {
		if g.committed[n] == to {
			continue
		}
		t := topics[to.topicID]
		if t == nil {
			topic := kmsg.NewOffsetCommitRequestTopic()
			topic.Topic, topic.TopicID = g.topic, to.topicID
			t = &topic
			topics[to.topicID] = t
		}
		p := kmsg.NewOffsetCommitRequestTopicPartition()
		p.Partition, p.Offset, p.Metadata = n, to.offset, g.takeovers.metadata(n, to.flushes)
		t.Partitions = append(t.Partitions, p)
	}
	for _, t := range topics {
		r.Topics = append(r.Topics, *t)
	}
	return r
}

// answered notes which partitions the group has taken, and returns the error of one that it has not. It has the turn.
func (g *groupOffsets) answered(at map[int32]settledTo, r *kmsg.OffsetCommitResponse) (err error) {
	for _, t := range r.Topics {
		for _, p := range t.Partitions {
			if e := kerr.ErrorForCode(p.ErrorCode); e != nil {
				err = e
				continue
			}
			g.committed[p.Partition] = at[p.Partition]
		}
	}
	return err
}

// forget has the offsets of partitions committed again when they come back.
func (g *groupOffsets) forget(parts []int32) {
	g.turn <- struct{}{}
	defer func() { <-g.turn }()
	for _, n := range parts {
		delete(g.committed, n)
	}
}
