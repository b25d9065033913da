package topiclog_test

import (
	"context"
	"errors"
	"maps"
	"net"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/topiclog"
)

// opened is a topic of three partitions, the first of which has two records.
func opened(t *testing.T) (*kfake.Cluster, *topiclog.Log) {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(3, "events"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	opts := []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.MetadataMinAge(10 * time.Millisecond)}
	producer, err := kgo.NewClient(opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer producer.Close()
	for range 2 {
		if err := producer.ProduceSync(t.Context(), &kgo.Record{Topic: "events", Value: []byte("{}")}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	log, err := topiclog.Open(t.Context(), opts, "events", "create it")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(log.Close)
	return cluster, log
}

// leaderless is what a broker says of the topic while partition 1 has no leader.
func leaderless(t *testing.T, cluster *kfake.Cluster, log *topiclog.Log, r kmsg.Request) kmsg.Response {
	t.Helper()
	host, port, err := net.SplitHostPort(cluster.ListenAddrs()[0])
	if err != nil {
		t.Error(err)
	}
	resp := r.ResponseKind().(*kmsg.MetadataResponse)
	broker := kmsg.NewMetadataResponseBroker()
	broker.Host = host
	n, _ := strconv.ParseInt(port, 10, 32)
	broker.Port = int32(n)
	resp.Brokers = append(resp.Brokers, broker)
	topic := kmsg.NewMetadataResponseTopic()
	topic.Topic, topic.TopicID = &log.Topic, log.ID
	for _, n := range log.Partitions {
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

// TestOffsetsWaitForALeader: a partition without a leader is no error, unless it has none for long; a topic that is gone is one at once.
func TestOffsetsWaitForALeader(t *testing.T) {
	cluster, log := opened(t)
	for name, list := range map[string]func(context.Context) (map[int32]int64, error){
		"end": log.Ends, "high watermark": log.HighWatermarks,
		"since": func(ctx context.Context) (map[int32]int64, error) { return log.Since(ctx, time.Now().Add(time.Hour)) },
	} {
		var asked atomic.Int32
		cluster.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
			if asked.Add(1) > 3 {
				return nil, nil, false
			}
			cluster.KeepControl()
			return leaderless(t, cluster, log, r), nil, true
		})
		for asked.Load() < 3 { // The client knows the leaders for a moment.
			ends, err := list(t.Context())
			if want := map[int32]int64{0: 2, 1: 0, 2: 0}; err != nil || !maps.Equal(ends, want) {
				t.Fatalf("%s: %v, %v after %d answers without a leader; want %v", name, ends, err, asked.Load(), want)
			}
		}
	}

	ctx, stop := context.WithCancel(t.Context())
	cluster.ControlKey(int16(kmsg.Metadata), func(r kmsg.Request) (kmsg.Response, error, bool) {
		cluster.KeepControl()
		stop()
		return leaderless(t, cluster, log, r), nil, true
	})
	var err error
	for err == nil { // Until then, as above.
		_, err = log.Starts(ctx)
	}
	if ctx.Err() == nil {
		t.Errorf("Starts ends by itself: %v", err)
	}
}

// TestOffsetsOfATopicThatIsGone are an error at once.
func TestOffsetsOfATopicThatIsGone(t *testing.T) {
	_, log := opened(t)
	if _, err := log.Admin.DeleteTopics(t.Context(), log.Topic); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if starts, err := log.Starts(ctx); !errors.Is(err, kerr.UnknownTopicOrPartition) {
		t.Errorf("Starts = %v, %v; want an error that says that the topic is unknown", starts, err)
	}
}
