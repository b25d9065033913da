package dynamo

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// Alter implements [sinks.Admin].
func (t *Table) Alter(ctx context.Context, c sinks.Change) (sinks.Altered, error) {
	if err := c.Validate(); err != nil {
		return sinks.Altered{}, err
	}
	a := &alteration{Table: t, Change: c}
	for _, step := range []func(context.Context) error{a.check, a.unscale, a.bill, a.index, a.expire, a.prepare, a.scale} {
		if err := step(ctx); err != nil {
			if _, ok := errors.AsType[*sinks.ShapeError](err); ok {
				return a.Altered, err
			}
			return a.Altered, fmt.Errorf("update %w", err)
		}
	}
	return a.Altered, nil
}

// check refuses a table that cannot become what footfall needs: a missing index can be made, all other differences stay.
func (a *alteration) check(ctx context.Context) error {
	d, err := a.still(ctx)
	if err != nil {
		return err
	}
	if a.MaxWriteUnits != 0 && billing(d) == byCapacity && !a.OnDemand {
		return fmt.Errorf("table %s: --max-write-units %d is for billing on demand, and the table is provisioned: add --on-demand", a.name,
			a.MaxWriteUnits)
	}
	lasting := lastingDifferences(d)
	ttl, err := a.timeToLive(ctx)
	if err != nil {
		return err
	}
	if expiry := ttlDifference(ttl); expiry != "" && expires(ttl) {
		lasting = append(lasting, expiry)
	}
	if lasting != nil {
		return &sinks.ShapeError{Table: a.name, Differences: lasting}
	}
	return nil
}

// bill brings the table to the billing that is asked for. Capacities that auto scaling moves are left where they are while
// they lie in its range.
func (a *alteration) bill(ctx context.Context) error {
	d, err := a.still(ctx)
	if err != nil {
		return err
	}
	switch have := billing(d); {
	case a.OnDemand && have == byCapacity:
		return a.do(ctx, "billing: on demand", &dynamodb.UpdateTableInput{BillingMode: types.BillingModePayPerRequest})
	case a.OnDemand || a.WriteCapacity == 0:
		return nil
	case have == onDemand:
		request := &dynamodb.UpdateTableInput{BillingMode: types.BillingModeProvisioned, ProvisionedThroughput: a.throughput()}
		for _, g := range d.GlobalSecondaryIndexes {
			request.GlobalSecondaryIndexUpdates = append(request.GlobalSecondaryIndexUpdates, a.indexThroughput(g.IndexName))
		}
		return a.do(ctx, fmt.Sprintf("billing: provisioned, %d read and %d write units a second of the table and of each index", a.ReadCapacity,
			a.WriteCapacity), request)
	}
	return a.resize(ctx, d)
}

// resize changes the capacities of a provisioned table that are not what is asked for: DynamoDB refuses what changes nothing.
func (a *alteration) resize(ctx context.Context, d *types.TableDescription) error {
	request := new(dynamodb.UpdateTableInput)
	var said []string
	if !a.fits(d.ProvisionedThroughput) {
		request.ProvisionedThroughput = a.throughput()
		said = append(said, "the table")
	}
	for _, index := range indexes {
		if g, ok := findIndex(d, index.name); ok && !a.fits(g.ProvisionedThroughput) {
			request.GlobalSecondaryIndexUpdates = append(request.GlobalSecondaryIndexUpdates, a.indexThroughput(&index.name))
			said = append(said, "index "+index.name)
		}
	}
	if said == nil {
		return nil
	}
	return a.do(ctx, fmt.Sprintf("capacity: %d read and %d write units a second of %s", a.ReadCapacity, a.WriteCapacity,
		strings.Join(said, ", ")), request)
}

func (a *alteration) fits(p *types.ProvisionedThroughputDescription) bool {
	r, w := capacity(p)
	return r >= a.ReadCapacity && r <= max(a.ReadCapacity, a.MaxReadCapacity) && w >= a.WriteCapacity &&
		w <= max(a.WriteCapacity, a.MaxWriteCapacity)
}

func (a *alteration) throughput() *types.ProvisionedThroughput {
	return &types.ProvisionedThroughput{ReadCapacityUnits: &a.ReadCapacity, WriteCapacityUnits: &a.WriteCapacity}
}

func (a *alteration) indexThroughput(name *string) types.GlobalSecondaryIndexUpdate {
	return types.GlobalSecondaryIndexUpdate{Update: &types.UpdateGlobalSecondaryIndexAction{IndexName: name,
		ProvisionedThroughput: a.throughput()}}
}

// index makes the indexes that are missing, one after the other as DynamoDB wants it. Items that are there come into a new
// index too, at a write unit each.
func (a *alteration) index(ctx context.Context) error {
	for i, index := range indexes {
		d, err := a.still(ctx)
		if err != nil {
			return err
		}
		if _, ok := findIndex(d, index.name); ok || index.name == "" {
			continue
		}
		action := &types.CreateGlobalSecondaryIndexAction{IndexName: &index.name, KeySchema: keySchema(sinks.Index(i)),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}}
		if billing(d) == byCapacity {
			r, w := capacity(d.ProvisionedThroughput)
			action.ProvisionedThroughput = &types.ProvisionedThroughput{ReadCapacityUnits: &r, WriteCapacityUnits: &w}
		}
		request := &dynamodb.UpdateTableInput{GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: action}}}
		for _, attr := range []string{index.pk, index.sk} {
			request.AttributeDefinitions = append(request.AttributeDefinitions,
				types.AttributeDefinition{AttributeName: &attr, AttributeType: types.ScalarAttributeTypeS})
		}
		if err := a.do(ctx, "index "+index.name+": made, and filled from the items that are there", request); err != nil {
			return err
		}
	}
	return nil
}

// expire turns expiry on.
func (a *alteration) expire(ctx context.Context) error {
	ttl, err := a.timeToLive(ctx)
	if err != nil || ttlDifference(ttl) == "" {
		return err
	}
	if !a.Dry {
		if err := a.enableTTL(ctx); err != nil {
			return err
		}
	}
	a.Done = append(a.Done, fmt.Sprintf("expiry: on, by attribute %q", sinks.AttrTTL))
	return nil
}
