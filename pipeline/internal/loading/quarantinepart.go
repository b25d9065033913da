package loading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/pipeline/aggregate"
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

// DamagedPart is the error of a part that can be quarantined.
type DamagedPart struct {
	*sinks.DamagedError
	Kind  string
	Site  string
	Attrs []string               // that cannot be read
	Empty map[string]sinks.Value // what they are replaced by; the others are removed
	Lane  string
	Mark  string // the attribute of the lane's applied mark
	Tp    sinks.TP
	To    int64 // end of the lost span, a position, exclusive
	Keep  int64 // the applied mark that the empty part gets; 0: none
	Keys  sinks.Keys
	Owner string
}

// Unwrap returns the error of the item.
func (d *DamagedPart) Unwrap() error { return d.DamagedError }

// quarantineTries is how often one load quarantines a part. A second time, the part has been damaged again since.
const quarantineTries = 3

// filled hands an item to fill. A damaged part is quarantined first.
func (l *Loader) filled(ctx context.Context, key sinks.Key, it sinks.Item, to aggregate.Filler) error {
	for try := 1; ; try++ {
		err := to.Fill(it)
		part, ok := errors.AsType[*DamagedPart](err)
		if !ok || try > quarantineTries {
			return err
		}
		if it, err = l.quarantine(ctx, key, it, part); err != nil {
			return fmt.Errorf("quarantine it: %w", err)
		}
		l.send.Metrics.Quarantined.WithLabelValues(part.Kind).Inc()
	}
}

// quarantine replaces the attributes of an item that cannot be read. It returns the item as it is in the table afterwards: replaced, by
// this owner or another, or changed since it was read.
func (l *Loader) quarantine(ctx context.Context, key sinks.Key, it sinks.Item, d *DamagedPart) (sinks.Item, error) {
	id := sinks.LostID(it, key, append([]string{d.Mark}, d.Attrs...), d.To)
	now := time.Now().UnixMilli()
	once := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	if _, err := l.send.Put(ctx, l.pulse, sinks.EntityDamaged, sinks.Put{Item: sinks.DamagedCopy(d.Keys, it, id, now), If: once}); err != nil {
		return nil, err
	}
	span := sinks.LostSpan{Key: key, Kind: d.Kind, Site: d.Site, Attrs: d.Attrs, TP: d.Tp, Lane: d.Lane, To: d.To, Step: d.Keep, At: now,
		By: d.Owner, ID: id}
	if _, err := l.send.Put(ctx, l.pulse, sinks.EntityLost, sinks.Put{Item: span.Item(d.Keys), If: once}); err != nil {
		return nil, err
	}
	r, err := l.send.Update(ctx, l.pulse, d.Kind, d.emptied(key, it))
	if err != nil {
		return nil, err
	}
	return r.Item, nil
}

// emptied is the update that puts an empty part in the place of one that cannot be read.
func (d *DamagedPart) emptied(key sinks.Key, it sinks.Item) sinks.Update {
	u := sinks.Update{Key: key, Return: true, Set: []sinks.Attr{
		{Name: sinks.AttrLost(d.Tp), Value: sinks.Int(d.To)},
		{Name: sinks.AttrEntity, Value: sinks.Str(d.Kind)}, {Name: sinks.AttrSchema, Value: sinks.Int(sinks.SchemaVersion)}}}
	for _, name := range d.Attrs {
		switch v, ok := d.Empty[name]; {
		case name == d.Mark:
		case ok:
			u.Set = append(u.Set, sinks.Attr{Name: name, Value: v})
		case it[name].Kind() != sinks.None:
			u.Remove = append(u.Remove, name)
		}
	}
	switch {
	case d.Keep > 0:
		u.Set = append(u.Set, sinks.Attr{Name: d.Mark, Value: sinks.Int(d.Keep)})
	case it[d.Mark].Kind() != sinks.None:
		u.Remove = append(u.Remove, d.Mark)
	}
	as := append(slices.Clone(d.Attrs), d.Mark)
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
