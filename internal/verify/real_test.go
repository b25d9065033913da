package verify_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestRealServicesAreVerifiedWhileTheyMove verifies Kafka and DynamoDB Local while a pipeline with short steps runs,
// then at rest, then with a cut log.
func TestRealServicesAreVerifiedWhileTheyMove(t *testing.T) {
	brokers := testenv.Kafka(t)
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now().Truncate(time.Second) // All visitors of the first step are of one hour, so that they have an item of their own.
	if before := start.Truncate(time.Hour).Add(time.Hour - 2*time.Minute); start.After(before) {
		start = before
	}
	w := &world{t: t, topic: testenv.Topic(t, brokers, 2, nil), start: start,
		seeds: []kgo.Opt{kgo.SeedBrokers(brokers)}}
	table := dynamo.New(client, w.topic)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	w.table = newRecorder(retry.Policy{Within: testenv.AttemptTimeout}.Reads(table))
	w.client, err = kgo.NewClient(append(w.kafka(), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer w.client.Close()

	w.create(plainSite)
	w.first()
	o := w.options()
	o.StatsInterval, o.RealtimeInterval = 500*time.Millisecond, 200*time.Millisecond
	p, err := pipeline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	wait := func(o *scope.Options) { o.Wait = 15 * time.Minute } // A busy machine counts late.
	for i := range slow.Of(t, 2, 5) {
		w.second()
		w.rename(plainSite, fmt.Sprint("Shop ", i))
		want(t, "while the pipeline runs", w.verify(wait), 0)
	}
	stop()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	r := w.verify(wait)
	want(t, "at rest", r, 0)
	for _, kind := range append([]string{"metadata"}, kinds...) {
		if r.Compared[kind] == 0 {
			t.Errorf("no %s was compared: %v", kind, r.Compared)
		}
	}
	key := sinks.Keys{}.Metadata(plainSite)
	it := w.snapshot()[key]
	old := maps.Clone(it)
	old[sinks.AttrRev] = sinks.Int(it[sinks.AttrRev].Int() - 1)
	w.set(key, old)
	onlyAt(t, "metadata that is a revision behind", w.verify(nil), key, sinks.AttrRev)
	w.set(key, it)

	w.trim(0, 3)
	r = w.verify(nil)
	want(t, "a log that was cut", r, finding.ExitLeftOut)
	if r.LeftOut[becauseLog] == 0 || r.Compared["session"] != 4 {
		t.Errorf("compared %v, left out %v, want partition 1's alone compared", r.Compared, r.LeftOut)
	}
	for key, it := range w.snapshot() {
		if site, _ := sinks.SiteOf(key); site == "late" && it[sinks.AttrEntity].Str() == sinks.EntitySession {
			w.set(key, nil)
			onlyAt(t, "a session deleted", w.verify(nil), key, "(item)")
		}
	}
}
