package collect

import (
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/visitorid"
)

// brokers is a cluster with a topic of events.
func brokers(t testing.TB) (*kfake.Cluster, []kgo.Opt) {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster, []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}
}

func openSalts(t *testing.T, kafka []kgo.Opt) *Salts {
	t.Helper()
	s, err := OpenSalts(t.Context(), kafka, "events.salts")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

var someone = visitorid.Visitor{Site: "shop.example", Address: "203.0.113.9", UserAgent: "Firefox"}

// Collectors that need a day's salt at the same moment, and those that start later, make the same ids.
func TestCollectorsShareSalts(t *testing.T) {
	_, kafka := brokers(t)
	now := time.Now()
	const collectors = 8
	ids := make([]string, collectors)
	var all sync.WaitGroup
	for i := range collectors {
		h, err := visitorid.OpenStore(openSalts(t, kafka), now)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			var err error
			if ids[i], err = h.ID(someone, now, now); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	later, err := visitorid.OpenStore(openSalts(t, kafka), now)
	if err != nil {
		t.Fatal(err)
	}
	want, err := later.ID(someone, now, now)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		if id != want {
			t.Errorf("ids %q, want all %s", ids, want)
			break
		}
	}
}

// days are those whose salts are in the topic.
func (s *Salts) days(t *testing.T) (all []string) {
	t.Helper()
	if _, err := s.read(t.Context(), func(r *kgo.Record) bool { all = append(all, string(r.Key)); return true }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestRightToDeleteIsAskedForAtStart: salts that cannot be deleted keep all events out once the first has expired.
func TestRightToDeleteIsAskedForAtStart(t *testing.T) {
	cluster, kafka := brokers(t)
	salts := openSalts(t, kafka)
	cluster.ControlKey(int16(kmsg.DeleteRecords), func(req kmsg.Request) (kmsg.Response, error, bool) {
		answer := req.ResponseKind().(*kmsg.DeleteRecordsResponse)
		answer.Topics = []kmsg.DeleteRecordsResponseTopic{{Topic: "events.salts",
			Partitions: []kmsg.DeleteRecordsResponseTopicPartition{{ErrorCode: kerr.TopicAuthorizationFailed.Code}}}}
		return answer, nil, true
	})
	if _, err := visitorid.OpenStore(salts, time.Now()); !errors.Is(err, kerr.TopicAuthorizationFailed) {
		t.Errorf("OpenStore = %v", err)
	}
}

// TestNothingButSaltsIsDeleted: the topic of the salts is that of something else by mistake.
func TestNothingButSaltsIsDeleted(t *testing.T) {
	_, kafka := brokers(t)
	if err := newQueue(t, kafka, QueueOptions{}).Publish(t.Context(), "a", records(3)); err != nil {
		t.Fatal(err)
	}
	salts, err := OpenSalts(t.Context(), kafka, "events")
	if err != nil {
		t.Fatal(err)
	}
	defer salts.Close()
	_, err = visitorid.OpenStore(salts, time.Now())
	if left := salts.days(t); err == nil || len(left) != 3 {
		t.Errorf("OpenStore = %v, and of 3 events %d are left", err, len(left))
	}
}

// TestSaltsAreForgotten: 48 hours after its day began, a salt is deleted from the topic, and others of later days stay.
func TestSaltsAreForgotten(t *testing.T) {
	_, kafka := brokers(t)
	day := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	h, err := visitorid.OpenStore(openSalts(t, kafka), day)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, at := range []time.Time{day, day.Add(24 * time.Hour)} {
		id, err := h.ID(someone, at, at)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	over := day.Add(visitorid.Kept)
	if err := h.Forget(over); err != nil {
		t.Fatal(err)
	}
	salts := openSalts(t, kafka)
	left := salts.days(t)
	if fmt.Sprint(left) != "[2026-05-13]" {
		t.Errorf("the topic has the salts of %v, want that of 2026-05-13", left)
	}
	again, err := visitorid.OpenStore(salts, over)
	if err != nil {
		t.Fatal(err)
	}
	if id, err := again.ID(someone, day.Add(24*time.Hour), over); err != nil || id != ids[1] {
		t.Errorf("the id of the second day is %s, %v; want %s", id, err, ids[1])
	}
	if _, err := again.ID(someone, day, over); !errors.Is(err, visitorid.ErrForgotten) {
		t.Errorf("the id of the first day: %v, want ErrForgotten", err)
	}
}

// TestYesterdaysSaltIsForgottenFirst: on the first day of a topic, an event of the day before comes late.
func TestYesterdaysSaltIsForgottenFirst(t *testing.T) {
	_, kafka := brokers(t)
	salts := openSalts(t, kafka)
	today := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	noon := today.Add(12 * time.Hour)
	h, err := visitorid.OpenStore(salts, noon)
	if err != nil {
		t.Fatal(err)
	}
	if err := RenewSalts(h, noon); err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{noon, noon.Add(-maxAgo)} {
		if _, err := h.ID(someone, at, noon); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.Forget(today.Add(24 * time.Hour)); err != nil {
		t.Fatal(err)
	}
	left := salts.days(t)
	if fmt.Sprint(left) != "[2026-05-12]" {
		t.Errorf("the topic has the salts of %v, want that of 2026-05-12", left)
	}
}

// TestSaltsFailTogether: without brokers, requests that wait for a salt fail one after the other, and only the first waits for the brokers.
func TestSaltsFailTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network kfake.VirtualNetwork
		client, err := kgo.NewClient(kgo.SeedBrokers("localhost:9092"), kgo.Dialer(network.DialContext))
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		s := &Salts{client: client, topic: "events.salts"}
		_, first := s.Keep(noon, make([]byte, 32))
		began := time.Now()
		if _, err := s.Keep(noon, make([]byte, 32)); err == nil || err != first || time.Since(began) > 0 {
			t.Errorf("the second failed after %v with %v, the first with %v", time.Since(began), err, first)
		}
	})
}

func newQueue(t *testing.T, kafka []kgo.Opt, o QueueOptions) *Queue {
	t.Helper()
	o.Kafka, o.Topic = kafka, "events"
	if o.MaxBytes == 0 {
		o.MaxBytes = 1 << 20
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	q, err := NewQueue(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

func records(n int) (all []*kgo.Record) {
	for i := range n {
		all = append(all, &kgo.Record{Key: []byte("shop.example"), Value: fmt.Append(nil, i)})
	}
	return all
}

// TestQueueIsBounded: a site fills half of the queue at most, others the rest, and nothing waits beyond. Once the brokers have answered,
// there is room again.
func TestQueueIsBounded(t *testing.T) {
	_, kafka := brokers(t)
	const one = recordOverhead + 13 // of records(1)
	q := newQueue(t, kafka, QueueOptions{MaxBytes: 8 * one})
	full := func(site string) {
		t.Helper()
		if err := q.Publish(t.Context(), site, records(1)); !errors.Is(err, ErrFull) {
			t.Errorf("an event of site %s: %v, want ErrFull", site, err)
		}
	}
	if !q.reserve("a", 4*one) { // As if the brokers had not answered.
		t.Fatal("half of the queue is no room for a site")
	}
	full("a")
	if err := q.Publish(t.Context(), "b", records(4)); err != nil {
		t.Errorf("an event of another site: %v", err)
	}
	if !q.reserve("b", 4*one) {
		t.Fatal("the other half is no room for another site")
	}
	full("a")
	full("b")
	full("c")
	q.release("a", 4*one)
	q.release("b", 4*one)
	if err := q.Publish(t.Context(), "a", records(4)); err != nil || q.Bytes() != 0 || len(q.of) != 0 {
		t.Errorf("afterwards: %v, %d bytes wait, of %v", err, q.Bytes(), q.of)
	}
}

// topic creates a topic, or another of the same name.
func topic(t *testing.T, kafka []kgo.Opt, settings map[string]*string) {
	t.Helper()
	admin, err := kadm.NewOptClient(kafka...)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close()
	if _, err := admin.DeleteTopic(t.Context(), "events"); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CreateTopic(t.Context(), 1, 1, settings, "events"); err != nil {
		t.Fatal(err)
	}
}

// TestBatchesAreWhatTheTopicTakes: events that the topic takes are not refused because many come at once.
func TestBatchesAreWhatTheTopicTakes(t *testing.T) {
	_, kafka := brokers(t)
	topic(t, kafka, map[string]*string{"max.message.bytes": new("80000")})
	q := newQueue(t, kafka, QueueOptions{})
	all := records(100)
	for _, r := range all {
		r.Value = make([]byte, 4000)
		rand.Read(r.Value)
	}
	if err := q.Publish(t.Context(), "a", all); err != nil {
		t.Error(err)
	}
	topic(t, kafka, map[string]*string{"max.message.bytes": new("1000")})
	if _, err := NewQueue(QueueOptions{Kafka: kafka, Topic: "events"}); err == nil || !strings.Contains(err.Error(), "max.message.bytes") {
		t.Errorf("the topic takes no event, and NewQueue says %v", err)
	}
}

// TestTopicThatIsCreatedAgainIsFound: the collector need not be started again.
func TestTopicThatIsCreatedAgainIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network kfake.VirtualNetwork
		cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"), kfake.ListenFn(network.Listen))
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		kafka := []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...), kgo.Dialer(network.DialContext)}
		q := newQueue(t, kafka, QueueOptions{Patience: 10 * time.Second})
		if err := q.Publish(t.Context(), "a", records(1)); err != nil {
			t.Fatal(err)
		}
		topic(t, kafka, nil)
		for range 10 { // As its sender tries again.
			if err = q.Publish(t.Context(), "a", records(1)); err == nil {
				break
			}
		}
		if err != nil {
			t.Error(err)
		}
		q.Close()
	})
}

// TestQueueGivesUp: an event that brokers do not acknowledge in time fails, and its memory is free once the client has given up.
func TestQueueGivesUp(t *testing.T) {
	cluster, kafka := brokers(t)
	q := newQueue(t, kafka, QueueOptions{Patience: time.Millisecond})
	cluster.Close()
	if err := q.Publish(t.Context(), "a", records(3)); err == nil {
		t.Error("an event was acknowledged without brokers")
	}
	q.Close()
	if q.Bytes() != 0 {
		t.Errorf("%d bytes wait", q.Bytes())
	}
}
