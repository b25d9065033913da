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

// indexes says how the table and its indexes are called and which attributes are their keys.
var indexes = [...]struct{ name, pk, sk string }{
	sinks.Base: {"", sinks.AttrPK, sinks.AttrSK},
	sinks.GSI1: {"GSI1", sinks.AttrGSI1PK, sinks.AttrGSI1SK},
	sinks.GSI2: {"GSI2", sinks.AttrGSI2PK, sinks.AttrGSI2SK},
}

// Query implements [sinks.Table] with Query. A page may be shorter than Limit, and empty, with more to come.
func (t *Table) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if q.Prefix == "" && q.To != "" && q.From > q.To {
		return sinks.Page{}, nil // DynamoDB calls bounds in the wrong order an error; nothing lies between them.
	}
	in, err := t.queryInput(q)
	if err != nil {
		return sinks.Page{}, fmt.Errorf("table %s: query %s: %w", t.name, q.PK, err)
	}
	out, err := t.client.Query(ctx, in)
	if err != nil {
		return sinks.Page{}, t.readError(ctx, err)
	}
	return sinks.Page{Items: itemsOf(out.Items), Next: cursor(q.Index, out.LastEvaluatedKey), Units: units(out.ConsumedCapacity)}, nil
}

func (t *Table) queryInput(q sinks.Query) (*dynamodb.QueryInput, error) {
	index := indexes[q.Index]
	var e expression
	where := e.name(index.pk) + "=" + e.value(index.pk, sinks.Str(q.PK))
	bound := func(s string) string { return e.value(index.sk, sinks.Str(s)) }
	switch {
	case q.Prefix != "":
		where += " AND begins_with(" + e.name(index.sk) + "," + bound(q.Prefix) + ")"
	case q.From != "" && q.To != "":
		where += " AND " + e.name(index.sk) + " BETWEEN " + bound(q.From) + " AND " + bound(q.To)
	case q.From != "":
		where += " AND " + e.name(index.sk) + ">=" + bound(q.From)
	case q.To != "":
		where += " AND " + e.name(index.sk) + "<=" + bound(q.To)
	}
	in := &dynamodb.QueryInput{
		TableName: &t.name, KeyConditionExpression: &where,
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
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
	var err error
	in.ExclusiveStartKey, err = startKey(q)
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

func cursor(i sinks.Index, last map[string]types.AttributeValue) string {
	if len(last) == 0 {
		return ""
	}
	parts := []string{indexes[i].name}
	for _, name := range cursorAttrs(i) {
		parts = append(parts, text(last, name))
	}
	b, err := json.Marshal(parts)
	if err != nil {
		panic(err) // A list of strings always has a JSON text.
	}
	return base64.RawURLEncoding.EncodeToString(b)
}

func startKey(q sinks.Query) (map[string]types.AttributeValue, error) {
	var parts []string
	b, err := base64.RawURLEncoding.DecodeString(q.After)
	if err == nil {
		err = json.Unmarshal(b, &parts)
	}
	attrs := cursorAttrs(q.Index)
	if err != nil || len(parts) != 1+len(attrs) || parts[0] != indexes[q.Index].name || parts[1] != q.PK {
		return nil, fmt.Errorf("cursor %q is not from a page of this query: pass the cursor that the previous page returned", q.After)
	}
	key := make(map[string]types.AttributeValue, len(attrs))
	for i, name := range attrs {
		key[name] = &types.AttributeValueMemberS{Value: parts[i+1]}
	}
	return key, nil
}
