package testenv

import (
	"context"
	"testing"
	"time"

	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/wait"
)

// AttemptTimeout is how long a test's own requests to DynamoDB Local may take. On a machine that is busy with other packages
// it answers late, and a test that looks at what a request does has nothing to do with that.
const AttemptTimeout = 2 * time.Minute

var dynamoDBs services[string] // endpoints of those that this process has for itself, by image

// DynamoDB returns the endpoint of a DynamoDB Local that the run's tests share, http://127.0.0.1:PORT. It
// keeps its tables in memory, and any region and credentials see the same ones: give each test a table of its own.
func DynamoDB(t testing.TB) (endpoint string) {
	t.Helper()
	return DynamoDBOf(t, DynamoDBImage())
}

// DynamoDBOf is DynamoDB of an image that is like amazon/dynamodb-local.
func DynamoDBOf(t testing.TB, image string) (endpoint string) {
	t.Helper()
	return address(t, "dynamodb", image)
}

// OwnDynamoDB is [DynamoDB] that no other package uses, for tests that add an index to a table: beside tables of other tests that expire
// items DynamoDB Local does not fill it.
func OwnDynamoDB(t testing.TB) (endpoint string) {
	t.Helper()
	image := DynamoDBImage()
	return dynamoDBs.of(image).of(t, func(ctx context.Context) (string, error) { return startDynamoDB(ctx, image) })
}

// AWSEnv returns the environment variables with which the AWS SDK of a process talks to a DynamoDB Local.
func AWSEnv(endpoint string) map[string]string {
	return map[string]string{
		"AWS_ENDPOINT_URL_DYNAMODB": endpoint,
		"AWS_REGION":                "us-east-1",
		"AWS_ACCESS_KEY_ID":         "local",
		"AWS_SECRET_ACCESS_KEY":     "local",
	}
}

// SetAWS is AWSEnv for the rest of one test, which must not be parallel. It returns the endpoint.
func SetAWS(t testing.TB) (endpoint string) {
	t.Helper()
	endpoint = DynamoDB(t)
	for name, value := range AWSEnv(endpoint) {
		t.Setenv(name, value)
	}
	return endpoint
}

func startDynamoDB(ctx context.Context, image string) (string, error) {
	const script = "java " + shortLived + " -Xms384m -Xmn256m -Xmx1g -Djava.library.path=./DynamoDBLocal_lib " +
		"-jar DynamoDBLocal.jar -inMemory -sharedDb &"
	c, err := run(ctx, image, script,
		testcontainers.WithExposedPorts("8000/tcp"),
		// It answers a request without a signature with status 400.
		testcontainers.WithWaitStrategyAndDeadline(startTimeout, wait.ForHTTP("/").WithPort("8000/tcp").
			WithStartupTimeout(startTimeout).WithStatusCodeMatcher(func(status int) bool { return status == 400 })))
	if err != nil {
		return "", err
	}
	return c.PortEndpoint(ctx, "8000/tcp", "http")
}
