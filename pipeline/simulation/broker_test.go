package simulation_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/batch"
)

const simBrokers = 3

// brokerFault is something that happens to a cluster once.
type brokerFault func(s *simulation, dice *rand.Rand)

// brokerFaults are all there are.
var brokerFaults = []brokerFault{
	func(s *simulation, dice *rand.Rand) {
		to := dice.Int32N(simBrokers)
		if s.Cluster.MoveTopicPartition(s.Topic, dice.Int32N(s.partitions), to) == nil {
			s.cover.Hit(onLeaderMoved)
		}
	},
	func(s *simulation, dice *rand.Rand) {
		s.Cluster.ShufflePartitionLeaders()
		s.cover.Hit(onLeaders)
	},
	func(s *simulation, dice *rand.Rand) {
		s.Cluster.RehashCoordinators()
		s.cover.Hit(onCoordinator)
	},
	func(s *simulation, dice *rand.Rand) {
		s.fault(onSessionLost, kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat, kmsg.ConsumerGroupHeartbeat}, TopLevel: true,
			Err: []*kerr.Error{kerr.UnknownMemberID, kerr.UnknownMemberID, kerr.FencedMemberEpoch}[dice.IntN(3)]})
	},
	func(s *simulation, dice *rand.Rand) {
		s.fault(onRebalance, kfake.Fault{Keys: []kmsg.Key{kmsg.Heartbeat}, TopLevel: true, Err: kerr.RebalanceInProgress,
			Count: 1 + dice.IntN(3)})
	},
	func(s *simulation, dice *rand.Rand) { s.visit(time.Duration(2+dice.IntN(20)) * time.Second) },
	func(s *simulation, dice *rand.Rand) {
		s.fault(onFailedTimedOut, kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: s.Topic + ".failed", Err: kerr.RequestTimedOut,
			Count: 1 + dice.IntN(3)})
	},
	func(s *simulation, dice *rand.Rand) {
		s.fault(onFetchRefused, kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: s.Topic, Count: 1 + dice.IntN(5),
			Err: []*kerr.Error{kerr.NotLeaderForPartition, kerr.KafkaStorageError, kerr.ReplicaNotAvailable}[dice.IntN(3)]})
	},
	func(s *simulation, dice *rand.Rand) {
		s.fault(onOffsetsRefused, kfake.Fault{Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: s.Topic, Count: 1 + dice.IntN(3),
			Err: kerr.LeaderNotAvailable})
	},
	func(s *simulation, dice *rand.Rand) {
		s.fault(onOffsetsRefused, kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Group: s.group(), Count: 1 + dice.IntN(3),
			Err: []*kerr.Error{kerr.NotCoordinator, kerr.CoordinatorLoadInProgress, kerr.RebalanceInProgress}[dice.IntN(3)]})
	},
	func(s *simulation, dice *rand.Rand) {
		s.fault(onCommitRefused, kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetCommit}, Group: s.group(), Count: 1 + dice.IntN(20),
			Err: []*kerr.Error{kerr.NotCoordinator, kerr.RebalanceInProgress, kerr.GroupAuthorizationFailed}[dice.IntN(3)]})
	},
	func(s *simulation, dice *rand.Rand) { s.resetGroup(dice) },
	func(s *simulation, dice *rand.Rand) {
		s.fault(onJoinRefused, kfake.Fault{Keys: []kmsg.Key{kmsg.JoinGroup, kmsg.SyncGroup}, TopLevel: true, Count: 1 + dice.IntN(2),
			Err: []*kerr.Error{kerr.RebalanceInProgress, kerr.NotCoordinator, kerr.UnknownMemberID}[dice.IntN(3)]})
	},
	func(s *simulation, dice *rand.Rand) {
		keys := []kmsg.Key{kmsg.Fetch, kmsg.Heartbeat, kmsg.JoinGroup, kmsg.SyncGroup, kmsg.OffsetFetch, kmsg.Metadata,
			kmsg.ListOffsets, kmsg.ConsumerGroupHeartbeat, kmsg.OffsetCommit}
		s.Cluster.ControlKey(int16(keys[dice.IntN(len(keys))]), func(kmsg.Request) (kmsg.Response, error, bool) {
			if s.calm.Load() {
				s.Cluster.DropControl()
				return nil, nil, false
			}
			s.cover.Hit(onCut)
			return nil, errCut, true
		})
	},
}

