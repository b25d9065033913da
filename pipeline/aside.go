package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/sinks"
)

// A part that cannot be read is put aside: uniques, a breakdown, a realtime minute. It decides nothing but itself, so the partition
// goes on with an empty one, and what was lost is on record. Three writes, in this order, each of which may be repeated:
//
//	DAMAGED#item   the copy, put if absent
//	LOST#          the span in the chain's history, put if absent
//	the item       an empty part and the mark of the loss, on condition that what could not be read is unchanged
//
// Who is killed in between leaves the damaged item where it was: the next owner finds it, and the same ids. Who is killed after
// it leaves a part that reads well, under the applied mark that the damaged one had, so a redo does with it what it does with any
// part: it folds the step in where the mark is lower, and leaves the step out where the mark is the step's own. An owner that
// was replaced may put an item aside, too: it knows no more than that its bytes cannot be read, and that is so for each owner.

// damagedPart is the error of a part that can be put aside.
type damagedPart struct {
	*sinks.DamagedError
	kind  string
	site  string
	attrs []string               // that cannot be read
	empty map[string]sinks.Value // what they are replaced by; the others are removed
	lane  string
	mark  string // the attribute of the lane's applied mark
	tp    sinks.TP
	to    int64 // position up to which is lost what the part held
	keep  int64 // the applied mark that the empty part gets; 0: none
	keys  sinks.Keys
	owner string
}

func (d *damagedPart) Unwrap() error { return d.DamagedError }

// asideMost is how often a part is put aside in one load: a second time it was damaged again since.
const asideMost = 3

// filled hands an item to who asked for it. A damaged part is put aside first.
func (l *loader) filled(ctx context.Context, key sinks.Key, it sinks.Item, fill func(sinks.Item) error) error {
	for try := 1; ; try++ {
		err := fill(it)
		part, ok := errors.AsType[*damagedPart](err)
		if !ok || try > asideMost {
			return err
		}
		if it, err = l.putAside(ctx, key, it, part); err != nil {
			return fmt.Errorf("put it aside: %w", err)
		}
		l.send.metrics.PutAside.WithLabelValues(part.kind).Inc()
	}
}

// putAside replaces what cannot be read of an item, and returns the item as it is then: replaced, by us or by another, or changed since
// it was read.
func (l *loader) putAside(ctx context.Context, key sinks.Key, it sinks.Item, d *damagedPart) (sinks.Item, error) {
	id := sinks.LostID(it, key, append([]string{d.mark}, d.attrs...), d.to)
	now := time.Now().UnixMilli()
	once := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
	if _, err := l.send.put(ctx, l.pulse, sinks.EntityDamaged, sinks.Put{Item: sinks.DamagedCopy(d.keys, it, id, now), If: once}); err != nil {
		return nil, err
	}
	span := sinks.LostSpan{Key: key, Kind: d.kind, Site: d.site, Attrs: d.attrs, TP: d.tp, Lane: d.lane, To: d.to, Step: d.keep, At: now, By: d.owner, ID: id}
	if !plant.AsideUnrecorded {
		if _, err := l.send.put(ctx, l.pulse, sinks.EntityLost, sinks.Put{Item: span.Item(d.keys), If: once}); err != nil {
			return nil, err
		}
	}
	r, err := l.send.update(ctx, l.pulse, d.kind, d.replacement(key, it))
	if err != nil {
		return nil, err
	}
	return r.Item, nil
}

// replacement is the update that puts an empty part in the place of one that cannot be read.
func (d *damagedPart) replacement(key sinks.Key, it sinks.Item) sinks.Update {
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
	case d.keep > 0 && !plant.AsideUnmarked:
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

// lost says up to which position is lost what a part with that applied mark held, and under which mark it goes on. A mark that cannot
// be read may be any up to the last step's: the empty part gets the highest, so that no late request of an earlier step is applied to
// it, and so that a redo leaves its own step out. ours is false where the mark is one that this owner cannot have met.
func (l *lane) lost(mark sinks.Value) (to, keep int64, ours bool) {
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
		return l.chain.head.To, keep, true // Nothing of the lane is under way: its head does not move.
	case l.redo:
		return l.chain.head.From, keep, true
	case l.records > 0:
		return l.from, keep, true
	}
	return l.pos, keep, true
}

// damaged makes the error of a part that cannot be read. faults are its attributes that cannot be, and what is wrong with the first.
func (p *place) damaged(kind, site string, key sinks.Key, it sinks.Item, attrs []string, cause error, empty map[string]sinks.Value) error {
	to, keep, ours := p.lost(it[p.mark])
	if !ours {
		return nil // Its mark is ahead: who reads on finds another owner, or a table that is not the chain's.
	}
	return &damagedPart{DamagedError: &sinks.DamagedError{Key: key, Attr: attrs[0], Err: cause}, kind: kind, site: site, attrs: attrs, empty: empty,
		lane: p.lane, mark: p.mark, tp: p.tp, to: to, keep: keep, keys: p.keys, owner: p.owner}
}
