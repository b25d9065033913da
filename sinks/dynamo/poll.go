package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// Create, Describe and Drop take DynamoDB seconds, so unlike the verbs of sinks.Table they wait: for a table that is
// being made or deleted, until ctx ends, and over throttles and lost answers, patience times in a row.
const patience = 5

// poll calls step at growing distances until it is done or fails for good. Errors of step are the SDK's; those of
// poll are in the terms of package sinks.
func (t *Table) poll(ctx context.Context, step func() (done bool, err error)) error {
	failures := 0
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 2*time.Second) {
		done, err := step()
		if err == nil {
			failures = 0
			if done {
				return nil
			}
			err = errors.New("not finished yet")
		} else {
			err = t.readError(ctx, err)
			if failures++; !sinks.Retryable(err) || failures == patience {
				return err
			}
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return fmt.Errorf("table %s: %w: %w", t.name, context.Cause(ctx), err)
		}
	}
}

// describe returns the SDK's own error.
func (t *Table) describe(ctx context.Context) (*types.TableDescription, error) {
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}

// settled reports whether the table and its indexes are active. One that is being deleted will be absent.
func settled(d *types.TableDescription) bool {
	for _, g := range d.GlobalSecondaryIndexes {
		if g.IndexStatus != types.IndexStatusActive {
			return false
		}
	}
	return d.TableStatus == types.TableStatusActive
}

func (t *Table) timeToLive(ctx context.Context) (*types.TimeToLiveDescription, error) {
	var d *types.TimeToLiveDescription
	err := t.poll(ctx, func() (bool, error) {
		out, err := t.client.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &t.name})
		if err != nil {
			return false, err
		}
		d = out.TimeToLiveDescription
		return true, nil
	})
	return d, err
}

// enableTTL turns expiry on. Of two creators at once the second is refused, as it is on already or was
// changed just now, both by a ValidationException; what then holds decides.
func (t *Table) enableTTL(ctx context.Context) error {
	var refusal error
	err := t.poll(ctx, func() (bool, error) {
		_, err := t.client.UpdateTimeToLive(ctx, expiryInput(t.name))
		switch {
		case is[*types.ResourceInUseException](err):
			return false, nil // The table is being changed.
		case hasCode(err, "ValidationException"):
			refusal, err = err, nil
		}
		return true, err
	})
	if err != nil || refusal == nil {
		return err
	}
	ttl, err := t.timeToLive(ctx)
	if err != nil {
		return err
	}
	if expiry := ttlDifference(ttl); expiry != "" {
		return fmt.Errorf("table %s: %s, and turning it on was refused: %w", t.name, expiry, refusal)
	}
	return nil
}

// recovery reports whether point-in-time recovery is on.
func (t *Table) recovery(ctx context.Context) (on bool, err error) {
	err = t.poll(ctx, func() (bool, error) {
		out, err := t.client.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &t.name})
		if err != nil {
			return false, err
		}
		if b := out.ContinuousBackupsDescription; b != nil && b.PointInTimeRecoveryDescription != nil {
			on = b.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus == types.PointInTimeRecoveryStatusEnabled
		}
		return true, nil
	})
	if hasCode(err, "UnknownOperationException") {
		return false, fmt.Errorf("%w: this DynamoDB has no point-in-time recovery (DynamoDB Local does not)", errors.ErrUnsupported)
	}
	return on, err
}

// enableRecovery turns point-in-time recovery on. DynamoDB cannot do that in a table's first seconds.
func (t *Table) enableRecovery(ctx context.Context) error {
	err := t.poll(ctx, func() (bool, error) {
		_, err := t.client.UpdateContinuousBackups(ctx, recoveryInput(t.name))
		if is[*types.ContinuousBackupsUnavailableException](err) {
			return false, nil
		}
		return true, err
	})
	if hasCode(err, "UnknownOperationException") {
		return fmt.Errorf("%w: point-in-time recovery was asked for, and this DynamoDB does not have it (DynamoDB Local "+
			"does not): leave recovery out; all else is in place", err)
	}
	return err
}
