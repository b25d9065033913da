package pipeline_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// inRealWorld runs f on Kafka and DynamoDB Local, with a topic and a table of its own.
func inRealWorld(t *testing.T, partitions int32, f func(t *testing.T, w *world)) {
	brokers := testenv.Kafka(t)
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	topic := testenv.Topic(t, brokers, int(partitions), nil)
	table := dynamo.New(client, topic)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, topic: topic, table: table, seeds: []kgo.Opt{kgo.SeedBrokers(brokers)}}
	defer w.begin()()
	f(t, w)
}

// TestRealServicesUnderFaults runs the trials of TestFaultsChangeNothing on Kafka and DynamoDB Local: the rows are
// those of a calm run in memory. Realtime minutes are left out, since on the real clock they have expired.
func TestRealServicesUnderFaults(t *testing.T) {
	records := traffic(40, 3, 500, time.Now().Add(-time.Hour).Truncate(time.Hour))
	want := lasting(calm(t, 3, records))
	hits := make(map[string]int)
	inRealWorld(t, 3, func(t *testing.T, w *world) {
		rows := trial{3, records, func(w *world, s *spy, produce func(int)) {
			storm{seed: 1, rounds: 2, latest: 10 * time.Second, hits: hits, late: new(sync.WaitGroup)}.over(w, s, produce)
		}}.in(w)
		compare(t, lasting(rows), want)
	})
	t.Log(hits)
}

// lasting drops the rows that expire within minutes.
func lasting(rows map[string]string) map[string]string {
	for k := range rows {
		if strings.Contains(k, sinks.RealtimePrefix) {
			delete(rows, k)
		}
	}
	return rows
}
