// Package dynamo is the table on Amazon DynamoDB: [sinks.Table] and [sinks.Admin] on the AWS SDK.
//
//	dynamo.go      Client, Table, and the writes of one item
//	batch.go       BatchPut and BatchGet
//	query.go       Query and its cursor
//	expression.go  updates and conditions as DynamoDB spells them
//	value.go       values and items as the SDK's attribute values
//	errors.go      what DynamoDB's errors mean to the caller
//	index.go       the keys of the table and of its index
//	connect.go     Connect and ConnectScaling: clients from the environment
//	direct.go      Direct: the same table, with a client of our own for items
//	encode.go      its requests as JSON; decode.go: its answers
//	exchange.go    one of its requests and the answer; sign.go: signatures; link.go: where requests go
//	create.go      Create and Drop; poll.go: their waits; shape.go: what a table must be
//	alter.go       Alter; alteration.go: one of its steps; alteroptions.go, scaling.go: steps for options and auto scaling
//	options.go     billing and options that a table's owner chooses
//	inspect.go     Describe, Inspect, Quotas and ServerTime
//
// DynamoDB Local answers as the service does, apart from point-in-time recovery, which it does not have.
package dynamo

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// Client is the part of *dynamodb.Client that Table calls. It must not retry: Table's callers do, and they decide
// by the first answer. [Connect] makes one.
type Client interface {
	UpdateItem(context.Context, *dynamodb.UpdateItemInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error)
	PutItem(context.Context, *dynamodb.PutItemInput, ...func(*dynamodb.Options)) (*dynamodb.PutItemOutput, error)
	DeleteItem(context.Context, *dynamodb.DeleteItemInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteItemOutput, error)
	BatchWriteItem(context.Context, *dynamodb.BatchWriteItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchWriteItemOutput, error)
	BatchGetItem(context.Context, *dynamodb.BatchGetItemInput, ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error)
	Query(context.Context, *dynamodb.QueryInput, ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error)

	CreateTable(context.Context, *dynamodb.CreateTableInput, ...func(*dynamodb.Options)) (*dynamodb.CreateTableOutput, error)
	DescribeTable(context.Context, *dynamodb.DescribeTableInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTableOutput, error)
	UpdateTable(context.Context, *dynamodb.UpdateTableInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTableOutput, error)
	DeleteTable(context.Context, *dynamodb.DeleteTableInput, ...func(*dynamodb.Options)) (*dynamodb.DeleteTableOutput, error)
	DescribeTimeToLive(context.Context, *dynamodb.DescribeTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeTimeToLiveOutput,
		error)
	UpdateTimeToLive(context.Context, *dynamodb.UpdateTimeToLiveInput, ...func(*dynamodb.Options)) (*dynamodb.UpdateTimeToLiveOutput, error)
	DescribeContinuousBackups(context.Context, *dynamodb.DescribeContinuousBackupsInput,
		...func(*dynamodb.Options)) (*dynamodb.DescribeContinuousBackupsOutput, error)
	UpdateContinuousBackups(context.Context, *dynamodb.UpdateContinuousBackupsInput,
		...func(*dynamodb.Options)) (*dynamodb.UpdateContinuousBackupsOutput, error)
	DescribeLimits(context.Context, *dynamodb.DescribeLimitsInput, ...func(*dynamodb.Options)) (*dynamodb.DescribeLimitsOutput, error)
}

// Table is a DynamoDB table. It implements [sinks.Table] and [sinks.Admin]; its methods are safe for concurrent
// use. Each of the table's verbs is one request, sent once.
type Table struct {
	client      Client
	name        string
	credentials aws.CredentialsProvider                // of client; nil: not known
	scaling     func(context.Context) (Scaling, error) // nil: there is no auto scaling
}

var (
	_ sinks.Table = (*Table)(nil)
	_ sinks.Admin = (*Table)(nil)

	_ sinks.Inspector = (*Table)(nil)
)

// New makes a Table of the table of that name, which need not exist yet.
func New(client Client, name string) *Table {
	t := &Table{client: client, name: name}
	if c, ok := client.(*dynamodb.Client); ok {
		t.credentials = c.Options().Credentials
	}
	return t
}

// WithScaling lets Alter connect to auto scaling, if it is asked for that, see [ConnectScaling].
func (t *Table) WithScaling(connect func(context.Context) (Scaling, error)) *Table {
	t.scaling = connect
	return t
}

