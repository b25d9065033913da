package pipeline

import (
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/sinks"
)

// An error that the client hands out behind the loss of its partition is not remembered: the next acquisition, whenever
// it is, would take the log for shorter than it is.
func TestErrorOfALostPartitionIsForgotten(t *testing.T) {
	p, err := New(Options{Topic: "events", Group: "g", Table: struct{ sinks.Table }{}})
	if err != nil {
		t.Fatal(err)
	}
	if p.client, err = kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1")); err != nil {
		t.Fatal(err)
	}
	defer p.client.Close()
	p.deliver(t.Context(), 1, kgo.FetchTopicPartition{Topic: "events", FetchPartition: kgo.FetchPartition{Partition: 0,
		Err: &kgo.ErrDataLoss{Topic: "events", ConsumedTo: 500, ResetTo: 100}}})
	p.tasks.Wait()
	if len(p.taker.truncatedAt)+len(p.roster.returning) != 0 {
		t.Errorf("truncated at %v, returning %v, want nothing remembered", p.taker.truncatedAt, p.roster.returning)
	}
}
