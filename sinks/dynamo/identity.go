package dynamo

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/tableid"
)

var _ tableid.Identified = (*Table)(nil)

// Identity implements [tableid.Identified]. Where the credentials may not describe the table, or there is none, it is zero.
func (t *Table) Identity(ctx context.Context) (tableid.Identity, error) {
	d, err := t.describe(ctx)
	if err != nil {
		err = t.readError(ctx, err)
		if errors.Is(err, sinks.ErrDenied) || errors.Is(err, sinks.ErrNoTable) {
			err = nil // What the caller asks next says so.
		}
		return tableid.Identity{}, err
	}
	return tableid.Identity{ID: aws.ToString(d.TableId), Restored: d.RestoreSummary != nil}, nil
}
