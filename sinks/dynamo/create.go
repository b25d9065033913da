package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

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
