package pipeline_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// committed is what the group has committed, by partition.
func (w *world) committed() map[int32]kadm.Offset {
	w.T.Helper()
	all, err := kadm.NewClient(w.Client).FetchOffsets(w.T.Context(), w.Options().Group)
	if err != nil {
		w.T.Fatal(err)
	}
	found := make(map[int32]kadm.Offset)
	for n, o := range all[w.Topic] {
		found[n] = o.Offset
	}
	return found
}

// logEnd is where a partition's log ends.
func (w *world) logEnd(partition int32) int64 {
	w.T.Helper()
	ends, err := kadm.NewClient(w.Client).ListEndOffsets(w.T.Context(), w.Topic)
	if err != nil {
		w.T.Fatal(err)
	}
	end, _ := ends.Lookup(w.Topic, partition)
	return end.Offset
}

// TestGroupHasCommittedWhatIsSettled: never more than every lane has settled, and all of it, with the markers at the log's end, once the
// partitions are idle and after a drain.
func TestGroupHasCommittedWhatIsSettled(t *testing.T) {
	t.Parallel()
	inWorld(t, 2, func(t *testing.T, w *world) {
		g := &gate{Table: w.Table, match: func(k sinks.Key) bool { return strings.HasPrefix(k.SK, "STATS#") }, answer: throttled}
		o := w.With(g, 0)
		o.Metrics = pipeline.NewMetrics(prometheus.NewRegistry())
		p := w.Start(o)
		caughtUp := func(when string) {
			for begun := time.Now(); w.committed()[0].At < w.logEnd(0) || w.committed()[1].At < w.logEnd(1); w.Pass(time.Second) {
				if time.Since(begun) > time.Hour {
					t.Errorf("%s: committed %v, and the logs end at %d and %d", when, w.committed(), w.logEnd(0), w.logEnd(1))
					return
				}
			}
		}
		records := append(events(0, 300), events(1, 50)...)
		w.Produce(records[:100]...)
		caughtUp("at first")
		g.shut.Store(true) // A flush of the stats lane stays open.
		for rest := records[100:]; len(rest) > 0; rest = rest[10:] {
			w.Produce(rest[:10]...)
			w.Pass(3 * time.Second)
			for n, o := range w.committed() {
				if want := map[int32]int64{0: 100}[n]; o.At != want {
					t.Errorf("partition %d has committed %d before any later flush was settled, want %d", n, o.At, want)
				}
			}
		}
		if head := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneRealtime); head.To == 100 {
			t.Error("the other lane has not gone on: the test is void")
		}
		w.Pass(20 * time.Second) // The lag is measured every 10 s.
		for n, at := range w.committed() {
			label := fmt.Sprint(n)
			if have, want := testutil.ToFloat64(o.Metrics.GroupLag.WithLabelValues(label)), float64(w.logEnd(n)-at.At); have != want {
				t.Errorf("partition %d: the group's lag is %v, want %v", n, have, want)
			}
		}
		if have := testutil.ToFloat64(o.Metrics.TopicPartitions); have != 2 {
			t.Errorf("%v partitions, want 2", have)
		}
		g.shut.Store(false)
		w.abort(0)
		caughtUp("with a marker at the end")
		head := w.statsHead()
		if have, want := w.committed()[0].Metadata, fmt.Sprintf("stats=%d realtime=", head.Step); !strings.HasPrefix(have, want) {
			t.Errorf("metadata %q, want %q and a number", have, want)
		}
		w.Produce(events(1, 5)...)
		w.abort(1)
		w.Pass(time.Second)
		p.Drain()
		if have, want := w.committed()[1].At, w.logEnd(1); have != want {
			t.Errorf("after the drain %d is committed, and the log ends at %d", have, want)
		}
	})
}

