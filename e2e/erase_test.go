//go:build unix

package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/sqlite"
)

// A person is erased in the middle of load, under a consumer that is killed. Then all records are published again, to their topic and
// to another one of the same table, and the group's offsets are gone: nothing of him comes back.
func TestErasedPersonStaysErased(t *testing.T) {
	slow.Test(t)
	onStages(t, func(t *testing.T, s *stage) {
		const partitions = 4
		s.topic = testenv.Topic(t, s.brokers, partitions, nil)
		s.set("FOOTFALL_KAFKA_TOPIC", s.topic)
		s.set("FOOTFALL_KAFKA_GROUP_PROTOCOL", "consumer") // Who was killed is missed after six seconds.
		s.set("FOOTFALL_DUPLICATES_WINDOW", "0")           // What is published again counts again.
		s.execute(t, "table", "create")
		producer := s.start(t, "producer", "produce", "--rate", fmt.Sprint(s.rate), "--sites", "2", "--buckets", "4")
		consumer := s.consume(t, "consumer to be killed")
		site, visitor := "", ""
		eventually(t, "somebody is there", func() bool {
			site, visitor = s.somebody(t)
			return visitor != ""
		})
		s.execute(t, "erase", "visitor", site, visitor, "--yes", "--no-wait")
		consumer.kill()
		consumer = s.consume(t, "consumer")
		s.eraseAll(t, site, visitor)
		producer.drain()
		s.verify(t)
		s.nothingOf(t, site, visitor)

		consumer.kill()
		s.forgetOffsets(t)
		second := s.publishAgain(t, partitions)
		consumer = s.consume(t, "consumer of a replay")
		other := *s
		other.topic = second
		other.set("FOOTFALL_KAFKA_TOPIC", second)
		copied := other.consume(t, "consumer of a copy")
		other.verify(t)
		s.verify(t)
		copied.drain()
		consumer.drain()
		s.nothingOf(t, site, visitor)
	})
}

// somebody returns a visitor of a site; "": none is there yet.
func (s *stage) somebody(t *testing.T) (site, visitor string) {
	t.Helper()
	for _, site := range s.sites(t) {
		var a struct{ Events []struct{ VisitorID string } }
		s.answer(t, &a, "query", "events", site, "--limit", "1")
		if len(a.Events) > 0 {
			return site, a.Events[0].VisitorID
		}
	}
	return "", ""
}

// open opens the stage's table.
func (s *stage) open(t *testing.T) sinks.Table {
	t.Helper()
	if s.endpoint == "" {
		table, err := sqlite.Open(strings.TrimPrefix(s.table, "sqlite://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { table.Close() })
		return table
	}
	for name, value := range testenv.AWSEnv(s.endpoint) {
		t.Setenv(name, value)
	}
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	if err != nil {
		t.Fatal(err)
	}
	return retry.Policy{Within: patience}.Table(dynamo.New(client, strings.TrimPrefix(s.table, "dynamodb://")))
}

// eraseAll goes on with an erasure to its end. What a process that is killed leaves on its way lands within a moment here, so the
// last sweep need not wait for ten minutes.
func (s *stage) eraseAll(t *testing.T, site, visitor string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	report, err := erase.Run(ctx, erase.Options{Table: s.open(t), Site: site, Person: sites.Visitor, ID: visitor, Grace: 5 * time.Second})
	if err != nil || !report.Over() || report.Revision != 1 {
		t.Fatalf("erase: %+v, %v", report, err)
	}
}

func (s *stage) nothingOf(t *testing.T, site, visitor string) {
	t.Helper()
	if lines := s.execute(t, "export", "visitor", site, visitor); lines != "" {
		t.Errorf("of %s at %s there is\n%s", visitor, site, lines)
	}
	if list := s.execute(t, "erase", "list", site); !strings.Contains(list, "done") {
		t.Errorf("erase list says\n%s", list)
	}
}

// forgetOffsets deletes the consumer groups of the topic.
func (s *stage) forgetOffsets(t *testing.T) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	poll(t, nowAndThen, "the groups are gone", func() bool { // Their members were killed, and are missed after a while.
		groups, err := adm.ListGroups(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_, err = adm.DeleteGroups(t.Context(), groups.Groups()...)
		left, _ := adm.ListGroups(t.Context())
		return err == nil && len(left) == 0
	})
}

// publishAgain publishes all records of the topic once more, to it and to another topic, whose name it returns.
func (s *stage) publishAgain(t *testing.T, partitions int) (second string) {
	t.Helper()
	second = testenv.Topic(t, s.brokers, partitions, nil)
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers), kgo.ConsumeTopics(s.topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListEndOffsets(t.Context(), s.topic)
	if err != nil {
		t.Fatal(err)
	}
	left := int64(0)
	ends.Each(func(o kadm.ListedOffset) { left += o.Offset })
	var again []*kgo.Record
	for left > 0 {
		fetches := cl.PollFetches(t.Context())
		if err := fetches.Err(); err != nil {
			t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			left--
			for _, topic := range []string{s.topic, second} {
				again = append(again, &kgo.Record{Topic: topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Timestamp: r.Timestamp,
					Headers: r.Headers})
			}
		})
	}
	if err := cl.ProduceSync(t.Context(), again...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	return second
}
