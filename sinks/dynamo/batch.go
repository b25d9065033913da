package dynamo

import (
	"context"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// BatchPut implements [sinks.Table] with BatchWriteItem. What DynamoDB answers as unprocessed is told by its key:
// it comes back in no order, and at any number from none to all.
func (t *Table) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	if len(items) == 0 {
		return sinks.BatchResult{}, nil
	}
	requests := make([]types.WriteRequest, len(items))
	for i, it := range items {
		requests[i].PutRequest = &types.PutRequest{Item: attributeMap(it.All(), len(it))}
	}
	out, err := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems:           map[string][]types.WriteRequest{t.name: requests},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return sinks.BatchResult{}, t.writeError(ctx, err)
	}
	var r sinks.BatchResult
	for _, left := range out.UnprocessedItems {
		for _, w := range left {
			if w.PutRequest != nil {
				r.Left = append(r.Left, keyOf(w.PutRequest.Item))
			}
		}
	}
	for i := range out.ConsumedCapacity {
		r.Units += units(&out.ConsumedCapacity[i])
	}
	return r, nil
}

// BatchGet implements [sinks.Table] with BatchGetItem. Left is what did not fit into DynamoDB's 16 MB, or was
// refused for lack of capacity.
func (t *Table) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if len(g.Keys) == 0 {
		return sinks.BatchResult{}, nil
	}
	keys := make([]map[string]types.AttributeValue, len(g.Keys))
	for i, k := range g.Keys {
		keys[i] = keyAttributes(k)
	}
	out, err := t.client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{
		RequestItems: map[string]types.KeysAndAttributes{
			t.name: {Keys: keys, ConsistentRead: aws.Bool(g.Consistent)},
		},
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil {
		return sinks.BatchResult{}, t.readError(ctx, err)
	}
	r := sinks.BatchResult{Items: make(map[sinks.Key]sinks.Item, len(keys))}
	for _, found := range out.Responses {
		for _, it := range itemsOf(found) {
			r.Items[it.Key()] = it
		}
	}
	for _, left := range out.UnprocessedKeys {
		for _, k := range left.Keys {
			r.Left = append(r.Left, keyOf(k))
		}
	}
	for i := range out.ConsumedCapacity {
		r.Units += units(&out.ConsumedCapacity[i])
	}
	return r, nil
}
