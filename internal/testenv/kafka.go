package testenv

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/exec"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/topiclog"
)

var brokers services[*Broker] // of this process alone, by image

// Kafka returns the address of a Kafka broker that the run's tests share, 127.0.0.1:PORT.
func Kafka(t testing.TB) (addr string) {
	t.Helper()
	return KafkaOf(t, KafkaImage())
}

// KafkaOf is Kafka of an image that is like apache/kafka.
func KafkaOf(t testing.TB, image string) (addr string) {
	t.Helper()
	return address(t, "kafka", image)
}

// OwnBroker returns a broker that no other package uses, for tests that look inside it or take it down. Those that take it down must not be
// parallel, and must leave it running.
func OwnBroker(t testing.TB) *Broker {
	t.Helper()
	return ownBrokerOf(t, KafkaImage())
}

func ownBrokerOf(t testing.TB, image string) *Broker {
	t.Helper()
	return brokers.of(image).of(t, func(ctx context.Context) (*Broker, error) { return startKafka(ctx, image) })
}

// oldImage names the image of the oldest release of Kafka that is tested.
const oldImage = "FOOTFALL_TEST_KAFKA_OLD_IMAGE"

// HasOldKafka reports whether there is an image of the oldest release of Kafka that is tested.
func HasOldKafka() bool { return os.Getenv(oldImage) != "" }

// OldKafka is [Kafka] of that release.
func OldKafka(t testing.TB) (addr string) {
	t.Helper()
	return KafkaOf(t, os.Getenv(oldImage))
}

// OwnOldBroker is [OwnBroker] of that release.
func OwnOldBroker(t testing.TB) *Broker {
	t.Helper()
	return ownBrokerOf(t, os.Getenv(oldImage))
}

// Topic creates a topic with a name of its own and returns the name. Its records are kept for ever (records of
// old days would be gone at once otherwise) unless configs says something else.
func Topic(t testing.TB, brokers string, partitions int, configs map[string]string) string {
	t.Helper()
	adm := admin(t, brokers)
	forever := "-1"
	all := map[string]*string{"retention.ms": &forever}
	for name, value := range configs {
		all[name] = &value
	}
	name := UniqueName(t)
	r, err := adm.CreateTopic(t.Context(), int32(partitions), 1, all, name)
	if err != nil {
		t.Fatalf("testenv: create topic %s at %s: %v (%s)", name, brokers, err, r.ErrMessage)
	}
	if _, err := topiclog.AwaitCreated(t.Context(), adm, name); err != nil {
		t.Fatalf("testenv: describe the new topic %s at %s: %v", name, brokers, err)
	}
	return name
}

// UniqueName makes a name of the test's, for a topic or a table, that nobody else has.
func UniqueName(t testing.TB) string {
	name := regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(t.Name(), "-")
	return name[:min(len(name), 100)] + "-" + rand.Text()[:8]
}

func admin(t testing.TB, brokers string) *kadm.Client {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(brokers), kgo.MetadataMinAge(topiclog.LookAgain))
	if err != nil {
		t.Fatalf("testenv: Kafka client for %s: %v", brokers, err)
	}
	t.Cleanup(cl.Close)
	return kadm.NewClient(cl)
}

// Broker is a Kafka broker in a container, controller included. It can be taken down and brought up again: the
// container and with it the data and the address stay, only the broker's process ends.
type Broker struct {
	Addr      string
	container *testcontainers.DockerContainer
	env       string // shell commands that export its settings
}

// Kill ends the broker like kill -9. It returns when the process is gone.
func (b *Broker) Kill(t testing.TB) {
	t.Helper()
	if err := b.signal(t.Context(), "KILL"); err != nil {
		t.Fatalf("testenv: kill the broker: %v", err)
	}
}

// Stop asks the broker to shut down in good order. It returns when the process is gone.
func (b *Broker) Stop(t testing.TB) {
	t.Helper()
	if err := b.signal(t.Context(), "TERM"); err != nil {
		t.Fatalf("testenv: stop the broker: %v", err)
	}
}