var errCut = errors.New("connection cut")

// unstick cuts the connection of a client that fetches over and over without any time passing: it goes on until it
// hears of a moved leader, and in a bubble, where answers take no time, that time never comes.
func (s *simulation) unstick() {
	var now time.Time
	fetches := 0
	s.Cluster.ControlKey(int16(kmsg.Fetch), func(kmsg.Request) (kmsg.Response, error, bool) {
		s.Cluster.KeepControl()
		if t := time.Now(); t != now {
			now, fetches = t, 0
		}
		if fetches++; fetches%1000 == 0 {
			return nil, errCut, true
		}
		return nil, nil, false
	})
}

// installed is a fault that waits for the requests it is about.
type installed struct {
	happening
	*kfake.FaultHandle
}

func (s *simulation) fault(h happening, f kfake.Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.installed = append(s.installed, installed{h, s.Cluster.Fault(f)})
}

// resetGroup sets the group's committed offsets by hand, which brokers permit while it has no members.
func (s *simulation) resetGroup(dice *rand.Rand) {
	client, err := kgo.NewClient(s.Kafka()...)
	if err != nil {
		s.problem("reset the group: %v", err)
		return
	}
	defer client.Close()
	offsets := make(kadm.Offsets)
	for n := range s.partitions {
		offsets.AddOffset(s.Topic, n, dice.Int64N(2)*dice.Int64N(1000), -1)
	}
	if kadm.NewClient(client).CommitAllOffsets(context.Background(), s.group(), offsets) == nil {
		s.cover.Hit(onGroupReset)
	}
}

// trouble lets so many faults happen to the brokers, at times within a span. It returns at once.
func (s *simulation) trouble(n int, span time.Duration) {
	for range n {
		dice := rand.New(rand.NewPCG(s.dice.Uint64(), 6))
		what, after := brokerFaults[dice.IntN(len(brokerFaults))], time.Duration(dice.Float64()*float64(span))
		s.tasks.Go(func() {
			time.Sleep(after)
			if !s.calm.Load() {
				what(s, dice)
			}
		})
	}
}

// calmed ends what has been done to the brokers.
func (s *simulation) calmed() {
	s.calm.Store(true)
	s.decaying.Store(false)
	if s.schemas != nil {
		s.schemas.answer()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, f := range s.installed {
		f.Remove()
		s.cover.Add(f.happening, f.Hits())
	}
}

// visit lets a member join the group, take its share of the partitions, do nothing with them, and leave.
func (s *simulation) visit(stay time.Duration) {
	opts := append(s.Kafka(), kgo.ConsumerGroup(s.group()), kgo.ConsumeTopics(s.Topic), kgo.DisableAutoCommit(),
		kgo.WithDecompressor(batch.NewDecompressor(batch.Window, batch.Window)))
	if s.kip848 {
		opts = append(opts, kgo.ServerSideBalancer(), kgo.Balancers(kgo.StickyBalancer()))
	} else {
		opts = append(opts, kgo.Balancers(kgo.CooperativeStickyBalancer()))
	}
	member, err := kgo.NewClient(opts...)
	if err != nil {
		s.problem("a member that comes and goes: %v", err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), stay)
	defer cancel()
	for ctx.Err() == nil {
		if member.PollFetches(ctx).Err() != nil { // It meets a batch that it cannot read again and again.
			time.Sleep(time.Second)
		}
	}
	member.Close()
	s.cover.Hit(onMember)
}
