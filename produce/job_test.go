package produce_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/produce"
)

// bubble runs f in a bubble, where time is free, with a broker that has the topic events with 4 partitions.
func bubble(t *testing.T, f func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var network kfake.VirtualNetwork
		c, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.Ports(9092), kfake.ListenFn(network.Listen), kfake.SeedTopics(4, "events"))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		f(t, c, []kgo.Opt{kgo.SeedBrokers("localhost:9092"), kgo.Dialer(network.DialContext)})
	})
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
		d := pipeline.NewDecoder()
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
			var e pipeline.Event
			if reason, _ := d.Decode(r.Value, &e); reason != pipeline.Accepted {
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

func TestRecordTimes(t *testing.T) {
	instant := time.Date(1999, 12, 1, 9, 0, 0, 0, time.UTC)
	tests := []struct {
		name string
		text string
		want func(event, sent time.Time) time.Time
	}{
		{"event", "event", func(event, _ time.Time) time.Time { return event }},
		{"now", "now", func(_, sent time.Time) time.Time { return sent }},
		{"an instant", "1999-12-01T10:00:00+01:00", func(_, _ time.Time) time.Time { return instant }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
				rt, err := produce.ParseRecordTime(test.text)
				if err != nil {
					t.Fatal(err)
				}
				sent := time.Now()
				event := sent.Add(-90 * time.Minute)
				j := produce.Job{File: events(t, line("1", event)), Kafka: kafka, Topic: "events", RecordTime: rt}
				if _, err := j.Run(t.Context()); err != nil {
					t.Fatal(err)
				}
				r := consume(t, kafka, "events", 1)[0]
				if want := test.want(event, sent); r.Timestamp.Sub(want).Abs() > time.Second {
					t.Errorf("Kafka timestamp %v, want %v", r.Timestamp.UTC(), want.UTC())
				}
			})
		})
	}
	for _, bad := range []string{"", "today", "2026-05-12", "1960-01-01T00:00:00Z"} {
		if _, err := produce.ParseRecordTime(bad); err == nil || !strings.Contains(err.Error(), "write event, now, or an instant") {
			t.Errorf("ParseRecordTime(%q) = %v, want what to write", bad, err)
		}
	}
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

func TestRecordsTooFarAheadAreRefused(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		text := line("1", time.Now()) + "{}\n" + line("2", time.Now().Add(61*time.Minute)) + line("3", time.Now().Add(59*time.Minute))
		j := produce.Job{File: events(t, text), Kafka: kafka, Topic: "events"}
		s, err := j.Run(t.Context())
		if err != nil || s.Sent != 2 || s.Refused != 2 {
			t.Fatalf("Run = %+v, %v, want 2 sent and 2 refused", s, err)
		}
		if r := s.FirstRefused[1]; r.Line != 3 || !strings.Contains(r.Reason, "Kafka refuses records more than 1h0m0s ahead of its clock: use --record-time now") {
			t.Errorf("refused %v, want line 3 for its time", s.FirstRefused)
		}
		if r := s.FirstRefused[0]; r.Line != 2 || !strings.HasPrefix(r.Reason, "siteId:") {
			t.Errorf("refused %v, want line 2 for its siteId", s.FirstRefused)
		}
		consume(t, kafka, "events", 2)
	})
}