// Update implements [sinks.Table] with UpdateItem.
func (t *Table) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	in, err := t.updateInput(u)
	if err != nil {
		return sinks.Result{}, fmt.Errorf("table %s: update %s / %s: %w", t.name, u.Key.PK, u.Key.SK, err)
	}
	out, err := t.client.UpdateItem(ctx, in)
	if err != nil {
		return t.refused(ctx, err)
	}
	return t.result(out.Attributes, out.ConsumedCapacity)
}

// updateInput is apart from Update for the golden test.
func (t *Table) updateInput(u sinks.Update) (*dynamodb.UpdateItemInput, error) {
	var e expression
	in := &dynamodb.UpdateItemInput{
		TableName: &t.name, Key: keyAttributes(u.Key),
		UpdateExpression: spelled(e.appendUpdate(nil, u)), ConditionExpression: spelled(e.appendConditions(nil, u.If)),
		ExpressionAttributeNames: e.nameMap(), ExpressionAttributeValues: e.valueMap(),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	if u.Return {
		in.ReturnValues = types.ReturnValueAllNew
	}
	if u.If != nil {
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	return in, e.err
}

// Put implements [sinks.Table] with PutItem.
func (t *Table) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	var e expression
	in := &dynamodb.PutItemInput{
		TableName: &t.name, Item: attributes(p.Item), ConditionExpression: spelled(e.appendConditions(nil, p.If)),
		ExpressionAttributeNames: e.nameMap(), ExpressionAttributeValues: e.valueMap(),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	if p.If != nil {
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	if e.err != nil {
		return sinks.Result{}, fmt.Errorf("table %s: put %v: %w", t.name, p.Item.Key(), e.err)
	}
	out, err := t.client.PutItem(ctx, in)
	if err != nil {
		return t.refused(ctx, err)
	}
	return t.result(nil, out.ConsumedCapacity)
}

// Delete implements [sinks.Table] with DeleteItem.
func (t *Table) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	var e expression
	in := &dynamodb.DeleteItemInput{
		TableName: &t.name, Key: keyAttributes(d.Key), ConditionExpression: spelled(e.appendConditions(nil, d.If)),
		ExpressionAttributeNames: e.nameMap(), ExpressionAttributeValues: e.valueMap(),
		ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	}
	if d.If != nil {
		in.ReturnValuesOnConditionCheckFailure = types.ReturnValuesOnConditionCheckFailureAllOld
	}
	if e.err != nil {
		return sinks.Result{}, fmt.Errorf("table %s: delete %v: %w", t.name, d.Key, e.err)
	}
	out, err := t.client.DeleteItem(ctx, in)
	if err != nil {
		return t.refused(ctx, err)
	}
	return t.result(nil, out.ConsumedCapacity)
}

func (t *Table) result(item map[string]types.AttributeValue, consumed *types.ConsumedCapacity) (sinks.Result, error) {
	return sinks.Result{Item: itemOf(item), Units: units(consumed)}, nil
}

// refused answers a write that came back with an error: a condition that did not hold is a result. DynamoDB does
// not tell what a refusal consumed; by its documentation, what writing the item as it stands would.
func (t *Table) refused(ctx context.Context, err error) (sinks.Result, error) {
	check, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok {
		return sinks.Result{}, t.writeError(ctx, err)
	}
	it := itemOf(check.Item)
	return sinks.Result{Refused: true, Item: it, Units: consumed.WriteUnits(it.Size())}, nil
}

// writeError says what an error of the SDK means for a write. A definite answer of DynamoDB counts even when the
// caller has given up by then; without one, a write may have happened although the caller gave up.
func (t *Table) writeError(ctx context.Context, err error) error {
	if ctx.Err() != nil && !answered(err) {
		return fmt.Errorf("table %s: %w, %w: %w", t.name, context.Cause(ctx), sinks.ErrUnknownOutcome, err)
	}
	return t.readError(ctx, err)
}

// readError says what an error of the SDK means for a request that writes nothing.
func (t *Table) readError(ctx context.Context, err error) error {
	if ctx.Err() != nil && !answered(err) {
		return fmt.Errorf("table %s: %w: %w", t.name, context.Cause(ctx), err)
	}
	hint, meaning := meaningOf(err)
	if hint == hintExpired && t.renewed(ctx, err) {
		hint, meaning = "the credentials were renewed", sinks.ErrUnknownOutcome
	}
	if hint != "" {
		hint = ": " + hint
	}
	if meaning == nil {
		return fmt.Errorf("table %s: %w%s", t.name, err, hint)
	}
	return fmt.Errorf("table %s: %w: %w%s", t.name, meaning, err, hint)
}

func units(consumed ...*types.ConsumedCapacity) (total float64) {
	for _, c := range consumed {
		if c != nil {
			total += aws.ToFloat64(c.CapacityUnits)
		}
	}
	return total
}
