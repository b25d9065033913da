package produce_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/event"
)

// bubble runs f in a bubble, where time is free, with a broker that has the topic events with 4 partitions.
func bubble(t *testing.T, f func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt)) {
	t.Helper()
	testworld.InBubble(t, 1, func(t *testing.T, w *testworld.World) { f(t, w.Cluster, w.Kafka) }, kfake.SeedTopics(4, "events"))
}

// consume reads the n records of a topic and makes sure that there are no more.
func consume(t *testing.T, kafka []kgo.Opt, topic string, n int) []*kgo.Record {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.ConsumeTopics(topic), kgo.ConsumeStartOffset(kgo.NewOffset().AtStart())}, kafka...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListEndOffsets(t.Context(), topic)
	if err != nil {
		t.Fatal(err)
	}
	end := int64(0)
	ends.Each(func(o kadm.ListedOffset) { end += o.Offset })
	if end != int64(n) {
		t.Fatalf("topic %s holds %d records, want %d", topic, end, n)
	}
	var records []*kgo.Record
	for len(records) < n {
		fetches := cl.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		records = append(records, fetches.Records()...)
	}
	return records
}

func events(t *testing.T, text string) *produce.File {
	t.Helper()
	f, err := produce.NewFile(strings.NewReader(text), &produce.Events{NeedTime: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// line is an event of site a.
func line(id string, when time.Time) string {
	return fmt.Sprintf(`{"siteId":"a","type":"click","timestamp":%d,"visitorId":"v","id":"%s"}`, when.UnixMilli(), id) + "\n"
}

func TestEveryRecordIsSentOnceAndInTheLedger(t *testing.T) {
	slow.Unraced(t)
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		// Answers are lost now and then: the records of those requests are on the broker already.
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotEnoughReplicasAfterAppend, Count: 3})
		const n = 5000
		var ledger bytes.Buffer
		j := produce.Job{Traffic: produce.NewTraffic(produce.Config{Buckets: 8, Bad: 0.01}), Kafka: kafka, Topic: "events",
			Rate: 1000, Events: n, RecordTime: produce.SendTime, Ledger: &ledger}
		began := time.Now()
		s, err := j.Run(t.Context())
		if err != nil || s.Sent != n || s.Failed+s.Refused != 0 || s.Interrupted {
			t.Fatalf("Run = %+v, %v, want %d sent", s, err, n)
		}
		if took := time.Since(began); took < 4900*time.Millisecond {
			t.Errorf("%d records at 1000 a second took %v", n, took)
		}
		type entry struct {
			Partition        int32
			Offset           int64
			SiteID, ID, Type string
		}
		acknowledged := map[[2]int64]entry{}
		for lines := bufio.NewScanner(&ledger); lines.Scan(); {
			var e entry
			if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
				t.Fatalf("ledger: %s: %v", lines.Text(), err)
			}
			acknowledged[[2]int64{int64(e.Partition), e.Offset}] = e
		}
		if len(acknowledged) != n {
			t.Errorf("the ledger names %d records, want %d", len(acknowledged), n)
		}
		d := event.NewDecoder()
		partitions := map[string]int32{}
		for _, r := range consume(t, kafka, "events", n) {
			entry, ok := acknowledged[[2]int64{int64(r.Partition), r.Offset}]
			if !ok {
				t.Fatalf("partition %d offset %d is not in the ledger", r.Partition, r.Offset)
			}
			if p, ok := partitions[string(r.Key)]; ok && p != r.Partition {
				t.Fatalf("key %s is in partitions %d and %d", r.Key, p, r.Partition)
			}
			partitions[string(r.Key)] = r.Partition
			if r.Timestamp.Before(began.Truncate(time.Millisecond)) || r.Timestamp.After(time.Now()) {
				t.Fatalf("Kafka timestamp %v, sent after %v", r.Timestamp, began)
			}
			var e event.Event
			if reason, _ := d.Decode(r.Value, &e); reason != event.Accepted {
				continue
			}
			if e.Timestamp != r.Timestamp.UnixMilli() {
				t.Fatalf("event time %d, Kafka timestamp %d, want them equal", e.Timestamp, r.Timestamp.UnixMilli())
			}
			if string(e.SiteID) != entry.SiteID || string(e.ID) != entry.ID || string(e.Type) != entry.Type {
				t.Fatalf("the ledger says %+v of %s", entry, r.Value)
			}
		}
	})
}

