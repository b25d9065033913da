package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
)

// alteration is an Alter under way. Each step looks at the table as it is by then and does what is left: one request at a
// time, since DynamoDB takes no other while a table changes.
type alteration struct {
	*Table
	sinks.Change
	sinks.Altered
}

// still waits until the table and its indexes are active: an earlier Alter may have begun what is under way.
func (a *alteration) still(ctx context.Context) (d *types.TableDescription, err error) {
	err = a.poll(ctx, func() (bool, error) {
		d, err = a.describe(ctx)
		return err == nil && settled(d), err
	})
	return d, err
}

// do says a step and, unless the run is dry, does it and waits for it. A table that another program is changing is asked
// again.
func (a *alteration) do(ctx context.Context, said string, request *dynamodb.UpdateTableInput) error {
	if a.Dry {
		a.Done = append(a.Done, said)
		return nil
	}
	request.TableName = &a.name
	err := a.poll(ctx, func() (bool, error) {
		_, err := a.client.UpdateTable(ctx, request)
		if is[*types.ResourceInUseException](err) {
			return false, nil
		}
		return true, err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", said, err)
	}
	a.Done = append(a.Done, said)
	_, err = a.still(ctx)
	return err
}

// ask says a step and, unless the run is dry, does it.
func (a *alteration) ask(ctx context.Context, said string, request func() error) error {
	if !a.Dry {
		err := a.poll(ctx, func() (bool, error) {
			err := request()
			return err == nil, err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", said, err)
		}
	}
	a.Done = append(a.Done, said)
	return nil
}
