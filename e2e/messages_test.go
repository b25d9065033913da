//go:build unix

package e2e

import (
	"net"
	"os"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/testenv"
)

// refuses runs a command that cannot work: it ends with exit code 1 and one message, which says what to do.
func (s *stage) refuses(t *testing.T, remedies []string, args ...string) {
	t.Helper()
	out, errs, code := execute(t, s.env, args...)
	if code != 1 || out != "" || !strings.HasPrefix(errs, "footfall: ") || strings.Count(errs, "\n") != 1 {
		t.Errorf("footfall %v: exit code %d, stdout %q, stderr %q; want 1, nothing, and one line", args, code, out, errs)
	}
	for _, remedy := range remedies {
		if !strings.Contains(errs, remedy) {
			t.Errorf("footfall %v: stderr does not say %q:\n%s", args, remedy, errs)
		}
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	onStages(t, func(t *testing.T, s *stage) {
		createTable := "create it with `footfall table create --table " + s.table
		s.refuses(t, []string{"does not exist: create it with --create-topic, or choose another with --topic"}, "produce", "--events", "1")
		s.refuses(t, []string{createTable}, "query", "sites")

		s.execute(t, "table", "create")
		s.refuses(t, []string{`topic "` + s.topic + `" does not exist at ` + s.brokers, "kafka-topics.sh --create --topic " + s.topic}, "run")
		s.refuses(t, []string{`topic "` + s.topic + `"`}, "verify")
		const nobody = "127.0.0.1:1" // tcpmux; a port that the system gave and took back may be another test's by now
		for _, command := range []string{"run", "produce", "verify"} {
			s.refuses(t, []string{nobody, "--brokers"}, command, "--brokers", nobody)
		}

		s.topic = testenv.Topic(t, s.brokers, 1, nil)
		s.env = append(s.env, "FOOTFALL_KAFKA_TOPIC="+s.topic)
		s.execute(t, "table", "delete", "--yes")
		s.refuses(t, []string{createTable}, "run")
		s.refuses(t, []string{createTable}, "verify")
	})
}

// freeAddress is an address of this machine at which nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// A table that somebody else made is refused with what differs.
func TestTableOfAnotherShapeIsRefused(t *testing.T) {
	onStages(t, func(t *testing.T, s *stage) {
		s.topic = testenv.Topic(t, s.brokers, 1, nil)
		s.env = append(s.env, "FOOTFALL_KAFKA_TOPIC="+s.topic)
		want := []string{"is not as footfall needs it", "sk", "footfall table create"}
		if kind, name, _ := strings.Cut(s.table, "://"); kind == "dynamodb" {
			createForeignTable(t, name)
		} else {
			if err := os.WriteFile(name, []byte("this is text, and long enough to be read as the header of a file\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			want = []string{"not a SQLite database: name another"}
		}
		s.refuses(t, want, "run")
	})
}

func createForeignTable(t *testing.T, name string) {
	t.Helper()
	cfg, err := config.LoadDefaultConfig(t.Context(), config.WithRegion("us-east-1"),
		config.WithBaseEndpoint(testenv.DynamoDB(t)),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", "")))
	if err != nil {
		t.Fatal(err)
	}
	_, err = dynamodb.NewFromConfig(cfg).CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: &name, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Kafka credentials that are wrong are told from brokers that are absent, and right ones work.
func TestWrongCredentialsAreSaid(t *testing.T) {
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "events"), kfake.EnableSASL(),
		kfake.Superuser("PLAIN", "counter", "secret"), kfake.Superuser("SCRAM-SHA-256", "counter", "secret"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	s := newStage(cluster.ListenAddrs()[0], "events", "sqlite://"+t.TempDir()+"/footfall.db")
	s.execute(t, "table", "create")
	for _, mechanism := range []string{"plain", "scram-sha-256"} {
		sasl := *s
		sasl.env = append(s.env[:len(s.env):len(s.env)], "FOOTFALL_KAFKA_SASL_MECHANISM="+mechanism, "FOOTFALL_KAFKA_SASL_USERNAME=counter")
		wrong := sasl
		wrong.env = append(sasl.env[:len(sasl.env):len(sasl.env)], "FOOTFALL_KAFKA_SASL_PASSWORD=wrong")
		wrong.refuses(t, []string{`"counter"`, "kafka.sasl", "password"}, "run")
		sasl.env = append(sasl.env, "FOOTFALL_KAFKA_SASL_PASSWORD=secret")
		sasl.consume(t, "consumer").drain()
	}
	s.refuses(t, []string{"kafka.sasl"}, "run")
}
