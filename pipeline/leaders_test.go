package pipeline_test

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// TestWaitForALeaderIsSeen: a partition without a leader is logged once, with its wait as a metric, and again once it has one.
func TestWaitForALeaderIsSeen(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		o, log := w.watched()
		run := w.Start(o)
		w.Produce(append(events(0, 5), events(1, 5)...)...)
		w.Settled()
		var led atomic.Bool
		w.Cluster.ControlKey(kmsg.ListOffsets.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
			w.Cluster.KeepControl()
			if led.Load() {
				return nil, nil, false
			}
			asked := req.(*kmsg.ListOffsetsRequest)
			answer := asked.ResponseKind().(*kmsg.ListOffsetsResponse)
			for _, topic := range asked.Topics {
				of := kmsg.NewListOffsetsResponseTopic()
				of.Topic = topic.Topic
				for _, p := range topic.Partitions {
					at := kmsg.NewListOffsetsResponseTopicPartition()
					if at.Partition, at.Offset = p.Partition, 5; p.Partition == 0 {
						at.Offset, at.ErrorCode = -1, kerr.LeaderNotAvailable.Code
					}
					of.Partitions = append(of.Partitions, at)
				}
				answer.Topics = append(answer.Topics, of)
			}
			return answer, nil, true
		})
		w.Pass(5 * time.Minute)
		wait := func(partition string) float64 {
			return testutil.ToFloat64(o.Metrics.LeaderWait.WithLabelValues(partition))
		}
		if first, second := wait("0"), wait("1"); first < 60 || second != 0 {
			t.Errorf("partitions have waited %v and %v s for their leaders, want 60 or more and 0", first, second)
		}
		if log.line("waits for its leader", "partition=0") == "" || log.line("has a leader again") != "" {
			t.Errorf("the wait is not logged:\n%s", &log.text)
		}
		led.Store(true)
		w.Pass(5 * time.Minute)
		if first := wait("0"); first != 0 || log.line("has a leader again", "partition=0", "waited=") == "" ||
			strings.Count(log.text.String(), "waits for its leader") != 1 {
			t.Errorf("%v s after the wait:\n%s", first, &log.text)
		}
		run.Drain()
	})
}
