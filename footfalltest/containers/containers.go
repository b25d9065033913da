// Package containers starts a real Kafka broker and a real DynamoDB Local for package footfalltest, in containers:
//
//	f := footfalltest.Start(t, footfalltest.Options{
//		Brokers:  []string{containers.Kafka(t, "")},
//		DynamoDB: containers.DynamoDB(t, ""),
//	})
//
// The tests of a process share a container of each image. It is started for the first test that asks, in some seconds, and ends with the
// process, however that ends. Each test has a topic and a table of its own, unless its footfalltest.Options name them.
//
// Where no Docker engine answers, or the image cannot be had, the test is skipped with a line that says why. With
// FOOTFALL_TEST_REQUIRE_DOCKER=1 in the environment, as in CI, it fails instead.
package containers

import (
	"cmp"
	"testing"

	"github.com/footfall/footfall/internal/testenv"
)

// Kafka returns the address of a Kafka broker, host:port, for footfalltest.Options.Brokers and for the producer that is tested. It creates
// no topics by itself.
//
// The image must be like apache/kafka, 3.9 or later; "" is the one that FOOTFALL_TEST_KAFKA_IMAGE names, or the release that footfall is
// tested with.
func Kafka(t testing.TB, image string) (broker string) {
	t.Helper()
	return testenv.KafkaOf(t, cmp.Or(image, testenv.KafkaImage()))
}

// DynamoDB returns the endpoint of a DynamoDB Local, http://HOST:PORT, for footfalltest.Options.DynamoDB. It keeps its tables in memory and
// takes any region and credentials.
//
// The image must be like amazon/dynamodb-local; "" is the one that FOOTFALL_TEST_DYNAMODB_IMAGE names, or the release that footfall is
// tested with.
func DynamoDB(t testing.TB, image string) (endpoint string) {
	t.Helper()
	return testenv.DynamoDBOf(t, cmp.Or(image, testenv.DynamoDBImage()))
}