func TestOldTimesAreWarnedAbout(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		name      string
		age       time.Duration
		retention time.Duration // of the topic
		keep      time.Duration // of the pipeline's items
		rt        produce.RecordTime
		want      []string
	}{
		{name: "new events", age: time.Hour, retention: day, keep: 30 * day},
		{name: "older than the topic keeps", age: 8 * day, retention: 7 * day, keep: 30 * day,
			want: []string{`topic "old" keeps records for 7 days: Kafka will delete them`}},
		{name: "older than the items live", age: 31 * day, retention: produce.Forever, keep: 30 * day,
			want: []string{"if `footfall run` or `footfall dev`, whichever reads them, keeps some kinds of items for 30 days only, as is configured here"}},
		{name: "older than both", age: 31 * day, retention: day, keep: 30 * day, want: []string{"as is configured here", "Kafka will delete"}},
		{name: "sent as of now", age: 8 * day, retention: 7 * day, keep: 30 * day, rt: produce.SendTime},
		{name: "kept for ever", age: 4000 * day, retention: produce.Forever},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
				old := time.Now().Add(-test.age)
				var heard []string
				j := produce.Job{File: events(t, line("1", old)+line("2", old)), Kafka: kafka, Topic: "old",
					Create: &produce.Topic{Retention: test.retention}, Keep: test.keep, RecordTime: test.rt,
					Warn: func(text string) { heard = append(heard, text) }}
				s, err := j.Run(t.Context())
				if err != nil || s.Sent != 2 {
					t.Fatalf("Run = %+v, %v", s, err)
				}
				if fmt.Sprint(heard) != fmt.Sprint(s.Warnings) || len(heard) != len(test.want) {
					t.Fatalf("warned of %q at once, the summary has %q, want %q", heard, s.Warnings, test.want)
				}
				for i, want := range test.want {
					if !strings.Contains(heard[i], want) {
						t.Errorf("warning %q, want %q", heard[i], want)
					}
				}
			})
		})
	}
}

func TestTopicIsCreatedAsAsked(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		run := func(topic string, create *produce.Topic) (produce.Summary, error) {
			j := produce.Job{File: events(t, line("1", time.Now())), Kafka: kafka, Topic: topic, Create: create}
			return j.Run(t.Context())
		}
		if _, err := run("new", nil); err == nil || !strings.Contains(err.Error(), `topic "new" does not exist: create it with --create-topic`) {
			t.Errorf("Run = %v without the topic", err)
		}
		if _, err := run("new", &produce.Topic{Partitions: 3, Retention: produce.Forever}); err != nil {
			t.Fatal(err)
		}
		info := c.TopicInfo("new")
		if n := len(c.PartitionInfos("new")); n != 3 || info == nil || info.Configs["retention.ms"] == nil || *info.Configs["retention.ms"] != "-1" {
			t.Errorf("topic new: %d partitions, %+v, want 3 and retention.ms=-1", n, info)
		}
		s, err := run("new", &produce.Topic{Partitions: 5, Retention: time.Hour})
		if err != nil || len(s.Warnings) != 2 || !strings.Contains(s.Warnings[0], "with 3 partitions and not 5; it is left as it is") ||
			!strings.Contains(s.Warnings[1], "with retention.ms=-1 and not 3600000; it is left as it is") {
			t.Errorf("Run = %q, %v on a topic that differs", s.Warnings, err)
		}
		if s, err := run("new", &produce.Topic{}); err != nil || len(s.Warnings) != 0 || s.Sent != 1 {
			t.Errorf("Run = %+v, %v on a topic that exists", s, err)
		}
	})
}

func TestRetentionsAreRead(t *testing.T) {
	for text, want := range map[string]time.Duration{"never": produce.Forever, "30d": 720 * time.Hour, "36h": 36 * time.Hour, "106751d": 106751 * 24 * time.Hour} {
		if got, err := produce.ParseRetention(text); err != nil || got != want {
			t.Errorf("ParseRetention(%q) = %v, %v, want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "0d", "xd", "30", "1us", "106752d", "300000d", "2562048h", "-300000d"} {
		if got, err := produce.ParseRetention(text); err == nil {
			t.Errorf("ParseRetention(%q) = %v, want an error", text, got)
		}
	}
}

func TestInterruptedJobFinishesWhatItBegan(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		time.AfterFunc(10*time.Second, func() { cancel(errors.New("interrupt")) })
		j := produce.Job{Traffic: produce.NewTraffic(produce.Config{}), Kafka: kafka, Topic: "events", Rate: 100, RecordTime: produce.SendTime}
		s, err := j.Run(ctx)
		if err != nil || !s.Interrupted || s.Failed != 0 || s.Sent < 990 || s.Sent > 1010 {
			t.Fatalf("Run = %+v, %v, want about 1000 sent and the interruption said", s, err)
		}
		consume(t, kafka, "events", int(s.Sent))
	})
}

