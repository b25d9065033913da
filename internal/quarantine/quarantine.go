// Package quarantine is the command that puts a damaged item aside: it copies the item, records the lost span, and puts a readable
// replacement in its place. attempt.go has its phases, late.go the journal entries, replacement.go what takes an item's place,
// damaged.go how each kind of item is read. Parts that an owner can quarantine by itself are in package pipeline.
package quarantine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// ErrReadable reports an item that can be read, so that there is nothing to quarantine.
var ErrReadable = errors.New("the item can be read: there is nothing to quarantine")

// ErrIrreplaceable reports an item that nothing can stand in for.
var ErrIrreplaceable = errors.New("the item cannot be replaced: restore it from a backup of the table")

// ErrNoCheckpoint reports the key of a checkpoint that is not in the table.
var ErrNoCheckpoint = errors.New("there is no checkpoint under this key: nothing can stand in for one that was deleted; " +
	"docs/runbook.md says how to restore it from a backup")

// Decision is an operator's decision to quarantine a damaged item.
type Decision struct {
	Topic string
	Table sinks.Table
	Keys  sinks.Keys
	Key   sinks.Key // of the item
}

// Result is the result of a quarantine.
type Result struct {
	Type    string           // of the item, as the catalogue names it
	Attrs   []string         // that could not be read
	Copy    sinks.Key        // of the damaged item
	Spans   []sinks.LostSpan // the lost spans, by chain
	Removed bool             // the item was removed; false: it was replaced
	Resumed []int32          // partitions that were parked because of the item, and continue
	Again   bool             // it was quarantined before
	Absent  bool             // there is no item under the key: it was removed before, or has never been written
}

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

// errMoved reports that the unreadable attributes have changed since they were read.
var errMoved = errors.New("the item has changed in the meantime: look at it again")

// newAttempt reads the item and finds what its key says.
func newAttempt(ctx context.Context, q Decision) (*attempt, error) {
	m, ok := sinks.Find(q.Key, nil, sinks.DefaultShards)
	if !ok {
		return nil, fmt.Errorf("%s / %s: footfall writes no item under such a key: write the key as `footfall status` or `footfall verify` prints it",
			q.Key.PK, q.Key.SK)
	}
	send := checkpoint.NewClient(q.Table)
	it, err := q.read(ctx, send)
	if err != nil {
		return nil, err
	}
	return &attempt{Decision: &q, send: send, match: m, item: it, done: Result{Type: m.Type.Name}}, nil
}

func (q *Decision) read(ctx context.Context, send checkpoint.Client) (sinks.Item, error) {
	found, err := send.BatchGet(ctx, []sinks.Key{q.Key})
	if err == nil && found[q.Key] == nil {
		return sinks.Item{sinks.AttrPK: sinks.Str(q.Key.PK), sinks.AttrSK: sinks.Str(q.Key.SK)}, nil
	}
	return found[q.Key], err
}

// onceEach leaves one condition for each attribute.
func onceEach(list []sinks.Cond) (each []sinks.Cond) {
	for _, c := range list {
		if !slices.ContainsFunc(each, func(o sinks.Cond) bool { return o.Attr == c.Attr }) {
			each = append(each, c)
		}
	}
	return each
}

// unchanged returns the conditions that attributes have the values that were read.
func unchanged(it sinks.Item, attrs []string) (conds []sinks.Cond) {
	for _, name := range attrs {
		c := sinks.Cond{Attr: name, Op: sinks.Equal, Value: it[name]}
		if it[name].Kind() == sinks.None {
			c = sinks.Cond{Attr: name, Op: sinks.Absent}
		}
		conds = append(conds, c)
	}
	return conds
}

// laneOf returns the lane whose chains have a part in an item.
func laneOf(m sinks.Match) string {
	switch {
	case m.Type.Entity == sinks.EntityRealtime:
		return checkpoint.LaneRealtime
	case m.Fields.Lane != "":
		return m.Fields.Lane
	}
	return checkpoint.LaneStats
}

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
