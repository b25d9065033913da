package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/internal/requests"
	"github.com/footfall/footfall/sinks"
)

// standstill is why a partition gets no worker.
type standstill struct {
	gaps    []*checkpoint.GapError
	park    *checkpoint.Park
	durable bool  // the checkpoint says so; otherwise the takeover is tried again after a while
	release bool  // or once another release has done its open step
	next    int64 // the first offset that is not folded; 0: not known
	topicID [16]byte
}

// parkOf returns the error that parks a partition: a checkpoint.ParkError, or one made of a DamagedError.
func parkOf(err error) (*checkpoint.ParkError, bool) {
	if why, ok := errors.AsType[*checkpoint.ParkError](err); ok {
		return why, true
	}
	if d, ok := errors.AsType[*sinks.DamagedError](err); ok {
		detail := "it cannot be read"
		if d.Attr != "" {
			detail = "attribute " + d.Attr
		}
		return checkpoint.NewParkError(checkpoint.Park{Reason: checkpoint.ParkedItem, PK: d.Key.PK, SK: d.Key.SK,
			Detail: fmt.Sprintf("%s: %v", detail, d.Err)}, err), true
	}
	return nil, false
}

// standstillOf returns why a partition cannot continue, if err says that its log has a gap or that the partition is parked; nil otherwise.
func standstillOf(err error) *standstill {
	if gap, ok := errors.AsType[*checkpoint.GapError](err); ok {
		return &standstill{gaps: []*checkpoint.GapError{gap}, durable: true, next: gap.Gap.UnreadTo - gap.Gap.Base}
	}
	if why, ok := parkOf(err); ok {
		return &standstill{park: &why.Park}
	}
	return nil
}

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

// standsStill makes a park durable that this takeover is to begin with, or returns the one that the checkpoint has.
func (t *taker) standsStill(ctx context.Context, partition int32, chains []requests.Chain) (*standstill, error) {
	c := chains[0]
	t.mu.Lock()
	k := t.parking[partition]
	t.mu.Unlock()
	if k != nil && c.Head.Park == nil {
		if err := c.Amend(ctx, "record why the partition is parked", []sinks.Attr{k.Attr()}, nil); err != nil {
			return nil, err
		}
		c.Head.Park = k
	}
	t.mu.Lock()
	if t.parking[partition] == k {
		delete(t.parking, partition)
	}
	t.mu.Unlock()
	if c.Head.Park == nil {
		return nil, nil
	}
	still := &standstill{park: c.Head.Park, durable: true, next: math.MaxInt64}
	for _, c := range chains {
		still.next = min(still.next, max(0, c.Head.Position()-c.Head.Base))
	}
	return still, nil
}

// undecided reports whether the partition waits for an operator: at a gap, or parked.
func (t *taker) undecided(ctx context.Context, partition int32) (waits bool, err error) {
	return t.someLane(ctx, partition, func(c checkpoint.Head) bool { return c.Park != nil || c.Gap != nil && c.Gap.Accepted == "" })
}

// someLane reports whether holds is true of a lane's checkpoint, or one is damaged.
func (t *taker) someLane(ctx context.Context, partition int32, holds func(checkpoint.Head) bool) (bool, error) {
	items, err := t.checkpointsOf(ctx, partition)
	if err != nil {
		return false, err
	}
	for _, it := range items {
		c, err := checkpoint.ReadHead(it)
		if _, damaged := errors.AsType[*sinks.DamagedError](err); damaged {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if holds(c) {
			return true, nil
		}
	}
	return false, nil
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
