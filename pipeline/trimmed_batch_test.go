package pipeline_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// deleteTo deletes the records of partition 0 below an offset.
func (w *world) deleteTo(offset int64) {
	w.T.Helper()
	var o kadm.Offsets
	o.AddOffset(w.Topic, 0, offset, -1)
	r, err := kadm.NewClient(w.Client).DeleteRecords(w.T.Context(), o)
	if err == nil {
		err = r.Error()
	}
	if err != nil {
		w.T.Fatal(err)
	}
}

// fetched is what consuming clients ask the brokers for. Safe for concurrent use.
type fetched struct {
	requests atomic.Int64
	refuse   atomic.Bool // with an error that says nothing
	mu       sync.Mutex
	lowest   int64 // offset of partition 0, since it was set
}

func (w *world) fetches() *fetched {
	f := &fetched{lowest: 1 << 60}
	w.Cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		w.Cluster.KeepControl()
		r := req.(*kmsg.FetchRequest)
		f.requests.Add(1)
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, t := range r.Topics {
			for _, p := range t.Partitions {
				if p.Partition == 0 {
					f.lowest = min(f.lowest, p.FetchOffset)
				}
			}
		}
		if !f.refuse.Load() || r.MaxBytes == 1<<30 || len(r.Topics) == 0 {
			return nil, nil, false
		}
		resp := r.ResponseKind().(*kmsg.FetchResponse)
		for _, t := range r.Topics {
			topic := kmsg.NewFetchResponseTopic()
			topic.Topic, topic.TopicID = t.Topic, t.TopicID
			for _, p := range t.Partitions {
				partition := kmsg.NewFetchResponseTopicPartition()
				partition.Partition, partition.ErrorCode = p.Partition, kerr.UnknownServerError.Code
				topic.Partitions = append(topic.Partitions, partition)
			}
			resp.Topics = append(resp.Topics, topic)
		}
		return resp, nil, true
	})
	return f
}

// acceptGaps accepts the gaps of partition 0.
func (w *world) acceptGaps() {
	w.T.Helper()
	for _, lane := range checkpoint.Lanes {
		if _, err := checkpoint.AcceptGap(w.T.Context(), w.Acceptance(0, lane, w.stopped(0, lane).Step)); err != nil {
			w.T.Fatal(err)
		}
	}
}

// mostFetches is more than a client that fetches one partition at its pace makes in a minute, four a second, and less than one that
// meets the same batch again and again.
const mostFetches = 300

// Records are deleted inside a batch that the client cannot read, the last of the log, while nothing consumes it. Once the gap is
// accepted, the rest of the batch is streamed once. The client moves on, and waits for records as usual.
func TestDeletionInsideABatchThatCannotBeRead(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o, log := w.watched()
		w.Folded(o, events(0, 5))
		w.unreadable(7)
		w.deleteTo(8)
		f := w.fetches()
		run := w.Start(o)
		w.acceptGaps()
		w.until("the batch is passed", func() bool {
			head := w.head(0, checkpoint.LaneStats)
			return head.To == 12 && head.Done
		})
		f.requests.Store(0)
		w.Pass(time.Minute)
		if n := f.requests.Load(); n > mostFetches {
			t.Errorf("%d fetches in a minute: the client does not move on\n%s", n, log.line("cannot read a batch", "offset=12"))
		}
		w.Produce(events(0, 3)...)
		w.Settled()
		run.Drain()
		if totals := w.totals(0); totals.Rejected[event.Unreadable] != 4 || totals.Records() != 5+4+3 {
			t.Errorf("totals %+v, want 4 records that cannot be read, of 12", totals)
		}
	})
}

// A partition that is parked when it is assigned, and is then resumed, is read from its chain's position, not from the log's beginning.
func TestResumedPartitionIsReadFromItsPosition(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o, _ := w.watched()
		o.Settings.Duplicates = within(10)
		w.Folded(o, events(0, 100))
		park := sinks.Str(`{"reason":"read","detail":"a test","from":100,"since":"2000-01-01T00:00:00Z"}`)
		if _, err := w.Table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats),
			Set: []sinks.Attr{{Name: "park", Value: park}}}); err != nil {
			t.Fatal(err)
		}
		epoch := w.head(0, checkpoint.LaneRealtime).Epoch
		run := w.Start(o)
		w.until("the partition is taken over", func() bool { return w.head(0, checkpoint.LaneRealtime).Epoch > epoch })
		f := w.fetches()
		if _, err := checkpoint.Resume(t.Context(), w.Unparking(0)); err != nil {
			t.Fatal(err)
		}
		w.Produce(events(0, 3)...)
		w.Settled()
		run.Drain()
		f.mu.Lock()
		lowest := f.lowest
		f.mu.Unlock()
		if lowest < 90 || lowest == 1<<60 {
			t.Errorf("it is read from offset %d, want no record before 90", lowest)
		}
		w.Recounted()
	})
}

// A client that is refused again and again at the log's end, where there is nothing to stream, asks at growing intervals. Records that
// are published in that time count once it is no longer refused.
func TestClientThatIsRefusedAsksInPauses(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o, log := w.watched()
		o.Kafka = append(o.Kafka, kgo.DisableFetchSessions())
		run := w.Start(o)
		w.Produce(events(0, 5)...)
		w.Settled()
		f := w.fetches()
		f.refuse.Store(true)
		w.Pass(time.Minute)
		f.requests.Store(0)
		w.Pass(time.Minute)
		if n := f.requests.Load(); n == 0 || n > 60 {
			t.Errorf("%d fetches in a minute, want a few\n%s", n, log.line("cannot read a batch"))
		}
		if w.head(0, checkpoint.LaneStats).Park != nil {
			t.Errorf("it is parked: %v", w.head(0, checkpoint.LaneStats).Park)
		}
		f.refuse.Store(false)
		w.Produce(events(0, 3)...)
		w.Settled()
		run.Drain()
		w.Recounted()
	})
}
