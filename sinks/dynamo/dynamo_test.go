package dynamo_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
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
	o.Config = append([]func(*config.LoadOptions) error{config.WithBaseEndpoint(endpoint), config.WithRegion("us-east-1"),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("local", "local", ""))}, o.Config...)
	client, err := dynamo.Connect(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// localTable is a table of its own, not created yet, on DynamoDB Local.
func localTable(t testing.TB) (*dynamo.Table, *dynamodb.Client, string) {
	t.Helper()
	return tableAt(t, testenv.DynamoDB(t))
}

// tableAt is a table of its own, not created yet, at an endpoint.
func tableAt(t testing.TB, endpoint string) (*dynamo.Table, *dynamodb.Client, string) {
	t.Helper()
	client := connect(t, endpoint, dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	name := "footfall-" + rand.Text()
	t.Cleanup(func() { // It looks at all tables for what has expired.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), testenv.AttemptTimeout)
		defer cancel()
		_, err := client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &name})
		if _, absent := errors.AsType[*types.ResourceNotFoundException](err); err != nil && !absent {
			t.Errorf("delete table %s: %v", name, err)
		}
	})
	return dynamo.New(client, name), client, name
}

func TestRealTableKeepsTheContract(t *testing.T) {
	slow.Test(t) // TestRealDirectAgreesWithTheSDK compares it with what keeps the contract below.
	sinktest.Run(t, func(t *testing.T) sinktest.Store {
		table, _, _ := localTable(t)
		return table
	})
}

func TestRealDirectKeepsTheContract(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Store {
		table, client, _ := localTable(t)
		return dynamo.NewDirect(table, client)
	})
}

// Values that footfall never writes can be conditions, copied to another item, and replaced.
func TestRealForeignValuesCanBeQuarantined(t *testing.T) {
	table, client, name := localTable(t)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	for i, v := range []types.AttributeValue{
		&types.AttributeValueMemberBOOL{Value: true}, &types.AttributeValueMemberNULL{Value: true}, &types.AttributeValueMemberN{Value: "1.5"},
		&types.AttributeValueMemberSS{Value: []string{"b", "a"}},
		&types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"x": &types.AttributeValueMemberN{Value: "1"}}},
		&types.AttributeValueMemberL{Value: []types.AttributeValue{&types.AttributeValueMemberN{Value: "1"}}},
	} {
		key := sinks.Key{PK: "p", SK: fmt.Sprint(i)}
		if _, err := client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: &name, Item: map[string]types.AttributeValue{
			"pk": &types.AttributeValueMemberS{Value: key.PK}, "sk": &types.AttributeValueMemberS{Value: key.SK}, "b": v}}); err != nil {
			t.Fatal(err)
		}
		read := func(key sinks.Key) sinks.Value {
			r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
			if err != nil {
				t.Fatal(err)
			}
			return r.Items[key]["b"]
		}
		found := read(key)
		if found.Kind() != sinks.Other {
			t.Errorf("%T is read as %v", v, found)
		}
		dup := sinks.Key{PK: "copy", SK: key.SK}
		if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{"pk": sinks.Str(dup.PK), "sk": sinks.Str(dup.SK),
			"b": found}}); err != nil {
			t.Errorf("%T cannot be copied: %v", v, err)
		}
		if copied := read(dup); !copied.Equal(found) {
			t.Errorf("%v was copied as %v", found, copied)
		}
		replace := sinks.Update{Key: key, Set: []sinks.Attr{{Name: "b", Value: sinks.Bytes([]byte{1})}},
			If: []sinks.Cond{{Attr: "b", Op: sinks.Equal, Value: found}}}
		for _, refused := range []bool{false, true} {
			if r, err := table.Update(t.Context(), replace); err != nil || r.Refused != refused {
				t.Errorf("%v: Update = %+v, %v; want refused %v", found, r, err, refused)
			}
		}
	}
}
