package pipeline

import (
	"context"
	"errors"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// In a rolling deploy a process may be given a partition whose open step another release has begun, under a fold version or lists
// that this one does not know. Only that release can do the step again, so the partition is parked and the process continues with
// its others. The park is not recorded in the checkpoint, where it would stop the other release, too: this process reads the
// checkpoints now and then, without taking the chains over, and continues once the step is done.

// otherRelease is the standstill of a partition whose open step another release has begun; nil for any other error.
func otherRelease(err error, next int64) *standstill {
	if _, ok := errors.AsType[*checkpoint.ReleaseError](err); !ok {
		return nil
	}
	return &standstill{park: &checkpoint.Park{Reason: checkpoint.ParkedRelease, Detail: err.Error() +
		". Stop this process while members of that release are in the group, and they take the partition over; it continues here by itself " +
		"once they have"},
		release: true, next: next}
}

// ofOtherRelease reports whether a lane of the partition has an open step that only another release can do again.
func (t *taker) ofOtherRelease(ctx context.Context, partition int32) (bool, error) {
	return t.someLane(ctx, partition, func(c checkpoint.Head) bool {
		if c.Step == 0 || c.Done {
			return false
		}
		_, err := checkpoint.ParseSettings(c.Ver)
		return err != nil
	})
}