// Start brings a broker that was killed or stopped up again. It returns when the broker answers.
func (b *Broker) Start(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTimeout)
	defer cancel()
	if err := b.start(ctx); err != nil {
		t.Fatalf("testenv: start the broker: %v", err)
	}
}

// Pause stops the broker as a machine that sleeps does: its connections stay open, and nothing is answered.
func (b *Broker) Pause(t testing.TB) {
	t.Helper()
	if err := b.sh(t.Context(), "kill -s STOP -- -$(cat /tmp/broker.pid)"); err != nil {
		t.Fatalf("testenv: pause the broker: %v", err)
	}
}

// Resume continues a broker that was paused.
func (b *Broker) Resume(t testing.TB) {
	t.Helper()
	if err := b.sh(context.WithoutCancel(t.Context()), "kill -s CONT -- -$(cat /tmp/broker.pid)"); err != nil {
		t.Fatalf("testenv: resume the broker: %v", err)
	}
}

// Damage overwrites a byte of a text in the log of a partition, as a failing disk does. The log must have the text.
func (b *Broker) Damage(t testing.TB, topic string, partition int32, text string) {
	t.Helper()
	err := b.sh(t.Context(), fmt.Sprintf(`file=$(find / -path '*/%s-%d/*.log' 2>/dev/null | head -n 1) &&
		at=$(grep -abo -m 1 %s "$file" | cut -d : -f 1) && printf '\377' | dd of="$file" bs=1 seek="$at" conv=notrunc`, topic, partition, text))
	if err != nil {
		t.Fatalf("testenv: damage partition %d of %s: %v", partition, topic, err)
	}
}

// ACLs are obeyed; what has none is allowed to everyone.
//
// The broker is started only once the container's port is known, since the broker must tell it to clients. Short
// session time-outs are allowed, so that tests of a lost member need not wait for 45 s.
const kafkaEnv = `export KAFKA_NODE_ID=1 KAFKA_PROCESS_ROLES=broker,controller \
KAFKA_LISTENERS=PLAINTEXT://:9092,INTERNAL://:19092,CONTROLLER://:9093 \
KAFKA_ADVERTISED_LISTENERS=PLAINTEXT://%[1]s,INTERNAL://localhost:19092 \
KAFKA_INTER_BROKER_LISTENER_NAME=INTERNAL KAFKA_CONTROLLER_LISTENER_NAMES=CONTROLLER \
KAFKA_LISTENER_SECURITY_PROTOCOL_MAP=PLAINTEXT:PLAINTEXT,INTERNAL:PLAINTEXT,CONTROLLER:PLAINTEXT \
KAFKA_CONTROLLER_QUORUM_VOTERS=1@localhost:9093 \
KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR=1 KAFKA_OFFSETS_TOPIC_NUM_PARTITIONS=4 \
KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR=1 KAFKA_TRANSACTION_STATE_LOG_MIN_ISR=1 \
KAFKA_SHARE_COORDINATOR_STATE_TOPIC_REPLICATION_FACTOR=1 KAFKA_SHARE_COORDINATOR_STATE_TOPIC_MIN_ISR=1 \
KAFKA_AUTO_CREATE_TOPICS_ENABLE=false KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS=0 \
KAFKA_AUTHORIZER_CLASS_NAME=org.apache.kafka.metadata.authorizer.StandardAuthorizer KAFKA_ALLOW_EVERYONE_IF_NO_ACL_FOUND=true \
KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS=1000 KAFKA_GROUP_CONSUMER_MIN_SESSION_TIMEOUT_MS=1000 \
KAFKA_GROUP_CONSUMER_SESSION_TIMEOUT_MS=6000 KAFKA_GROUP_CONSUMER_MIN_HEARTBEAT_INTERVAL_MS=500 \
KAFKA_GROUP_CONSUMER_HEARTBEAT_INTERVAL_MS=1000 KAFKA_HEAP_OPTS=-Xmx512m \
KAFKA_JVM_PERFORMANCE_OPTS="` + shortLived + `" KAFKA_OPTS="` + shortLived + `"
`

