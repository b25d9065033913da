package produce_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/footfall/footfall/internal/produce"
)

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
		if !errors.Is(err, kerr.TopicAuthorizationFailed) || !strings.Contains(err.Error(), "needs WRITE on the topic") || s.Sent != 0 ||
			s.Failed == 0 {
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

func TestBrokenFileEndsTheJobAfterWhatWasRead(t *testing.T) {
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
