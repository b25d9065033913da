// Package quarantine is the command that puts a damaged item aside: it copies the item, records the lost span, and puts a readable
// replacement in its place. late.go has the journal entries, replacement.go what takes an item's place, damaged.go how each kind of
// item is read. Parts that an owner can quarantine by itself are in package pipeline.
package quarantine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// ErrReadable reports an item that can be read, so that there is nothing to quarantine.
var ErrReadable = errors.New("the item can be read: there is nothing to quarantine")

// ErrIrreplaceable reports an item that nothing can stand in for.
var ErrIrreplaceable = errors.New("the item cannot be replaced: restore it from a backup of the table")

// Quarantine is an operator's decision to quarantine a damaged item.
type Decision struct {
	Topic string
	Table sinks.Table
	Keys  sinks.Keys
	Key   sinks.Key // of the item
}

// Quarantined is the result of a quarantine.
type Result struct {
	Type    string           // of the item, as the catalogue names it
	Attrs   []string         // that could not be read
	Copy    sinks.Key        // of the damaged item
	Spans   []sinks.LostSpan // the lost spans, by chain
	Removed bool             // the item was removed; false: it was replaced
	Resumed []int32          // partitions that were parked because of the item, and continue
	Again   bool             // it was quarantined before
}

// QuarantineItem quarantines a damaged item. It takes over the chains that have a part in the item, which fences their owners. It copies
// the item and records the lost span in the history of each of the chains. It then puts a replacement, on condition that the unreadable
// attributes are unchanged. Partitions that are parked because of the item continue, and a running pipeline takes the chains over
// within seconds. QuarantineItem may be repeated, also after it was cut short at any point.
func Item(ctx context.Context, q Decision) (Result, error) {
	send := checkpoint.NewClient(q.Table)
	m, ok := sinks.Find(q.Key, nil, sinks.DefaultShards)
	if !ok {
		return Result{}, fmt.Errorf("%s / %s: no item of footfall has such a key", q.Key.PK, q.Key.SK)
	}
	for try := 1; ; try++ {
		it, err := q.read(ctx, send)
		if err != nil {
			return Result{}, err
		}
		done, err := q.once(ctx, send, m, it)
		if errors.Is(err, errMoved) && try < tries {
			continue
		}
		return done, err
	}
}

// tries is how often a command looks at an item that changes while it does.
const tries = 3

// errMoved reports that the unreadable attributes have changed since they were read.
var errMoved = errors.New("the item has changed in the meantime: look at it again")

func (q *Decision) read(ctx context.Context, send checkpoint.Client) (sinks.Item, error) {
	found, err := send.BatchGet(ctx, []sinks.Key{q.Key})
	if err == nil && found[q.Key] == nil {
		return sinks.Item{sinks.AttrPK: sinks.Str(q.Key.PK), sinks.AttrSK: sinks.Str(q.Key.SK)}, nil
	}
	return found[q.Key], err
}

