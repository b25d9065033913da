package pipeline_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// inRealWorld runs f on Kafka and DynamoDB Local, with a topic and a table of its own.
func inRealWorld(t *testing.T, partitions int32, f func(t *testing.T, w *world)) {
	inRealWorldOf(t, testenv.Kafka(t), partitions, f)
}

// realTable creates a table on DynamoDB Local. It sets no environment variables, so the test may be parallel.
func realTable(t *testing.T, name string) *dynamo.Table {
	t.Helper()
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{Config: []func(*awsconfig.LoadOptions) error{
		awsconfig.WithBaseEndpoint(testenv.DynamoDB(t)), awsconfig.WithRegion("us-east-1"),
		awsconfig.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", ""))}})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, name)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	return table
}

// inRealWorldOf is inRealWorld with brokers that the caller chooses.
func inRealWorldOf(t *testing.T, brokers string, partitions int32, f func(t *testing.T, w *world)) {
	topic := testenv.Topic(t, brokers, int(partitions), nil)
	table := realTable(t, topic)
	seeds := []kgo.Opt{kgo.SeedBrokers(brokers)}
	w := &world{&testpipeline.World{T: t, Topic: topic, Table: table, Seeds: seeds, Client: testworld.Client(t, seeds)}}
	w.Begin()
	f(t, w)
}

// TestRealServicesUnderFaults runs processes in turn, several at once, on Kafka and DynamoDB Local behind a table that
// throttles, loses answers, applies late and twice, takes parts of batches, and kills its users: the rows are those of
// a calm run in memory. Realtime minutes are left out, since on the real clock they have expired.
func TestRealServicesUnderFaults(t *testing.T) {
	slow.Test(t)
	records := traffic(40, 3, 500, time.Now().Add(-time.Hour).Truncate(time.Hour))
	want := lasting(trial{3, records, func(w *world, _ *spy, _ func(int)) { w.Believe(0, 1, 2) }}.rows(t)) // Its clock says 2000.
	cover := testpipeline.NewCoverage()
	inRealWorld(t, 3, func(t *testing.T, w *world) {
		rows := trial{3, records, func(w *world, s *spy, produce func(int)) {
			storm{seed: 1, rounds: 2, latest: 10 * time.Second, cover: cover, late: new(sync.WaitGroup)}.over(w, s, produce)
		}}.in(w)
		compare(t, lasting(rows), want)
	})
	t.Log(cover)
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

// storm is a life of a group under faults: rounds of one to three members each, some of which are killed.
type storm struct {
	seed   uint64
	rounds int
	latest time.Duration // a request is applied so late at most
	cover  *testpipeline.Coverage
	late   *sync.WaitGroup
}

func (x storm) over(w *world, s *spy, produce func(int)) {
	rng := rand.New(rand.NewPCG(x.seed, 4))
	for round := range x.rounds {
		var runs []*process
		for member := range 1 + rng.IntN(3) {
			faults := testpipeline.Mix{Rate: 0.05, Latest: x.latest}
			f := testpipeline.NewFaulty(s, x.seed, testpipeline.ProcessName(round, member), faults, x.cover, x.late)
			if rng.IntN(2) == 0 {
				f.KillAt, f.KillAfter = 20+rng.IntN(300), rng.IntN(2) == 0
			}
			runs = append(runs, w.Start(w.With(f, rng.Uint64())))
			produce(rng.IntN(60))
			w.Pass(time.Duration(rng.IntN(8000)) * time.Millisecond)
		}
		for range 1 + rng.IntN(5) {
			produce(rng.IntN(80))
			w.Pass(time.Duration(rng.IntN(9000)) * time.Millisecond)
		}
		for _, run := range runs {
			run.Stop()
			if err := <-run.Done; err != nil && !errors.Is(err, errKilled) && !errors.Is(err, checkpoint.ErrFenced) {
				w.T.Errorf("Run = %v", err)
			}
		}
	}
	x.late.Wait()
}
