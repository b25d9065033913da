package topiclog_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/topiclog"
)

// A topic has three partitions. Partition 0 has two records. Partition 1 has no leader before led.
type topic struct {
	*topiclog.Log
	led time.Time
}

// withTopic runs f in a bubble of fake time.
func withTopic(t *testing.T, f func(t *testing.T, topic *topic)) {
	testworld.InBubble(t, 1, func(t *testing.T, w *testworld.World) {
		for range 2 {
			if err := w.Client.ProduceSync(t.Context(), &kgo.Record{Topic: "events", Value: []byte("{}")}).FirstErr(); err != nil {
				t.Fatal(err)
			}
		}
		log, err := topiclog.Open(t.Context(), w.Kafka, "events", "create it")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(log.Close)
		it := &topic{Log: log}
		w.Cluster.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
			w.Cluster.KeepControl()
			return it.leaderless(t, w.Cluster.ListenAddrs()[0], r), nil, time.Now().Before(it.led)
		})
		time.Sleep(time.Minute) // Of fake time: the client has to ask again who leads.
		f(t, it)
	}, kfake.SeedTopics(3, "events"))
}

// leaderless is what the broker at addr says of the topic.
func (it *topic) leaderless(t *testing.T, addr string, r kmsg.Request) kmsg.Response {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		t.Error(err)
	}
	n, err := strconv.ParseInt(port, 10, 32)
	if err != nil {
		t.Error(err)
	}
	resp := r.ResponseKind().(*kmsg.MetadataResponse)
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host, broker.Port = host, int32(n)
	resp.Brokers = append(resp.Brokers, broker)
	topic := kmsg.NewMetadataResponseTopic()
	topic.Topic, topic.TopicID = &it.Topic, it.ID
	for _, n := range it.Partitions {
		p := kmsg.NewMetadataResponseTopicPartition()
		p.Partition = n
		if n == 1 {
			p.ErrorCode, p.Leader = kerr.LeaderNotAvailable.Code, -1
		}
		topic.Partitions = append(topic.Partitions, p)
	}
	resp.Topics = append(resp.Topics, topic)
	return resp
}

func TestOffsetsWaitForALeader(t *testing.T) {
	ends := map[int32]int64{0: 2, 1: 0, 2: 0}
	for name, c := range map[string]struct {
		list func(*topiclog.Log, context.Context) (map[int32]int64, error)
		want map[int32]int64
	}{
		"start offsets":   {(*topiclog.Log).Starts, map[int32]int64{0: 0, 1: 0, 2: 0}},
		"end offsets":     {(*topiclog.Log).Ends, ends},
		"high watermarks": {(*topiclog.Log).HighWatermarks, ends},
		"since a time": {func(log *topiclog.Log, ctx context.Context) (map[int32]int64, error) {
			return log.Since(ctx, time.Now())
		}, ends},
	} {
		t.Run(name, func(t *testing.T) {
			withTopic(t, func(t *testing.T, it *topic) {
				it.led = time.Now().Add(30 * time.Second)
				got, err := c.list(it.Log, t.Context())
				if err != nil || !maps.Equal(got, c.want) || time.Now().Before(it.led) {
					t.Errorf("%v, %v, %v before there is a leader; want %v", got, err, time.Until(it.led), c.want)
				}
			})
		})
	}
}

func TestOffsetsWithoutALeaderForLong(t *testing.T) {
	withTopic(t, func(t *testing.T, it *topic) {
		begun := time.Now()
		it.led = begun.Add(time.Hour)
		got, err := it.Ends(t.Context())
		if took := time.Since(begun); !errors.Is(err, kerr.LeaderNotAvailable) || took < time.Minute || took > 2*time.Minute {
			t.Errorf("%v, %v after %v; want the error of the broker after a minute", got, err, took)
		}
	})
}

func TestOffsetsEndWithTheContext(t *testing.T) {
	withTopic(t, func(t *testing.T, it *topic) {
		it.led = time.Now().Add(time.Hour)
		gone := errors.New("gone")
		ctx, stop := context.WithTimeoutCause(t.Context(), 10*time.Second, gone)
		defer stop()
		if got, err := it.Ends(ctx); !errors.Is(err, gone) || !errors.Is(err, kerr.LeaderNotAvailable) {
			t.Errorf("%v, %v; want the cause and the error of the broker", got, err)
		}
	})
}

func TestOffsetsOfADeletedTopic(t *testing.T) {
	withTopic(t, func(t *testing.T, it *topic) {
		if _, err := it.Admin.DeleteTopics(t.Context(), it.Topic); err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		if got, err := it.Ends(t.Context()); !errors.Is(err, kerr.UnknownTopicOrPartition) || time.Since(begun) > 10*time.Second {
			t.Errorf("%v, %v after %v; want an error at once", got, err, time.Since(begun))
		}
	})
}
