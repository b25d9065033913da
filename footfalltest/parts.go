package footfalltest

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/embedded"
	"github.com/footfall/footfall/internal/topiclog"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/sqlite"
)

// startBroker starts a broker in this process unless brokers are given, and creates the topics.
func (f *Footfall) startBroker(t testing.TB, o Options) (err error) {
	partitions := int32(cmp.Or(o.Partitions, defaultPartitions))
	if f.brokers, f.topic = o.Brokers, o.Topic; len(f.brokers) > 0 {
		f.topic = cmp.Or(f.topic, uniqueName())
	} else {
		f.topic = cmp.Or(f.topic, defaultTopic)
		broker, err := embedded.OpenAnywhere(t.TempDir())
		if err != nil {
			return err
		}
		t.Cleanup(func() { closeOf(t, broker.Close) })
		f.brokers = []string{broker.Addr()}
	}
	f.kafka = append([]kgo.Opt{kgo.SeedBrokers(f.brokers...)}, o.Kafka...)
	if f.client, err = kgo.NewClient(f.kafka...); err != nil {
		return fmt.Errorf("Brokers are %q: %w", f.brokers, err)
	}
	t.Cleanup(f.client.Close)
	admin := kadm.NewClient(f.client)
	if err := createTopic(t.Context(), admin, f.topic, partitions); err != nil {
		return err
	}
	return createTopic(t.Context(), admin, f.topic+failedSuffix, 1)
}

// createTopic creates a topic unless it exists. Its records never expire: those of old events would be deleted at once.
func createTopic(ctx context.Context, admin *kadm.Client, name string, partitions int32) error {
	forever := "-1"
	_, err := admin.CreateTopic(ctx, partitions, -1, map[string]*string{"retention.ms": &forever}, name)
	if err == nil || errors.Is(err, kerr.TopicAlreadyExists) {
		_, err = topiclog.AwaitCreated(ctx, admin, name)
	}
	if err != nil {
		return fmt.Errorf("create topic %q: %w", name, err)
	}
	return nil
}

// openTable opens the table and creates it.
func (f *Footfall) openTable(t testing.TB, o Options) (sinks.Table, error) {
	if o.DynamoDB == "" {
		path := filepath.Join(t.TempDir(), "footfall.db")
		table, err := sqlite.Open(path)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { closeOf(t, table.Close) })
		f.tableURL = "sqlite://" + filepath.ToSlash(path)
		return table, table.Create(t.Context(), sinks.Shape{})
	}
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: answerWithin, Config: []func(*config.LoadOptions) error{
		config.WithBaseEndpoint(o.DynamoDB), config.WithRegion("us-east-1"),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", "")),
	}})
	if err != nil {
		return nil, err
	}
	name := cmp.Or(o.Table, uniqueName())
	f.tableURL = "dynamodb://" + name
	table := dynamo.New(client, name)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		return nil, fmt.Errorf("create table %q at %s: %w", name, o.DynamoDB, err)
	}
	return table, nil
}

// closeOf closes what the test has opened.
func closeOf(t testing.TB, closing func() error) {
	if err := closing(); err != nil {
		t.Errorf("footfalltest: %v", err)
	}
}

// uniqueName is a name that no other test has, for a topic, a table or a group.
func uniqueName() string { return "footfalltest-" + rand.Text() }
