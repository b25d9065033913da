package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/sinks"
)

// clockTolerance is how far the clocks of consumers may be apart: see docs/internals/exactly-once.md.
const clockTolerance = time.Minute

// Clocks compares this machine's clock with the brokers' and the table's. A clock that cannot be asked for is not checked: SQLite has
// none, and brokers show theirs only under KRaft, to users who may describe the cluster.
func Clocks(ctx context.Context, opts []kgo.Opt, table sinks.Admin) []Finding {
	findings := []Finding{compareBrokers(ctx, opts)}
	if s, ok := table.(sinks.Inspector); ok {
		findings = append(findings, compareClock(ctx, "table", s.ServerTime))
	}
	return findings
}

func compareBrokers(ctx context.Context, opts []kgo.Opt) Finding {
	return compareClock(ctx, "brokers", func(ctx context.Context) (time.Time, error) { return brokerTime(ctx, opts) })
}

// compareClock compares this machine's clock with that of the brokers or the table.
func compareClock(ctx context.Context, of string, ask func(context.Context) (time.Time, error)) Finding {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	f := Finding{Check: "clock." + of}
	sent := time.Now()
	at, err := ask(ctx)
	if err != nil {
		return f.unchecked(fmt.Errorf("the clock of the %s: %w", of, err))
	}
	f.Severity, f.Found = Warning, clockDifference("the "+of, at, sent, time.Now())
	if f.Found == "" {
		f.Severity, f.Found = OK, "this machine's clock agrees with that of the "+of
		return f
	}
	f.Endangers = "what has expired is left out too soon or too late, realtime minutes and lists of recent sessions first: set the clock"
	return f
}

// clockDifference says how far the local clock is from another that was at a time between a request and its answer; "": it is
// near enough.
func clockDifference(of string, at, sent, answered time.Time) string {
	off, how := sent.Sub(at), "ahead of" // At least by so much.
	if behind := at.Sub(answered); behind > off {
		off, how = behind, "behind"
	}
	if off <= clockTolerance {
		return ""
	}
	return fmt.Sprintf("this machine's clock is %v %s that of %s", off.Round(time.Second), how, of)
}

var errNoBrokerTime = errors.New("the controller's quorum has no leader")

// brokerTime asks the leader of the controller's quorum for the time: it answers with its own for the moment at which it has
// caught up with itself.
func brokerTime(ctx context.Context, opts []kgo.Opt) (time.Time, error) {
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return time.Time{}, err
	}
	defer cl.Close()
	req := kmsg.NewPtrDescribeQuorumRequest()
	topic, partition := kmsg.NewDescribeQuorumRequestTopic(), kmsg.NewDescribeQuorumRequestTopicPartition()
	topic.Topic, topic.Partitions = "__cluster_metadata", append(topic.Partitions, partition)
	req.Topics = append(req.Topics, topic)
	resp, err := req.RequestWith(ctx, cl)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if err != nil {
		return time.Time{}, err
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				return time.Time{}, err
			}
			for _, v := range p.CurrentVoters {
				if v.ReplicaID == p.LeaderID && v.LastCaughtUpTimestamp > 0 {
					return time.UnixMilli(v.LastCaughtUpTimestamp), nil
				}
			}
		}
	}
	return time.Time{}, errNoBrokerTime
}
