package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// clockTolerance is how far the clocks of consumers may be apart: see docs/exactly-once.md.
const clockTolerance = time.Minute

// warnOfClocks warns when this machine's clock is far from the table's or the brokers'. The clock decides only what has
// expired. A clock that cannot be asked for says nothing: SQLite has none, and brokers tell theirs only under KRaft, to
// those who may describe the cluster.
func warnOfClocks(ctx context.Context, opts []kgo.Opt, t *openedTable, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(ctx, preflightTimeout)
	defer cancel()
	type asked struct {
		of   string
		time func(context.Context) (time.Time, error)
	}
	clocks := []asked{{"the brokers", func(ctx context.Context) (time.Time, error) { return brokerTime(ctx, opts) }}}
	if s, ok := t.Admin.(interface {
		ServerTime(context.Context) (time.Time, error)
	}); ok {
		clocks = append(clocks, asked{"the table", s.ServerTime})
	}
	for _, c := range clocks {
		sent := time.Now()
		at, err := c.time(ctx)
		if err != nil {
			log.Debug("a clock cannot be compared", "of", c.of, "error", err)
			continue
		}
		if text := clockWarning(c.of, at, sent, time.Now()); text != "" {
			log.Warn(text)
		}
	}
}

// clockWarning says how far the local clock is from another that was at a time between a request and its answer; "": it is
// near enough.
func clockWarning(of string, at, sent, answered time.Time) string {
	off, how := sent.Sub(at), "ahead of" // At least by so much.
	if behind := at.Sub(answered); behind > off {
		off, how = behind, "behind"
	}
	if off <= clockTolerance {
		return ""
	}
	return fmt.Sprintf("this machine's clock is %v %s that of %s: what has expired is left out too soon or too late, realtime minutes and "+
		"lists of recent sessions first: set the clock", off.Round(time.Second), how, of)
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