// TestTrafficAtAnInstantIsReproducible shows that with an instant for a clock two runs put the same bytes on the topic.
func TestTrafficAtAnInstantIsReproducible(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		at := "1999-12-31T20:00:00Z"
		rt, err := produce.ParseRecordTime(at)
		if err != nil {
			t.Fatal(err)
		}
		var runs [2][]string
		for i := range runs {
			topic := fmt.Sprintf("run-%d", i)
			j := produce.Job{Traffic: produce.NewTraffic(produce.Config{Seed: 9, Late: 0.1}), Kafka: kafka, Topic: topic,
				Create: &produce.Topic{Partitions: 1}, Rate: 50, Events: 200, RecordTime: rt}
			if s, err := j.Run(t.Context()); err != nil || s.Sent != 200 {
				t.Fatalf("Run = %+v, %v", s, err)
			}
			for _, r := range consume(t, kafka, topic, 200) {
				runs[i] = append(runs[i], fmt.Sprintf("%d %s %s", r.Timestamp.UnixMilli(), r.Key, r.Value))
			}
		}
		for i := range runs[0] {
			if runs[0][i] != runs[1][i] {
				t.Fatalf("record %d differs:\n%s\n%s", i, runs[0][i], runs[1][i])
			}
		}
		if first, last := runs[0][0][:13], runs[0][199][:13]; first != "946670400000" && last == first {
			t.Errorf("the clock went from %s to %s, want it to begin at the instant and go on", first, last)
		}
	})
}

func TestEveryCompressionIsReadable(t *testing.T) {
	// Not in a bubble: the decoder of zstd has a finalizer, which would run outside of it.
	c, err := kfake.NewCluster(kfake.NumBrokers(1))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	kafka := []kgo.Opt{kgo.SeedBrokers(c.ListenAddrs()...)}
	for _, compression := range []string{"", "lz4", "zstd", "gzip", "snappy", "none"} {
		topic := "events-" + compression
		j := produce.Job{File: events(t, strings.Repeat(line("x", time.Now()), 100)), Kafka: kafka, Topic: topic,
			Create: &produce.Topic{Partitions: 1}, Compression: compression}
		if s, err := j.Run(t.Context()); err != nil || s.Sent != 100 {
			t.Fatalf("Run = %+v, %v with compression %q", s, err, compression)
		}
		consume(t, kafka, topic, 100)
	}
	j := produce.Job{File: events(t, ""), Kafka: kafka, Compression: "rar"}
	if _, err := j.Run(t.Context()); err == nil || !strings.Contains(err.Error(), `compression "rar": choose lz4, zstd,`) {
		t.Errorf("Run = %v, want the compressions there are", err)
	}
}

func TestSummaryListsTheFirstLines(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		j := produce.Job{File: events(t, strings.Repeat("[]\n", 25)+line("1", time.Now())), Kafka: kafka, Topic: "events"}
		s, err := j.Run(t.Context())
		if err != nil || s.Refused != 25 || len(s.FirstRefused) != 20 || s.FirstRefused[19].Line != 20 {
			t.Fatalf("Run = %+v, %v, want 25 refused and 20 listed", s, err)
		}
		s.Seconds = 2
		var text strings.Builder
		if err := s.WriteText(&text); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Sent 1 record (", `bytes) to topic "events" in 2.0 s, 0 a second.`,
			"Event times: 2000-01-01T00:00:00.000Z to 2000-01-01T00:00:00.000Z.", "Refused 25 lines:\n  line 1: not a JSON object\n",
			"  line 20: not a JSON object\n  and 5 more\n"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("the text lacks %q:\n%s", want, &text)
			}
		}
		b, err := json.Marshal(s)
		if err != nil || !strings.Contains(string(b), `"refused":25,"refusedLines":[{"line":1,"reason":"not a JSON object"},`) {
			t.Errorf("JSON = %s, %v", b, err)
		}
	})
}
