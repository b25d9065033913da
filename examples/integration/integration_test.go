// Package integration shows how a project that publishes events, or reads numbers, tests itself against footfall: real Kafka and
// DynamoDB Local in containers, the pipeline in the test's own process.
package integration

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

func TestRealServicesCountWhatIsPublished(t *testing.T) {
	requireDocker(t)
	seeds := kgo.SeedBrokers(startKafka(t))
	startDynamoDB(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "footfall")
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	publish(t, seeds, "shop.example", 3)

	p, err := pipeline.New(pipeline.Options{Kafka: []kgo.Opt{seeds}, Topic: "events", Group: "footfall", Table: table,
		StatsInterval: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("Run = %v, want nil after a drain", err)
		}
	}()

	reader := query.New(table, sinks.Keys{}, time.Now)
	ask := query.StatsParams{Site: "shop.example", From: time.Now().Add(-24 * time.Hour), Consistent: true}
	for again := time.Tick(100 * time.Millisecond); ; {
		answer, err := reader.Stats(t.Context(), ask)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Totals != nil && answer.Totals.PageViews == 3 {
			return
		}
		select {
		case <-again:
		case err := <-ended:
			t.Fatalf("Run ended: %v", err)
		case <-t.Context().Done():
			t.Fatal(context.Cause(t.Context()))
		}
	}
}

// requireDocker skips the test where Docker does not answer, unless FOOTFALL_TEST_REQUIRE_DOCKER=1 asks for a failure.
func requireDocker(t *testing.T) {
	t.Helper()
	if os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") != "1" {
		testcontainers.SkipIfProviderIsNotHealthy(t)
	}
}

// kafkaScript starts a broker that names its address on the host to clients.
const kafkaScript = `export KAFKA_NODE_ID=1 KAFKA_PROCESS_ROLES=broker,controller KAFKA_CONTROLLER_QUORUM_VOTERS=1@localhost:9093
export KAFKA_LISTENERS=PLAINTEXT://:9092,CONTROLLER://:9093 KAFKA_CONTROLLER_LISTENER_NAMES=CONTROLLER
export KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://%s KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
export KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=1 KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR=1
export KAFKA_TRANSACTION_STATE_LOG_MIN_ISR=1 KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS=0 KAFKA_HEAP_OPTS=-Xmx512m
chmod -R u+w /etc/kafka/docker /opt/kafka/config # The image changes a copy of its settings, permissions included.
exec /etc/kafka/docker/run
`

// startKafka returns the address of a broker with the topics events and events.failed. The container waits for a script: only once it
// runs is its port on the host known, which the broker must name to clients.
func startKafka(t *testing.T) (addr string) {
	t.Helper()
	c := run(t, "apache/kafka:4.3.1", testcontainers.WithExposedPorts("9092/tcp"),
		testcontainers.WithCmd("bash", "-c", "until [ -f /tmp/start.sh ]; do sleep 0.1; done; exec bash /tmp/start.sh"))
	addr, err := c.PortEndpoint(t.Context(), "9092/tcp", "")
	if err != nil {
		t.Fatal(err)
	}
	if err := c.CopyToContainer(t.Context(), fmt.Appendf(nil, kafkaScript, addr), "/tmp/start.sh", 0o644); err != nil {
		t.Fatal(err)
	}
	if err := wait.ForLog("Kafka Server started").WithStartupTimeout(2*time.Minute).WaitUntilReady(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	client, err := kgo.NewClient(kgo.SeedBrokers(addr))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	created, err := kadm.NewClient(client).CreateTopics(t.Context(), 1, 1, nil, "events", "events.failed")
	if err == nil {
		err = created.Error()
	}
	if err != nil {
		t.Fatal(err)
	}
	return addr
}

// startDynamoDB points the AWS SDK of the test's process at a DynamoDB Local.
func startDynamoDB(t *testing.T) {
	t.Helper()
	c := run(t, "amazon/dynamodb-local:3.3.1", testcontainers.WithExposedPorts("8000/tcp"),
		testcontainers.WithCmd("-jar", "DynamoDBLocal.jar", "-inMemory", "-sharedDb"),
		// It answers a request without a signature with status 400.
		testcontainers.WithWaitStrategyAndDeadline(2*time.Minute, wait.ForHTTP("/").WithPort("8000/tcp").
			WithStatusCodeMatcher(func(status int) bool { return status == 400 })))
	endpoint, err := c.PortEndpoint(t.Context(), "8000/tcp", "http")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", endpoint)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "local")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "local")
}

// run starts a container that ends with the test.
func run(t *testing.T, image string, opts ...testcontainers.ContainerCustomizer) testcontainers.Container {
	t.Helper()
	c, err := testcontainers.Run(t.Context(), image, opts...)
	testcontainers.CleanupContainer(t, c)
	switch {
	case err != nil && os.Getenv("FOOTFALL_TEST_REQUIRE_DOCKER") == "1":
		t.Fatal(err)
	case err != nil:
		t.Skipf("no container of %s: %v", image, err)
	}
	return c
}

// publish publishes page views of one visitor.
func publish(t *testing.T, seeds kgo.Opt, site string, n int) {
	t.Helper()
	client, err := kgo.NewClient(seeds)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for i := range n {
		event := fmt.Appendf(nil, `{"siteId":%q,"type":"page_view","timestamp":%d,"id":"event-%d","visitorId":"v-1"}`, site,
			time.Now().UnixMilli(), i)
		if err := client.ProduceSync(t.Context(), &kgo.Record{Topic: "events", Key: []byte(site), Value: event}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}
