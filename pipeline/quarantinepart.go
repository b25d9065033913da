package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/sinks"
)

// The owner of a partition quarantines a part that it cannot read: uniques, a breakdown or a realtime minute. A part decides nothing
// but itself, so the partition continues with an empty one, and the chain's history names the lost span. A quarantine is three
// writes, in this order. Each of them may be repeated:
//
//	DAMAGED#item   the copy, put if absent
//	LOST#          the lost span in the chain's history, put if absent
//	the item       an empty part and the mark of the loss, on condition that what could not be read is unchanged
//
// An owner that is killed before the last write leaves the damaged item in place. The next owner quarantines it under the same ids.
// An owner that is killed after the last write leaves a readable part under the applied mark of the damaged one. A redo treats it
// as any part: it folds the step in if the mark is lower, and leaves the step out if the mark is the step's own. An owner that was
// replaced may quarantine a part, too: its bytes cannot be read by any owner.

// damagedPart is the error of a part that can be quarantined.
type damagedPart struct {
	*sinks.DamagedError
	kind  string
	site  string
	attrs []string               // that cannot be read
	empty map[string]sinks.Value // what they are replaced by; the others are removed
	lane  string
	mark  string // the attribute of the lane's applied mark
	tp    sinks.TP
	to    int64 // end of the lost span, a position, exclusive
	keep  int64 // the applied mark that the empty part gets; 0: none
	keys  sinks.Keys
	owner string
}

func (d *damagedPart) Unwrap() error { return d.DamagedError }

// quarantineTries is how often one load quarantines a part. A second time, the part has been damaged again since.
const quarantineTries = 3

// filled hands an item to fill. A damaged part is quarantined first.
func (l *loader) filled(ctx context.Context, key sinks.Key, it sinks.Item, to aggregate.Filler) error {
	for try := 1; ; try++ {
		err := to.Fill(it)
		part, ok := errors.AsType[*damagedPart](err)
		if !ok || try > quarantineTries {
			return err
		}
		if it, err = l.quarantine(ctx, key, it, part); err != nil {
			return fmt.Errorf("quarantine it: %w", err)
		}
		l.send.metrics.Quarantined.WithLabelValues(part.kind).Inc()
	}
}

// quarantine replaces the attributes of an item that cannot be read. It returns the item as it is in the table afterwards: replaced, by
// this owner or another, or changed since it was read.
func (l *loader) quarantine(ctx context.Context, key sinks.Key, it sinks.Item, d *damagedPart) (sinks.Item, error) {
	id := sinks.LostID(it, key, append([]string{d.mark}, d.attrs...), d.to)
	now := time.Now().UnixMilli()
	once := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	if _, err := l.send.put(ctx, l.pulse, sinks.EntityDamaged, sinks.Put{Item: sinks.DamagedCopy(d.keys, it, id, now), If: once}); err != nil {
		return nil, err
	}
	span := sinks.LostSpan{Key: key, Kind: d.kind, Site: d.site, Attrs: d.attrs, TP: d.tp, Lane: d.lane, To: d.to, Step: d.keep, At: now,
		By: d.owner, ID: id}
	if _, err := l.send.put(ctx, l.pulse, sinks.EntityLost, sinks.Put{Item: span.Item(d.keys), If: once}); err != nil {
		return nil, err
	}
	r, err := l.send.update(ctx, l.pulse, d.kind, d.emptied(key, it))
	if err != nil {
		return nil, err
	}
	return r.Item, nil
}

// emptied is the update that puts an empty part in the place of one that cannot be read.
func (d *damagedPart) emptied(key sinks.Key, it sinks.Item) sinks.Update {
	u := sinks.Update{Key: key, Return: true, Set: []sinks.Attr{
		{Name: sinks.AttrLost(d.tp), Value: sinks.Int(d.to)},
		{Name: sinks.AttrEntity, Value: sinks.Str(d.kind)}, {Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)}}}
	for _, name := range d.attrs {
		switch v, ok := d.empty[name]; {
		case name == d.mark:
		case ok:
			u.Set = append(u.Set, sinks.Attr{Name: name, Value: v})
		case it[name].Kind() != sinks.None:
			u.Remove = append(u.Remove, name)
		}
	}
	switch {
	case d.keep > 0:
		u.Set = append(u.Set, sinks.Attr{Name: d.mark, Value: sinks.Int(d.keep)})
	case it[d.mark].Kind() != sinks.None:
		u.Remove = append(u.Remove, d.mark)
	}
	as := append(slices.Clone(d.attrs), d.mark)
	slices.Sort(as)
	for _, name := range slices.Compact(as) {
		c := sinks.Cond{Attr: name, Op: sinks.Equal, Value: it[name]}
		if it[name].Kind() == sinks.None {
			c = sinks.Cond{Attr: name, Op: sinks.Absent}
		}
		u.If = append(u.If, c)
	}
	return u
}

// lostSpan returns the end of the lost span of a damaged part, and the applied mark of the empty part that replaces it. An unreadable
// mark may have been any up to the last step's. The empty part then gets the highest: no late request of an earlier step is applied
// to it, and a redo leaves its own step out. ours is false if the mark is ahead of every step of this owner.
func (l *lane) lostSpan(mark sinks.Value) (to, keep int64, ours bool) {
	readable := mark.Kind() == sinks.Number && mark.Int() > 0
	step := l.step
	if !l.redo {
		step--
	}
	if readable && mark.Int() > step {
		return 0, 0, false
	}
	if !readable {
		keep = step
	} else {
		keep = mark.Int()
	}
	switch {
	case l.redo && keep == l.step:
		return l.chain.Head.To, keep, true // Nothing of the lane is under way: its head does not move.
	case l.redo:
		return l.chain.Head.From, keep, true
	case l.records > 0:
		return l.from, keep, true
	}
	return l.pos, keep, true
}

// damaged makes the errors of the lane's parts that cannot be read.
func (l *lane) damaged(keys sinks.Keys, tp sinks.TP, owner string) func(damage.BadPart) error {
	mark := sinks.AttrMark(l.name, tp)
	return func(p damage.BadPart) error {
		to, keep, ours := l.lostSpan(p.Item[mark])
		if !ours {
			return nil // Its mark is ahead: the load finds out whether there is another owner or the table is not the chain's.
		}
		return &damagedPart{DamagedError: &sinks.DamagedError{Key: p.Key, Attr: p.Attrs[0], Err: p.Cause}, kind: p.Kind, site: p.Site,
			attrs: p.Attrs, empty: p.Empty, lane: l.name, mark: mark, tp: tp, to: to, keep: keep, keys: keys, owner: owner}
	}
}