// abort publishes an event to a partition in a transaction that is aborted.
func (w *world) abort(partition int32) {
	w.T.Helper()
	client, err := kgo.NewClient(append(w.Kafka(), kgo.TransactionalID("aborts"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		w.T.Fatal(err)
	}
	defer client.Close()
	if err := client.BeginTransaction(); err != nil {
		w.T.Fatal(err)
	}
	r := &kgo.Record{Topic: w.Topic, Partition: partition, Value: []byte("{}")}
	if err := client.ProduceSync(w.T.Context(), r).FirstErr(); err != nil {
		w.T.Fatal(err)
	}
	if err := client.EndTransaction(w.T.Context(), kgo.TryAbort); err != nil {
		w.T.Fatal(err)
	}
}

// TestResetOfTheGroupChangesNothing: offsets that are set by hand are reported, and not followed.
func TestResetOfTheGroupChangesNothing(t *testing.T) {
	t.Parallel()
	records := traffic(11, 1, 300, bubbleStart)
	want := calm(t, 1, records)
	for name, at := range map[string]int64{"to the beginning": 0, "beyond the end": 1_000_000} {
		t.Run(name, func(t *testing.T) {
			compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
				o, log := w.With(s, 0), new(logged)
				o.Log = slog.New(slog.NewTextHandler(log, nil))
				first := w.Start(o)
				produce(200)
				w.Settled()
				first.Drain()
				if log.line("committed offset") != "" {
					t.Errorf("before anything was set:\n%s", &log.text)
				}
				o.Table = testworld.Table(w.T)
				other := w.Start(o)
				w.Pass(time.Second)
				other.Drain()
				if log.line("the table has not counted this partition before", "partition=0", "committed=", "from=0") == "" ||
					log.line("the group was reset") != "" {
					t.Errorf("on a table without items:\n%s", &log.text)
				}
				o.Table = s
				set := make(kadm.Offsets)
				set.AddOffset(w.Topic, 0, at, -1)
				if err := kadm.NewClient(w.Client).CommitAllOffsets(w.T.Context(), o.Group, set); err != nil {
					t.Fatal(err)
				}
				second := w.Start(o)
				produce(len(records))
				w.Settled()
				second.Drain()
				if log.line("the group's committed offset", fmt.Sprint("committed=", at), "partition=0") == "" {
					t.Errorf("nothing says that the offset was set:\n%s", &log.text)
				}
				if have := w.committed()[0].At; have != w.logEnd(0) {
					t.Errorf("%d is committed in the end, want %d", have, w.logEnd(0))
				}
			}}.rows(t), want)
		})
	}
}

// TestRefusedCommitsChangeNothing: without the right to commit, footfall counts as ever, and says once why tools show no lag.
func TestRefusedCommitsChangeNothing(t *testing.T) {
	t.Parallel()
	records := traffic(12, 1, 300, bubbleStart)
	want := calm(t, 1, records)
	compare(t, trial{1, records, func(w *world, s *spy, produce func(int)) {
		w.Cluster.ControlKey(int16(kmsg.OffsetCommit), func(r kmsg.Request) (kmsg.Response, error, bool) {
			w.Cluster.KeepControl()
			answer := r.ResponseKind().(*kmsg.OffsetCommitResponse)
			for _, t := range r.(*kmsg.OffsetCommitRequest).Topics {
				topic := kmsg.NewOffsetCommitResponseTopic()
				topic.Topic, topic.TopicID = t.Topic, t.TopicID
				for _, p := range t.Partitions {
					partition := kmsg.NewOffsetCommitResponseTopicPartition()
					partition.Partition, partition.ErrorCode = p.Partition, kerr.GroupAuthorizationFailed.Code
					topic.Partitions = append(topic.Partitions, partition)
				}
				answer.Topics = append(answer.Topics, topic)
			}
			return answer, nil, true
		})
		o, log := w.With(s, 0), new(logged)
		o.Log = slog.New(slog.NewTextHandler(log, nil))
		p := w.Start(o)
		for range 10 {
			produce(30)
			w.Pass(20 * time.Second)
		}
		w.Settled()
		p.Drain()
		if n := strings.Count(log.text.String(), "the group's offsets cannot be committed"); n != 1 {
			t.Errorf("%d warnings, want 1:\n%s", n, &log.text)
		}
		if at := w.committed(); len(at) > 0 {
			t.Errorf("committed %v", at)
		}
	}}.rows(t), want)
}