func TestInterruptedJobGivesUpOnSilentBrokers(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: -1}) // Retried for ever.
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		time.AfterFunc(10*time.Second, cancel)
		began := time.Now()
		j := produce.Job{Traffic: produce.NewTraffic(produce.Config{}), Kafka: kafka, Topic: "events", Rate: 10, RecordTime: produce.SendTime}
		s, err := j.Run(ctx)
		if err == nil || s.Sent != 0 || s.Failed == 0 || !s.Interrupted {
			t.Errorf("Run = %+v, %v, want all records failed", s, err)
		}
		if took := time.Since(began); took < 40*time.Second || took > time.Minute {
			t.Errorf("Run gave up after %v, want 10 s and the 30 s of the flush", took)
		}
	})
}

func TestSilentBrokersEndTheJob(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		// Old events: a timeout that counted from the record's timestamp would fail them at once.
		text := strings.Repeat(line("x", time.Now().AddDate(-1, 0, 0)), 100)
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.NotLeaderForPartition, Count: -1})
		began := time.Now()
		j := produce.Job{File: events(t, text), Kafka: kafka, Topic: "events"}
		s, err := j.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "no answer from any broker in 2m0s") || s.Sent != 0 || s.Failed != 100 {
			t.Errorf("Run = %+v, %v, want all records failed and the silence said", s, err)
		}
		if took := time.Since(began); took < 2*time.Minute || took > 130*time.Second {
			t.Errorf("Run gave up after %v, want 2m", took)
		}
	})
}

// Brokers that take a request, cut the connection and are gone: an idempotent client tries such records again for as
// long as it lives, since they may have been written.
func TestVanishedBrokersEndTheJob(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		time.AfterFunc(10*time.Second, func() {
			c.ControlKey(int16(kmsg.Produce), func(kmsg.Request) (kmsg.Response, error, bool) {
				go c.Close() // Not here: it waits for the answer.
				return nil, errors.New("the connection is cut"), true
			})
		})
		began := time.Now()
		j := produce.Job{Traffic: produce.NewTraffic(produce.Config{}), Kafka: kafka, Topic: "events", Rate: 100, RecordTime: produce.SendTime}
		s, err := j.Run(t.Context())
		if err == nil || s.Sent == 0 || s.Failed == 0 || s.FirstFailed[len(s.FirstFailed)-1].Error == kgo.ErrClientClosed.Error() {
			t.Errorf("Run = %+v, %v, want what was sent and what failed, and why", s, err)
		}
		if took := time.Since(began); took < 130*time.Second || took > 150*time.Second {
			t.Errorf("Run gave up after %v, want 10 s and 2m", took)
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

func TestOneRefusedRecordDoesNotEndTheJob(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.InvalidTimestamp, Count: 1})
		j := produce.Job{File: events(t, strings.Repeat(line("x", time.Now()), 100)), Kafka: kafka, Topic: "events", Rate: 10}
		s, err := j.Run(t.Context())
		if !errors.Is(err, kerr.InvalidTimestamp) || s.Failed == 0 || s.Sent+s.Failed != 100 || s.Sent == 0 {
			t.Fatalf("Run = %+v, %v, want some failed and the others sent", s, err)
		}
		if len(s.FirstFailed) == 0 || s.FirstFailed[0].Line == 0 || !strings.Contains(s.FirstFailed[0].Error, "more than an hour ahead") {
			t.Errorf("failures %+v, want the line and the remedy", s.FirstFailed)
		}
		consume(t, kafka, "events", int(s.Sent))
	})
}

