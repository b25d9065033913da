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

// attempt is one try to quarantine the item as it was read.
type attempt struct {
	*Decision
	send   checkpoint.Client
	match  sinks.Match
	item   sinks.Item
	number int64 // of the topic
	done   Result
}

// once finds what is unreadable, takes over the chains that have a part in it, keeps a copy, and puts the replacement.
func (a *attempt) once(ctx context.Context) (Result, error) {
	r, err := a.inspect(ctx)
	if err != nil {
		return a.done, err
	}
	if len(r.attrs) == 0 {
		return a.done, a.readable(ctx)
	}
	a.done.Attrs, a.done.Removed = r.attrs, r.remove
	u, first, err := a.lose(ctx, r)
	if err != nil {
		return a.done, err
	}
	if err := a.record(ctx, first); err != nil {
		return a.done, err
	}
	if err := a.replace(ctx, u, r.remove); err != nil {
		return a.done, err
	}
	a.done.Resumed, err = a.resume(ctx)
	return a.done, err
}

// inspect finds the unreadable attributes, and what replaces the item.
func (a *attempt) inspect(ctx context.Context) (r replacement, err error) {
	var ok bool
	if a.number, ok, err = a.send.Topic(ctx, a.Keys, a.Topic); err != nil || !ok {
		return r, errors.Join(err, fmt.Errorf("no pipeline has written topic %q to this table", a.Topic))
	}
	ahead, err := a.ahead(ctx)
	if err != nil {
		return r, err
	}
	return a.replacementOf(ctx, ahead)
}

// readable continues the partitions that wait for a readable item. It returns ErrReadable unless an earlier run has quarantined the item
// or there is none any more.
func (a *attempt) readable(ctx context.Context) (err error) {
	if a.done.Absent = a.absent(); a.done.Absent && a.match.Type.Entity == sinks.EntityCheckpoint {
		return ErrNoCheckpoint
	}
	before := a.before()
	if a.done.Resumed, err = a.resume(ctx); err != nil {
		return err
	}
	if !before && len(a.done.Resumed) == 0 {
		return ErrReadable
	}
	a.done.Again = !a.done.Absent
	return nil
}

// absent reports whether there is no item under the key.
func (a *attempt) absent() bool { return len(a.item) == 2 }

// before reports whether an earlier run has quarantined the item or removed it.
func (a *attempt) before() bool {
	for name := range a.item {
		if tp, known := sinks.PartitionOf(a.match.Type.Entity, name); known && name == sinks.AttrLost(tp) {
			return true
		}
	}
	return a.absent()
}

// lose determines the lost span of each chain that has a part in the item, and returns the update that puts the replacement, and the
// checkpoint of the first chain.
func (a *attempt) lose(ctx context.Context, r replacement) (u sinks.Update, first checkpoint.Head, err error) {
	now, owner, lane := time.Now().UnixMilli(), checkpoint.OwnerQuarantine+checkpoint.OwnerName(), laneOf(a.match)
	u = sinks.Update{Key: a.Key, Set: r.set, Remove: r.clear, If: unchanged(a.item, append(slices.Clone(r.attrs), r.also...))}
	for i, tp := range r.chains {
		head, err := a.head(ctx, tp, r.fence, owner)
		if err != nil {
			return u, first, err
		}
		if i == 0 {
			first = head
		}
		mark := sinks.AttrMark(lane, tp)
		to, keep := r.lostSpan(head, a.item[mark])
		a.done.Spans = append(a.done.Spans, sinks.LostSpan{ID: sinks.LostID(a.item, a.Key, r.attrs, to), Key: a.Key, Kind: a.match.Type.Entity,
			Site: a.match.Fields.Site, Attrs: r.attrs, TP: tp, Lane: lane, To: to, Step: keep, At: now, By: owner})
		if a.match.Type.Marked != "" || a.match.Type.Entity == sinks.EntityNewSites {
			u.If = append(u.If, unchanged(a.item, []string{mark})...)
			if keep > 0 {
				u.Set = append(u.Set, sinks.Attr{Name: mark, Value: sinks.Int(keep)})
			} else {
				u.Remove = append(u.Remove, mark)
			}
		}
		u.Set = append(u.Set, sinks.Attr{Name: sinks.AttrLost(tp), Value: sinks.Int(to)})
	}
	return u, first, nil
}

// head returns the checkpoint of a chain, taken over if fence is set. A damaged checkpoint that is itself the item reads as far as it can.
func (a *attempt) head(ctx context.Context, tp sinks.TP, fence bool, owner string) (checkpoint.Head, error) {
	key := a.Keys.Checkpoint(tp, laneOf(a.match))
	if fence {
		c, err := checkpoint.Acquire(ctx, a.send, key, checkpoint.Owner{Name: owner})
		if err != nil {
			return checkpoint.Head{}, err
		}
		return c.Head, nil
	}
	found, err := a.send.BatchGet(ctx, []sinks.Key{key})
	if err != nil {
		return checkpoint.Head{}, err
	}
	head, err := checkpoint.ReadHead(found[key])
	if a.match.Type.Entity == sinks.EntityCheckpoint {
		err = nil
	}
	return head, err
}

// record keeps a copy of the damaged item, and each lost span in the history of its chain. first is the checkpoint of the first chain.
func (a *attempt) record(ctx context.Context, first checkpoint.Head) error {
	once := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	span := a.done.Spans[0]
	a.done.Copy = a.Keys.Damaged(a.Key, span.ID)
	put := sinks.Put{Item: sinks.DamagedCopy(a.Keys, a.item, span.ID, span.At), If: once}
	if _, err := a.send.Put(ctx, sinks.EntityDamaged, put); err != nil {
		return err
	}
	for _, lost := range a.done.Spans {
		if _, err := a.send.Put(ctx, sinks.EntityLost, sinks.Put{Item: lost.Item(a.Keys), If: once}); err != nil {
			return err
		}
	}
	if a.match.Type.Entity != sinks.EntityLate {
		return nil
	}
	hours, err := a.markLostHours(ctx, first, span)
	a.done.Spans = append(a.done.Spans, hours...)
	return err
}

// replace puts the replacement, or removes the item, if the unreadable attributes are unchanged.
func (a *attempt) replace(ctx context.Context, u sinks.Update, remove bool) error {
	u.If = onceEach(u.If)
	u.Set = slices.DeleteFunc(u.Set, func(a sinks.Attr) bool { return slices.Contains(u.Remove, a.Name) })
	var answer sinks.Result
	var err error
	if remove {
		answer, err = a.send.Delete(ctx, sinks.Delete{Key: a.Key, If: u.If})
	} else {
		answer, err = a.send.Update(ctx, a.match.Type.Entity, u)
	}
	if err == nil && answer.Refused && answer.Item != nil {
		return errMoved // Or the answer was lost: the item can be read then, and says that it was quarantined.
	}
	if err != nil {
		err = fmt.Errorf("quarantine the item: %w", err)
	}
	return err
}

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
