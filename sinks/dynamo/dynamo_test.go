package dynamo_test

import (
	"crypto/rand"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/sinktest"
)

func TestMain(m *testing.M) {
	if os.Getenv(asServer) != "" {
		answerForever()
	}
	testenv.Main(m)
}

// connect makes a client of what answers at endpoint.
func connect(t testing.TB, endpoint string, o dynamo.ConnectOptions) *dynamodb.Client {
	t.Helper()
	o.Config = append(o.Config, config.WithBaseEndpoint(endpoint), config.WithRegion("us-east-1"),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", "")))
	client, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// localTable is a table of its own, not created yet, on DynamoDB Local.
func localTable(t testing.TB) (*dynamo.Table, *dynamodb.Client, string) {
	t.Helper()
	client := connect(t, testenv.DynamoDB(t), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	name := "footfall-" + rand.Text()
	return dynamo.New(client, name), client, name
}

func TestRealTableKeepsTheContract(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Store {
		table, _, _ := localTable(t)
		return table
	})
}
