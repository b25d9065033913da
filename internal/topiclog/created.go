package topiclog

import (
	"context"
	"errors"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// LookAgain is the time between two looks whether the brokers describe a new topic. An admin client for it needs a
// [kgo.MetadataMinAge] no longer than this.
const LookAgain = 100 * time.Millisecond

// AwaitCreated waits until the brokers describe a topic that was just created, and returns how many partitions it has. The broker that is
// asked may learn of it later than the controller that created it. An error is that of the last look.
func AwaitCreated(ctx context.Context, admin *kadm.Client, name string) (partitions int, err error) {
	tick := time.NewTicker(LookAgain)
	defer tick.Stop()
	for {
		topics, err := admin.ListTopics(ctx, name)
		if err == nil {
			err = topics[name].Err
		}
		if !errors.Is(err, kerr.UnknownTopicOrPartition) && !errors.Is(err, kerr.LeaderNotAvailable) {
			return len(topics[name].Partitions), err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, err
		}
	}
}
