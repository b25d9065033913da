package replay_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/replay"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/internal/topiclog"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestRealBrokerFencesAnEarlierReplay: on real Kafka a run that is held up behind the beginning of a batch, while another
// run publishes it, publishes nothing any more; and a batch that was published and not settled is found.
func TestRealBrokerFencesAnEarlierReplay(t *testing.T) {
	brokers := testenv.Kafka(t)
	client := must(kgo.NewClient(kgo.SeedBrokers(brokers)))(t)
	defer client.Close()
	forever := "-1"
	configs := map[string]*string{"retention.ms": &forever} // The entries' time is long ago.
	admin := kadm.NewClient(client)
	for name, partitions := range map[string]int32{topic: 3, failed: 2} {
		must(admin.CreateTopic(t.Context(), partitions, 1, configs, name))(t)
		must(topiclog.AwaitCreated(t.Context(), admin, name))(t)
	}
	defer removeTopics(t, admin, topic, failed) // The next run of the test makes them again.
	seeds := []kgo.Opt{kgo.SeedBrokers(brokers)}
	w := &world{t: t, seeds: seeds, table: testworld.Table(t), client: testworld.Client(t, seeds)}
	w.begin()
	list := many(230)
	w.entries(list...)

	o := w.options()
	o.Table = &lastWords{w.table, 3} // Two positions are taken over, a batch is intended and published, but not settled.
	if _, err := replay.Run(t.Context(), o); !errors.Is(err, errKilled) {
		t.Fatalf("Run = %v, want the kill", err)
	}
	o = w.options()
	o.Limit = 1
	if s, err := replay.Run(t.Context(), o); err != nil || s.Found != 100 || s.Published != 1 {
		t.Errorf("Run = %+v, %v; want the killed run's 100 found, and 1 published", s, err)
	}
	o = w.options()
	o.Limit = 0
	o.Table = &holder{Table: w.table, at: 3, other: func() { w.replay(nil) }}
	if s, err := replay.Run(t.Context(), o); !errors.Is(err, replay.ErrFenced) {
		t.Errorf("Run = %+v, %v; want ErrFenced", s, err)
	}
	w.wantOnce(list)
	if s := w.replay(nil); s.Published != 0 || s.Found != 0 {
		t.Errorf("run again: %+v", s)
	}
}

// removeTopics returns once the broker does not have the topics any more.
func removeTopics(t *testing.T, admin *kadm.Client, names ...string) {
	t.Helper()
	if _, err := admin.DeleteTopics(t.Context(), names...); err != nil {
		t.Error(err)
	}
	for look := time.NewTicker(50 * time.Millisecond); ; {
		have, err := admin.ListTopics(t.Context())
		if err != nil {
			t.Error(err)
			return
		}
		if !slices.ContainsFunc(names, have.Has) {
			return
		}
		<-look.C
	}
}
