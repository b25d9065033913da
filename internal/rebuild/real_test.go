package rebuild_test

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsretry "github.com/aws/aws-sdk-go-v2/aws/retry"
	awsconfig "github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/rebuild"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// TestRealCopies: tables of DynamoDB are copied in pieces while a member counts into them. Once a copy is resumed, every figure equals a
// recount, and a member continues with it. DynamoDB Local gives tables no ids: the test does.
func TestRealCopies(t *testing.T) {
	slow.Test(t)
	brokers, torn := testenv.Kafka(t), 0
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{Config: []func(*awsconfig.LoadOptions) error{
		awsconfig.WithBaseEndpoint(testenv.DynamoDB(t)), awsconfig.WithRegion("us-east-1"),
		awsconfig.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", ""))}})
	if err != nil {
		t.Fatal(err)
	}
	for n := range 5 {
		topic, seeds := testenv.Topic(t, brokers, 3, nil), []kgo.Opt{kgo.SeedBrokers(brokers)}
		tables := make(map[string]*dynamo.Table)
		for _, name := range []string{topic, topic + "-copy"} {
			tables[name] = dynamo.New(client, name)
			if err := tables[name].Create(t.Context(), sinks.Shape{}); err != nil {
				t.Fatal(err)
			}
		}
		w := &testpipeline.World{T: t, Topic: topic, Seeds: seeds, Client: testworld.Client(t, seeds)}
		w.Table = retry.Policy{}.Table(testpipeline.Identified{Table: tables[topic], ID: "original"})
		w.Begin()
		o := w.Options()
		o.StatsInterval, o.RealtimeInterval, o.Settings.RawPacked = 300*time.Millisecond, 200*time.Millisecond, n%2 == 0
		records := testpipeline.Traffic(uint64(n), 3, 1500, time.Now().Add(-time.Hour))
		stop := member(t, o)
		w.Produce(records[:300]...)
		w.Settled() // The member has recorded the table's id.
		var traffic sync.WaitGroup
		traffic.Go(func() {
			for i := 300; i < 1200; i += 30 {
				w.Produce(records[i : i+30]...)
				w.Pass(50 * time.Millisecond)
			}
		})
		if copyTable(t, client, topic) {
			torn++
		}
		traffic.Wait()
		stop()
		w.Table = retry.Policy{}.Table(testpipeline.Identified{Table: tables[topic+"-copy"], ID: fmt.Sprint("copy ", n)})
		o.Table = w.Table
		job := rebuild.Job{Pipeline: o, Log: slog.New(slog.DiscardHandler), Look: 200 * time.Millisecond}
		if r, err := job.Resume(t.Context()); err != nil {
			t.Fatalf("Resume = %+v, %v", r, err)
		}
		w.Agrees(o)
		stop = member(t, o)
		w.Produce(records[1200:]...)
		w.Settled()
		stop()
		if r := w.Agrees(o); r.ComparedCount < 100 {
			t.Errorf("only %d items were compared", r.ComparedCount)
		}
	}
	if torn == 0 {
		t.Error("no copy has items of later flushes than their checkpoints")
	}
}

// copyTable copies the items of a table one by one, in any order, into another one: some are of later flushes than their checkpoints,
// others of earlier ones. Its requests are repeated, as those of the product are by a layer of its own.
func copyTable(t *testing.T, client *dynamodb.Client, name string) (torn bool) {
	t.Helper()
	client = dynamodb.New(client.Options(), func(o *dynamodb.Options) { o.Retryer = awsretry.NewStandard() })
	steps, marks := make(map[string]string), make(map[string]string)
	for i, key := range keysOf(t, client, name) {
		found, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: &name, Key: key, ConsistentRead: aws.Bool(true)})
		if err != nil {
			t.Fatal(err)
		}
		if found.Item == nil {
			continue
		}
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String(name + "-copy"), Item: found.Item}); err != nil {
			t.Fatal(err)
		}
		if note(found.Item, steps, marks); i%40 == 0 {
			<-time.After(50 * time.Millisecond)
		}
	}
	for mark, step := range steps {
		torn = torn || len(marks[mark]) > len(step) || len(marks[mark]) == len(step) && marks[mark] > step
	}
	return torn
}

// keysOf lists the keys of a table in any order.
func keysOf(t *testing.T, client *dynamodb.Client, name string) (keys []map[string]types.AttributeValue) {
	t.Helper()
	in := &dynamodb.ScanInput{TableName: &name, ConsistentRead: aws.Bool(true)}
	for {
		page, err := client.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			keys = append(keys, map[string]types.AttributeValue{sinks.AttrPK: it[sinks.AttrPK], sinks.AttrSK: it[sinks.AttrSK]})
		}
		if page.LastEvaluatedKey == nil {
			rand.Shuffle(len(keys), func(i, j int) { keys[i], keys[j] = keys[j], keys[i] })
			return keys
		}
		in.ExclusiveStartKey = page.LastEvaluatedKey
	}
}

// note notes the step of a checkpoint, and the greatest marks of items, as decimal numbers.
func note(it map[string]types.AttributeValue, steps, marks map[string]string) {
	text := func(name string) string {
		switch v := it[name].(type) {
		case *types.AttributeValueMemberS:
			return v.Value
		case *types.AttributeValueMemberN:
			return v.Value
		}
		return ""
	}
	if text(sinks.AttrEntity) == sinks.EntityCheckpoint {
		var partition int32
		var lane string
		if _, err := fmt.Sscanf(text(sinks.AttrSK), "P#%d#%s", &partition, &lane); err == nil {
			steps[sinks.AttrMark(lane, sinks.TP{Topic: 1, Partition: partition})] = text(checkpoint.AttrStep)
		}
	}
	for name := range maps.Keys(it) {
		if m := text(name); name[0] == 'w' && (len(m) > len(marks[name]) || len(m) == len(marks[name]) && m > marks[name]) {
			marks[name] = m
		}
	}
}
