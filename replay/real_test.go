package replay_test

import (
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/replay"
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
	must(kadm.NewClient(client).CreateTopic(t.Context(), 3, 1, configs, topic))(t)
	must(kadm.NewClient(client).CreateTopic(t.Context(), 2, 1, configs, failed))(t)
	w := &world{t: t, seeds: []kgo.Opt{kgo.SeedBrokers(brokers)}}
	defer w.begin()()
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
