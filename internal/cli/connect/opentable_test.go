package connect

import (
	"testing"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
)

func TestClientOfItemsIsChosen(t *testing.T) {
	for name, value := range testenv.AWSEnv("http://127.0.0.1:1") {
		t.Setenv(name, value)
	}
	kind := func(t sinks.Table) string {
		if _, direct := t.(*dynamo.Direct); direct {
			return config.ClientDirect
		}
		return config.ClientSDK
	}
	for _, client := range []string{config.ClientSDK, config.ClientDirect} {
		c := config.Default()
		c.DynamoDB.Client = client
		table, err := OpenConfigured(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got := kind(table.Table); got != client {
			t.Errorf("dynamodb.client %s opens a table with the client %s", client, got)
		}
	}
}
