package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// Describe implements [sinks.Admin].
func (t *Table) Describe(ctx context.Context) (sinks.Description, error) {
	in, err := t.Inspect(ctx)
	if err == nil {
		err = in.TTLError
	}
	if err == nil && !errors.Is(in.RecoveryError, errors.ErrUnsupported) {
		err = in.RecoveryError
	}
	if err != nil {
		return sinks.Description{}, fmt.Errorf("describe %w", err)
	}
	return in.Description, nil
}

// Inspect implements [sinks.Inspector].
func (t *Table) Inspect(ctx context.Context) (sinks.Inspection, error) {
	var d *types.TableDescription
	err := t.poll(ctx, func() (_ bool, err error) {
		d, err = t.describe(ctx)
		return err == nil, err
	})
	if err != nil {
		return sinks.Inspection{}, err
	}
	in := sinks.Inspection{Description: sinks.Description{
		Name: t.name, Kind: "dynamodb", Status: string(d.TableStatus), Billing: billing(d), Options: options(d), Stream: streams(d),
		Items: aws.ToInt64(d.ItemCount), Bytes: aws.ToInt64(d.TableSizeBytes),
		Differences: fixedDifferences(d), Lasting: lastingDifferences(d),
	}}
	if in.Billing == byCapacity {
		in.ReadCapacity, in.WriteCapacity = capacity(d.ProvisionedThroughput)
	}
	for _, index := range indexes {
		if _, ok := findIndex(d, index.name); ok {
			in.Indexes = append(in.Indexes, index.name)
		}
	}
	var ttl *types.TimeToLiveDescription
	if ttl, in.TTLError = t.timeToLive(ctx); in.TTLError == nil {
		expiry := ttlDifference(ttl)
		in.TTL = expiry == ""
		if expiry != "" {
			in.Differences = append(in.Differences, expiry)
		}
		if expiry != "" && expires(ttl) {
			in.Lasting, in.OtherTTL = append(in.Lasting, expiry), aws.ToString(ttl.AttributeName)
		}
	}
	in.Recovery, in.RecoveryError = t.recovery(ctx)
	return in, nil
}

// Quotas implements [sinks.Inspector].
func (t *Table) Quotas(ctx context.Context) (q sinks.Quotas, err error) {
	err = t.poll(ctx, func() (bool, error) {
		out, err := t.client.DescribeLimits(ctx, &dynamodb.DescribeLimitsInput{})
		if err != nil {
			return false, err
		}
		q = sinks.Quotas{
			AccountRead: aws.ToInt64(out.AccountMaxReadCapacityUnits), AccountWrite: aws.ToInt64(out.AccountMaxWriteCapacityUnits),
			TableRead: aws.ToInt64(out.TableMaxReadCapacityUnits), TableWrite: aws.ToInt64(out.TableMaxWriteCapacityUnits),
		}
		return true, nil
	})
	if err != nil {
		return q, fmt.Errorf("ask for the account's quotas: %w", err)
	}
	return q, nil
}

// DeleteAbsent implements [sinks.Inspector] with BatchWriteItem.
func (t *Table) DeleteAbsent(ctx context.Context, key sinks.Key) error {
	_, err := t.client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: map[string][]types.WriteRequest{
		t.name: {{DeleteRequest: &types.DeleteRequest{Key: keyAttributes(key)}}},
	}})
	if err != nil {
		return t.writeError(ctx, err)
	}
	return nil
}

// ErrNoDate reports an answer without a date.
var ErrNoDate = errors.New("the answer has no date")

// ServerTime returns what time it is where the table is, in whole seconds: the date of an answer.
func (t *Table) ServerTime(ctx context.Context) (time.Time, error) {
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return time.Time{}, err
	}
	at, ok := awsmiddleware.GetServerTime(out.ResultMetadata)
	if !ok {
		return time.Time{}, ErrNoDate
	}
	return at, nil
}
