package dynamo

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// Query implements [sinks.Table] with Query. A page may be shorter than Limit, and empty, with more to come.
func (t *Table) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if empty(q) {
		return sinks.Page{}, nil
	}
	in, err := t.queryInput(q)
	if err != nil {
		return sinks.Page{}, fmt.Errorf("table %s: query %s: %w", t.name, q.PK, err)
	}
	out, err := t.client.Query(ctx, in)
	if err != nil {
		return sinks.Page{}, t.readError(ctx, err)
	}
	return sinks.Page{Items: itemsOf(out.Items), Next: cursor(q.Index, itemOf(out.LastEvaluatedKey)), Units: units(out.ConsumedCapacity)}, nil
}

// empty reports whether the bounds of q are in the wrong order. DynamoDB calls that an error; nothing lies between them.
func empty(q sinks.Query) bool { return q.Prefix == "" && q.To != "" && q.From > q.To }

func (t *Table) queryInput(q sinks.Query) (*dynamodb.QueryInput, error) {
	index := indexes[q.Index]
	var e expression
	in := &dynamodb.QueryInput{
		TableName: &t.name, KeyConditionExpression: spelled(e.appendRange(nil, q)),
		ExpressionAttributeNames: e.nameMap(), ExpressionAttributeValues: e.valueMap(),
		ScanIndexForward: aws.Bool(!q.Desc), ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	if index.name != "" {
		in.IndexName = &index.name
	}
	if q.Consistent {
		in.ConsistentRead = aws.Bool(true)
	}
	if q.Limit > 0 {
		in.Limit = aws.Int32(int32(q.Limit))
	}
	if q.After == "" {
		return in, e.err
	}
	start, err := startKey(q)
	in.ExclusiveStartKey = attributes(start)
	return in, err
}

// A cursor is the key of the last item of a page, as base64 of a JSON list of strings: the index, then the
// values of the key attributes as cursorAttrs orders them.

func cursorAttrs(i sinks.Index) []string {
	index := indexes[i]
	if i == sinks.Base {
		return []string{index.pk, index.sk}
	}
	return []string{index.pk, index.sk, sinks.AttrPK, sinks.AttrSK}
}

func cursor(i sinks.Index, last sinks.Item) string {
	if len(last) == 0 {
		return ""
	}
	parts := []string{indexes[i].name}
	for _, name := range cursorAttrs(i) {
		parts = append(parts, last[name].Str())
	}
	b, err := json.Marshal(parts)
	if err != nil {
		panic(err) // A list of strings always has a JSON text.
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func startKey(q sinks.Query) (sinks.Item, error) {
	var parts []string
	b, err := base64.RawURLEncoding.DecodeString(q.After)
	if err == nil {
		err = json.Unmarshal(b, &parts)
	}
	attrs := cursorAttrs(q.Index)
	if err != nil || len(parts) != 1+len(attrs) || parts[0] != indexes[q.Index].name || parts[1] != q.PK {
		return nil, fmt.Errorf("cursor %q is not from a page of this query: pass the cursor that the previous page returned", q.After)
	}
	key := make(sinks.Item, len(attrs))
	for i, name := range attrs {
		key[name] = sinks.Str(parts[i+1])
	}
	return key, nil
}