func TestFailureThatMeetsAllEndsTheJob(t *testing.T) {
	bubble(t, func(t *testing.T, c *kfake.Cluster, kafka []kgo.Opt) {
		c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Err: kerr.TopicAuthorizationFailed, Count: -1})
		j := produce.Job{Traffic: produce.NewTraffic(produce.Config{}), Kafka: kafka, Topic: "events", Rate: 10, RecordTime: produce.SendTime}
		s, err := j.Run(t.Context()) // Without an end: only the failure ends it.
		if !errors.Is(err, kerr.TopicAuthorizationFailed) || !strings.Contains(err.Error(), "needs WRITE on the topic") || s.Sent != 0 || s.Failed == 0 {
			t.Errorf("Run = %+v, %v, want the authorization's failure", s, err)
		}
	})
}

func TestUnreachableBrokersAreSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var network kfake.VirtualNetwork
		j := produce.Job{Traffic: produce.NewTraffic(produce.Config{}), Topic: "events",
			Kafka: []kgo.Opt{kgo.SeedBrokers("localhost:9092"), kgo.Dialer(network.DialContext)}}
		_, err := j.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "check --brokers") {
			t.Errorf("Run = %v, want what to check", err)
		}
	})
}

type failing struct{ error }

func (f failing) Write([]byte) (int, error) { return 0, f.error }

func TestLedgerThatCannotBeWrittenEndsTheJob(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		full := errors.New("disk full")
		j := produce.Job{Traffic: produce.NewTraffic(produce.Config{}), Kafka: kafka, Topic: "events", Rate: 100,
			RecordTime: produce.SendTime, Ledger: failing{full}}
		if _, err := j.Run(t.Context()); !errors.Is(err, full) || !strings.Contains(err.Error(), "write the ledger") {
			t.Errorf("Run = %v, want %v", err, full)
		}
		j = produce.Job{File: events(t, line("1", time.Now())), Kafka: kafka, Topic: "events", Ledger: failing{full}}
		if _, err := j.Run(t.Context()); !errors.Is(err, full) {
			t.Errorf("Run = %v for the last record, want %v", err, full)
		}
	})
}

func TestBrokenFileEndsTheJobBehindWhatWasRead(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		bad := errors.New("disk on fire")
		in := io.MultiReader(strings.NewReader(line("1", time.Now())), failingReader{bad})
		f, err := produce.NewFile(in, &produce.Events{})
		if err != nil {
			t.Fatal(err)
		}
		j := produce.Job{File: f, Kafka: kafka, Topic: "events"}
		s, err := j.Run(t.Context())
		if !errors.Is(err, bad) || s.Sent != 1 {
			t.Errorf("Run = %+v, %v, want one record sent and %v", s, err, bad)
		}
	})
}

type failingReader struct{ error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.error }

func TestSilentInputCanBeInterrupted(t *testing.T) {
	bubble(t, func(t *testing.T, _ *kfake.Cluster, kafka []kgo.Opt) {
		ctx, cancel := context.WithCancel(t.Context())
		pipe, feed := io.Pipe()
		defer feed.Close()
		go func() {
			io.WriteString(feed, line("1", time.Now())+`{"siteId":"a",`)
			time.Sleep(time.Minute)
			cancel()
		}()
		f, err := produce.NewFile(produce.Interruptible(ctx, pipe), &produce.Events{})
		if err != nil {
			t.Fatal(err)
		}
		j := produce.Job{File: f, Kafka: kafka, Topic: "events"}
		s, err := j.Run(ctx)
		if err != nil || !s.Interrupted || s.Sent != 1 || s.Refused != 0 {
			t.Errorf("Run = %+v, %v, want one record sent and the interruption said", s, err)
		}
	})
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
		for _, want := range []string{"Sent 1 records (", `bytes) to topic "events" in 2.0 s, 0 a second.`,
			"Event times: 2000-01-01T00:00:00.000Z to 2000-01-01T00:00:00.000Z.", "Refused 25 lines:\n  line 1: not a JSON object\n", "  line 20: not a JSON object\n  and 5 more\n"} {
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
