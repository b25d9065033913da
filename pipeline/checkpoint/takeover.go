package checkpoint

import (
	"context"
	"errors"

	"github.com/footfall/footfall/sinks"
)

// asOwner takes a chain over for an operator's command and does what the command is for. A copy of the takeover that comes late, since
// its answer was lost, fences the command itself: it takes the chain over again, and do has to find what it has done before.
func asOwner(ctx context.Context, table Table, key sinks.Key, by Owner, do func(*Chain) error) error {
	for {
		c, err := Acquire(ctx, table, key, by)
		if err != nil {
			return err
		}
		err = do(c)
		if fenced, ok := errors.AsType[*FencedError](err); !ok || fenced.Have.Owner != by.Name {
			return err
		}
	}
}