func startKafka(ctx context.Context, image string) (*Broker, error) {
	c, err := run(ctx, image, "", testcontainers.WithExposedPorts("9092/tcp"))
	if err != nil {
		return nil, err
	}
	addr, err := c.PortEndpoint(ctx, "9092/tcp", "")
	if err != nil {
		return nil, err
	}
	b := &Broker{Addr: addr, container: c, env: fmt.Sprintf(kafkaEnv, addr)}
	return b, b.start(ctx)
}

// start runs the broker as a process group of its own and waits until it answers.
func (b *Broker) start(ctx context.Context) error {
	err := b.sh(ctx, b.env+`setsid sh -c 'echo $$ >/tmp/broker.pid; exec /etc/kafka/docker/run' </dev/null >/tmp/broker.log 2>&1 &`)
	if err != nil {
		return err
	}
	cl, err := b.client()
	if err != nil {
		return err
	}
	defer cl.Close()
	again := time.NewTicker(100 * time.Millisecond)
	defer again.Stop()
	for {
		// A broker lists itself once the controller lets it serve.
		meta, err := kadm.NewClient(cl).BrokerMetadata(ctx)
		if err == nil && len(meta.Brokers) > 0 {
			return nil
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			log := b.sh(context.WithoutCancel(ctx), "tail -n 20 /tmp/broker.log; exit 1")
			return fmt.Errorf("the broker at %s does not answer: %w; its log: %w", b.Addr, err, log)
		}
	}
}

// client connects to the broker's plain listener.
func (b *Broker) client() (*kgo.Client, error) { return kgo.NewClient(kgo.SeedBrokers(b.Addr)) }

// signal sends the broker a signal and waits until it is gone.
func (b *Broker) signal(ctx context.Context, name string) error {
	return b.sh(ctx, `p=$(cat /tmp/broker.pid); kill -s `+name+` -- -$p && while kill -0 -- -$p 2>/dev/null; do sleep 0.05; done`)
}

// GroupLags returns the lag of each partition of a topic by kafka-consumer-groups.sh --describe, -1 where it prints none, and all that it
// printed.
func (b *Broker) GroupLags(t testing.TB, group, topic string) (lags map[int32]int64, printed string) {
	t.Helper()
	printed, err := b.output(t.Context(), "/opt/kafka/bin/kafka-consumer-groups.sh --bootstrap-server localhost:19092 --describe --group '"+
		group+"'")
	if err != nil {
		t.Fatalf("testenv: describe group %s: %v", group, err)
	}
	lags = make(map[int32]int64)
	for line := range strings.Lines(printed) { // GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG
		f := strings.Fields(line)
		if len(f) < 6 || f[1] != topic {
			continue
		}
		n, err := strconv.ParseInt(f[2], 10, 32)
		if err != nil {
			t.Fatalf("testenv: no partition in %q", line)
		}
		lag, err := strconv.ParseInt(f[5], 10, 64)
		if err != nil {
			lag = -1
		}
		lags[int32(n)] = lag
	}
	return lags, printed
}

// sh runs a script inside the container. Its error carries what the script printed.
func (b *Broker) sh(ctx context.Context, script string) error {
	_, err := b.output(ctx, script)
	return err
}

// output is sh for a script that prints an answer.
func (b *Broker) output(ctx context.Context, script string) (string, error) {
	code, out, err := b.container.Exec(ctx, []string{"/bin/sh", "-c", script}, exec.Multiplexed())
	if err != nil {
		return "", err
	}
	printed, err := io.ReadAll(out)
	if code != 0 { // What could be read says more than why the rest could not.
		return "", fmt.Errorf("exit code %d: %s", code, printed)
	}
	return string(printed), err
}