func (q *Decision) once(ctx context.Context, send checkpoint.Client, m sinks.Match, it sinks.Item) (Result, error) {
	done := Result{Type: m.Type.Name}
	number, ok, err := send.Topic(ctx, q.Keys, q.Topic)
	if err != nil || !ok {
		return done, errors.Join(err, fmt.Errorf("no pipeline has written topic %q to this table", q.Topic))
	}
	ahead, err := q.ahead(ctx, send, m, it)
	if err != nil {
		return done, err
	}
	r, err := q.replacementOf(ctx, m, it, number, ahead)
	if err != nil {
		return done, err
	}
	if len(r.attrs) == 0 {
		for name := range it {
			tp, known := sinks.PartitionOf(m.Type.Entity, name)
			done.Again = done.Again || known && name == sinks.AttrLost(tp)
		}
		gone := len(it) == 2
		if done.Resumed, err = q.resume(ctx, send, number); err != nil || len(done.Resumed) > 0 || done.Again || gone {
			done.Again = true
			return done, err
		}
		return done, ErrReadable
	}
	done.Attrs, done.Removed = r.attrs, r.remove
	now := time.Now().UnixMilli()
	once := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	u := sinks.Update{Key: q.Key, Set: r.set, Remove: r.clear, If: unchanged(it, append(slices.Clone(r.attrs), r.also...))}
	owner := checkpoint.OwnerQuarantine + checkpoint.OwnerName()
	lane := laneOf(m)
	var heads []checkpoint.Head
	for _, tp := range r.chains {
		var head checkpoint.Head
		if r.fence {
			c, err := checkpoint.Acquire(ctx, send, q.Keys.Checkpoint(tp, lane), owner, "")
			if err != nil {
				return done, err
			}
			head = c.Head
		} else if found, err := send.BatchGet(ctx, []sinks.Key{q.Keys.Checkpoint(tp, lane)}); err != nil {
			return done, err
		} else if head, err = checkpoint.ReadHead(found[q.Keys.Checkpoint(tp, lane)]); err != nil && m.Type.Entity != sinks.EntityCheckpoint {
			return done, err
		}
		heads = append(heads, head)
		to, keep := r.lostSpan(head, it[sinks.AttrMark(lane, tp)])
		span := sinks.LostSpan{Key: q.Key, Kind: m.Type.Entity, Site: m.Fields.Site, Attrs: r.attrs, TP: tp, Lane: lane, To: to, Step: keep,
			At: now, By: owner}
		span.ID = sinks.LostID(it, q.Key, r.attrs, to)
		done.Spans = append(done.Spans, span)
		if m.Type.Marked != "" || m.Type.Entity == sinks.EntityNewSites {
			mark := sinks.AttrMark(lane, tp)
			u.If = append(u.If, unchanged(it, []string{mark})...)
			if keep > 0 {
				u.Set = append(u.Set, sinks.Attr{Name: mark, Value: sinks.Int(keep)})
			} else {
				u.Remove = append(u.Remove, mark)
			}
		}
		u.Set = append(u.Set, sinks.Attr{Name: sinks.AttrLost(tp), Value: sinks.Int(to)})
	}
	id := done.Spans[0].ID
	done.Copy = q.Keys.Damaged(q.Key, id)
	if _, err := send.Put(ctx, sinks.EntityDamaged, sinks.Put{Item: sinks.DamagedCopy(q.Keys, it, id, now), If: once}); err != nil {
		return done, err
	}
	for i := range done.Spans {
		if _, err := send.Put(ctx, sinks.EntityLost, sinks.Put{Item: done.Spans[i].Item(q.Keys), If: once}); err != nil {
			return done, err
		}
	}
	if m.Type.Entity == sinks.EntityLate {
		hours, err := q.markLostHours(ctx, send, m, heads[0], done.Spans[0])
		if done.Spans = append(done.Spans, hours...); err != nil {
			return done, err
		}
	}
	if err := q.replace(ctx, send, m, u, r.remove); err != nil {
		return done, err
	}
	done.Resumed, err = q.resume(ctx, send, number)
	return done, err
}

func (q *Decision) replace(ctx context.Context, send checkpoint.Client, m sinks.Match, u sinks.Update, remove bool) error {
	u.If = onceEach(u.If)
	u.Set = slices.DeleteFunc(u.Set, func(a sinks.Attr) bool { return slices.Contains(u.Remove, a.Name) })
	var answer sinks.Result
	var err error
	if remove {
		answer, err = send.Delete(ctx, sinks.Delete{Key: q.Key, If: u.If})
	} else {
		answer, err = send.Update(ctx, m.Type.Entity, u)
	}
	if err == nil && answer.Refused && answer.Item != nil {
		return errMoved // Or the answer was lost: the item can be read then, and says that it was quarantined.
	}
	if err != nil {
		err = fmt.Errorf("quarantine the item: %w", err)
	}
	return err
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
func (q *Decision) resume(ctx context.Context, send checkpoint.Client, number int64) (resumed []int32, err error) {
	pk, prefix := q.Keys.Checkpoints(number)
	for it, err := range send.Items(ctx, "look for parked partitions", sinks.Query{PK: pk, Prefix: prefix}) {
		if err != nil {
			return resumed, err
		}
		park, err := checkpoint.ReadPark(it)
		m, ok := sinks.Find(it.Key(), it, sinks.DefaultShards)
		if err != nil || park == nil || !ok || m.Type.Entity != sinks.EntityCheckpoint || (sinks.Key{PK: park.PK, SK: park.SK}) != q.Key {
			continue
		}
		if _, err := checkpoint.Resume(ctx, checkpoint.Unparking{Topic: q.Topic, Table: q.Table, Keys: q.Keys,
			Partition: m.Fields.TP.Partition}); err != nil && !errors.Is(err, checkpoint.ErrNotParked) {
			return resumed, err
		}
		resumed = append(resumed, m.Fields.TP.Partition)
	}
	return resumed, nil
}

// ahead returns the attributes with applied marks of steps that their chains have not begun. The item was read before the checkpoints,
// so no step that has begun since is mistaken for one.
func (q *Decision) ahead(ctx context.Context, send checkpoint.Client, m sinks.Match, it sinks.Item) (marks []string, err error) {
	lane := laneOf(m)
	for name, v := range it {
		tp, own := sinks.PartitionOf(m.Type.Entity, name)
		if !own || name != sinks.AttrMark(lane, tp) || v.Kind() != sinks.Number {
			continue
		}
		key := q.Keys.Checkpoint(tp, lane)
		found, err := send.BatchGet(ctx, []sinks.Key{key})
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
