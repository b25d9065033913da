package pipeline

import (
	"context"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// releaseInstance has the brokers give the place of this process to the next one of its instance id at once, which otherwise waits for the
// session timeout. The client's request to leave a group of KIP-848 lacks the id, so brokers refuse it (franz-go 1.22.3, leave848).
func (s *shared) releaseInstance(ctx context.Context, member string) {
	id := s.options.InstanceID
	if !s.options.ServerBalanced || id == "" || member == "" {
		return
	}
	client, err := kgo.NewClient(s.options.Kafka...)
	if err != nil {
		return
	}
	defer client.Close()
	r := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	r.Group, r.MemberID, r.InstanceID, r.MemberEpoch = s.options.Group, member, &id, leavesForNow
	answer, err := r.RequestWith(ctx, client)
	if err == nil {
		err = kerr.ErrorForCode(answer.ErrorCode)
	}
	if err != nil {
		s.log.Info("the group keeps this process's place until its session ends", "instance", id, "error", err)
	}
}

// leavesForNow is the epoch of a static member that leaves, and whose partitions wait for its successor (KIP-848).
const leavesForNow = -2
