package dynamo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/schemas"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// FuzzAnswers reads texts as answers. Whatever they are, they take memory in proportion to their length, and if the generated client can
// read one, too, it reads the same.
func FuzzAnswers(f *testing.F) {
	for i, text := range []string{
		`{"Attributes":{"pk":{"S":"p\u00e9\n"},"n":{"N":"-12"},"big":{"N":"170141183460469231731687303715884105727"},"b":{"B":"AQI="}}}`,
		`{"Responses":{"t":[{"pk":{"S":"p"}}]},"UnprocessedKeys":{"t":{"Keys":[{"sk":{"S":"3"},"pk":{"S":"p"}}],"ConsistentRead":true}}}`,
		`{"UnprocessedItems":{"t":[{"PutRequest":{"Item":{"pk":{"S":"p"},"sk":{"S":"s"}}}}]},"ConsumedCapacity":[{"CapacityUnits":2.5}]}`,
		`{"Items":[{"pk":{"S":"p"}},{"pk":{"S":"q"}}],"Count":2,"LastEvaluatedKey":{"pk":{"S":"q"}},"ConsumedCapacity":{"CapacityUnits":2}}`,
		`{"Attributes":{"l":{"L":[{"S":"a"},{"S":"b"}]},"o":{"L":[{"N":"1"},{"M":{"x":{"NULL":true}}}]},"t":{"BOOL":false}}}`,
		`{}`, `{"Novel":[{"a":1}],"UnprocessedItems":{}}`, `{"Items":[],"LastEvaluatedKey":null}`,
		`{"Attributes":{"s":{"SS":["a"]},"n":{"NS":["1"]},"b":{"BS":["AQ=="]},"f":{"N":"1.5"}}}`,
		`{"Responses":{"t":[null],"u":[{}]}}`, `{} {}`, `{"Items":[{"pk":{}},{"pk":{"S":1}},{"pk":{"S":"p","N":"1"}}]}`,
		`{"Attributes":{"a":{"S":"\ud83d\ude00\ud800"}}}`, `[]`, ``, `{"Count":1,"Count":2}`,
	} {
		f.Add(uint8(i), []byte(text))
	}
	client := dynamodb.New(dynamodb.Options{Region: "us-east-1"})
	f.Fuzz(func(t *testing.T, operation uint8, text []byte) {
		var d decoder
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := d.read(text)
		runtime.ReadMemStats(&after)
		// The item {"a":{"S":""}} takes 15 bytes of JSON and a map of 500.
		if taken, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+200*len(text)); taken > most {
			t.Errorf("%d bytes took %d bytes of memory, want at most %d", len(text), taken, most)
		}
		want, wantErr := readByClient(client, operation%4, text, got)
		if err != nil || wantErr != nil {
			return // One reads more than the other: members of other operations, and members that break a rule.
		}
		if said, by := spellAnswer(got), spellAnswer(want); said != by {
			t.Errorf("read as\n%s, by the generated client as\n%s", said, by)
		}
	})
}

func spellAnswer(a answer) string { return fmt.Sprint(a.item, a.items, a.last, a.left, a.units) }

// readByClient reads a text as the answer to one operation. What the answers to others have is as in a. The generated client of smithy-go
// v1.28.8 panics at some texts that are no JSON.
func readByClient(client *dynamodb.Client, operation uint8, text []byte, a answer) (_ answer, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	read := func(out smithy.Deserializable) error {
		resp := &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(bytes.NewReader(text))}
		schema := smithy.NewOperationSchema(schemas.UpdateItem, schemas.UpdateItemInput, schemas.UpdateItemOutput)
		return client.Options().Protocol.DeserializeResponse(context.Background(), schema, dynamodb.TypeRegistry,
			&smithyhttp.Response{Response: resp}, out)
	}
	switch operation {
	case 0:
		var out dynamodb.UpdateItemOutput
		err = read(&out)
		a.item, a.units = itemOf(out.Attributes), units(out.ConsumedCapacity)
	case 1:
		var out dynamodb.BatchGetItemOutput
		err = read(&out)
		a.units = unitsOf(out.ConsumedCapacity)
		if len(out.Responses) == 1 && len(out.UnprocessedKeys) == 0 { // Maps have no order.
			for _, items := range out.Responses {
				a.items = itemsOf(items)
			}
		}
	case 2:
		var out dynamodb.BatchWriteItemOutput
		err = read(&out)
		a.units = unitsOf(out.ConsumedCapacity)
		if len(out.UnprocessedItems) == 1 {
			for _, left := range out.UnprocessedItems {
				a.left = nil
				for _, w := range left {
					if w.PutRequest != nil {
						a.left = append(a.left, keyOf(w.PutRequest.Item))
					}
				}
			}
		}
	case 3:
		var out dynamodb.QueryOutput
		err = read(&out)
		a.items, a.last, a.units = itemsOf(out.Items), itemOf(out.LastEvaluatedKey), units(out.ConsumedCapacity)
	}
	return a, err
}

func unitsOf(each []types.ConsumedCapacity) (sum float64) {
	for _, c := range each {
		sum += aws.ToFloat64(c.CapacityUnits)
	}
	return sum
}
