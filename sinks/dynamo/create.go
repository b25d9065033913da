package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/footfall/footfall/sinks"
)

// Create, Describe and Drop take DynamoDB seconds, so unlike the verbs of sinks.Table they wait: for a table that is
// being made or deleted, until ctx ends, and over throttles and lost answers, patience times in a row.
const patience = 5

// Create implements [sinks.Admin]. What is asked for and can be turned on at any time, expiry, recovery and
// options, is turned on in an existing table too, as long as nothing else differs: an earlier Create may have died between its
// steps, and of two that run at once either may come first.
func (t *Table) Create(ctx context.Context, s sinks.Shape) error {
	if err := s.Validate(); err != nil {
		return fmt.Errorf("create table %s: %w", t.name, err)
	}
	err := t.create(ctx, s)
	if _, ok := errors.AsType[*sinks.ShapeError](err); err != nil && !ok {
		return fmt.Errorf("create %w", err)
	}
	return err
}

func (t *Table) create(ctx context.Context, s sinks.Shape) error {
	d, err := t.ensure(ctx, s)
	if err != nil {
		return err
	}
	ttl, err := t.timeToLive(ctx)
	if err != nil {
		return err
	}
	expiry := ttlDifference(ttl)
	diff := append(fixedDifferences(d), chosenDifferences(d, s)...)
	if expiry != "" && expires(ttl) {
		diff = append(diff, expiry)
	}
	if diff != nil {
		return &sinks.ShapeError{Table: t.name, Differences: diff}
	}
	if expiry != "" {
		if err := t.enableTTL(ctx); err != nil {
			return err
		}
	}
	if s.Recovery {
		if err := t.enableRecovery(ctx); err != nil {
			return err
		}
	}
	a := &alteration{Table: t, Change: sinks.Change{Options: s.Options}}
	if err := a.prepare(ctx); err != nil || a.Without == nil {
		return err
	}
	return fmt.Errorf("table %s: %s; leave the option out: all else is in place", t.name, strings.Join(a.Without, "; "))
}

// ensure makes the table unless it exists, and returns its description once it is active. A table that was made a
// moment ago may not be seen yet; making it again is refused then, which is as good.
func (t *Table) ensure(ctx context.Context, s sinks.Shape) (d *types.TableDescription, err error) {
	err = t.poll(ctx, func() (bool, error) {
		d, err = t.describe(ctx)
		if is[*types.ResourceNotFoundException](err) {
			_, err = t.client.CreateTable(ctx, createInput(t.name, s))
			if is[*types.ResourceInUseException](err) {
				err = nil // Somebody else was first.
			}
			return false, err
		}
		return err == nil && settled(d), err
	})
	return d, err
}

// settled reports whether the table and its indexes are active. One that is being deleted goes on to be absent.
func settled(d *types.TableDescription) bool {
	for _, g := range d.GlobalSecondaryIndexes {
		if g.IndexStatus != types.IndexStatusActive {
			return false
		}
	}
	return d.TableStatus == types.TableStatusActive
}

// describe returns the SDK's own error.
func (t *Table) describe(ctx context.Context) (*types.TableDescription, error) {
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return nil, err
	}
	return out.Table, nil
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

// enableTTL turns expiry on. Of two creators at once the second is told that it is on already, or that it was
// changed just now, both as a ValidationException; what then holds decides.
func (t *Table) enableTTL(ctx context.Context) error {
	var refusal error
	err := t.poll(ctx, func() (bool, error) {
		_, err := t.client.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
			TableName:               &t.name,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: aws.String(sinks.AttrTTL), Enabled: aws.Bool(true)},
		})
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

// enableRecovery turns point-in-time recovery on. DynamoDB cannot do that in a table's first seconds.
func (t *Table) enableRecovery(ctx context.Context) error {
	err := t.poll(ctx, func() (bool, error) {
		_, err := t.client.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{
			TableName:                        &t.name,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true)},
		})
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

// Drop implements [sinks.Admin].
func (t *Table) Drop(ctx context.Context) error {
	asked := false
	err := t.poll(ctx, func() (bool, error) {
		d, err := t.describe(ctx)
		switch {
		case asked && is[*types.ResourceNotFoundException](err):
			return true, nil
		case err != nil:
			return false, err
		}
		asked = true
		if d.TableStatus == types.TableStatusDeleting {
			return false, nil
		}
		_, err = t.client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: &t.name})
		if hasCode(err, "ValidationException") && aws.ToBool(d.DeletionProtectionEnabled) {
			return false, fmt.Errorf("table %s is protected: `footfall table update --deletion-protection=false` permits to delete it: %w",
				t.name, err)
		}
		if is[*types.ResourceInUseException](err) || is[*types.ResourceNotFoundException](err) {
			err = nil // It is being made, changed or deleted: look again.
		}
		return false, err
	})
	if err != nil {
		return fmt.Errorf("delete %w", err)
	}
	return nil
}

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

// is reports whether err is an error of the type E.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

func hasCode(err error, code string) bool {
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == code
}
