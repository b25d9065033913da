// Package quarantine is the command that puts a damaged item aside: it copies the item, records the lost span, and puts a readable
// replacement in its place. decision.go has what is asked and answered, attempt.go its phases, late.go the journal entries,
// replacement.go what takes an item's place, damaged.go how each kind of item is read. Parts that an owner can quarantine by itself
// are in package pipeline.
package quarantine

import (
	"context"
	"errors"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Item quarantines a damaged item. It takes over the chains that have a part in the item, which fences their owners. It copies
// the item and records the lost span in the history of each of the chains. It then puts a replacement, on condition that the unreadable
// attributes are unchanged. Partitions that are parked because of the item continue, and a running pipeline takes the chains over
// within seconds. Item may be repeated, also after it was cut short at any point.
func Item(ctx context.Context, q Decision) (Result, error) {
	for try := 1; ; try++ {
		a, err := newAttempt(ctx, q)
		if err != nil {
			return Result{}, err
		}
		done, err := a.once(ctx)
		if errors.Is(err, errMoved) && try < tries {
			continue
		}
		return done, err
	}
}

// Done reports whether an item was quarantined and everything in it can be read. It only reads.
func Done(ctx context.Context, q Decision) (bool, error) {
	a, err := newAttempt(ctx, q)
	if err != nil {
		return false, err
	}
	r, err := a.inspect(ctx)
	return err == nil && len(r.attrs) == 0 && a.before(), err
}

// tries is how often a command looks at an item that changes while it does.
const tries = 3

// resume continues the partitions that are parked because of the item.
func (a *attempt) resume(ctx context.Context) (resumed []int32, err error) {
	pk, prefix := a.Keys.Checkpoints(a.number)
	for it, err := range a.send.Items(ctx, "look for parked partitions", sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return resumed, err
		}
		park, err := checkpoint.ReadPark(it)
		m, ok := sinks.Find(it.Key(), it, sinks.DefaultShards)
		if err != nil || park == nil || !ok || m.Type.Entity != sinks.EntityCheckpoint || (sinks.Key{PK: park.PK, SK: park.SK}) != a.Key {
			continue
		}
		if _, err := checkpoint.Resume(ctx, checkpoint.Unparking{Topic: a.Topic, Table: a.Table, Keys: a.Keys,
			Partition: m.Fields.TP.Partition}); err != nil && !errors.Is(err, checkpoint.ErrNotParked) {
			return resumed, err
		}
		resumed = append(resumed, m.Fields.TP.Partition)
	}
	return resumed, nil
}

// ahead returns the attributes with applied marks of steps that their chains have not begun. The item was read before the checkpoints,
// so no step that has begun since is mistaken for one.
func (a *attempt) ahead(ctx context.Context) (marks []string, err error) {
	lane := laneOf(a.match)
	for name, v := range a.item {
		tp, own := sinks.PartitionOf(a.match.Type.Entity, name)
		if !own || name != sinks.AttrMark(lane, tp) || v.Kind() != sinks.Number {
			continue
		}
		key := a.Keys.Checkpoint(tp, lane)
		found, err := a.send.BatchGet(ctx, []sinks.Key{key})
		if err != nil {
			return nil, err
		}
		if head, err := checkpoint.ReadHead(found[key]); err != nil {
			return nil, err
		} else if head.Step > 0 && v.Int() > head.Step { // Without a checkpoint there is nothing to compare with.
			marks = append(marks, name)
		}
	}
	slices.Sort(marks)
	return marks, nil
}
