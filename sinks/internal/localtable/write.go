package localtable

import (
	"fmt"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// Update applies an update that has passed its check to an item, which it changes; nil: the item is absent. It returns the item to
// store, unless the update is refused, and the answer.
func Update(u sinks.Update, it sinks.Item) (sinks.Item, sinks.Result, error) {
	before, was := it.Size(), consumed.IndexKeyOf(it)
	if !holds(u.If, it) {
		return nil, refusal(it), nil
	}
	if it == nil {
		it = sinks.Item{sinks.AttrPK: sinks.Str(u.Key.PK), sinks.AttrSK: sinks.Str(u.Key.SK)}
	}
	for _, a := range u.Add {
		v, there := it[a.Name]
		if there && v.Kind() != sinks.Number {
			return nil, sinks.Result{}, fmt.Errorf("attribute %s is no number: nothing can be added to it", a.Name)
		}
		sum := v.Num().Plus(a.Value.Num())
		if err := checkNumber(a.Name, sum); err != nil {
			return nil, sinks.Result{}, err
		}
		it[a.Name] = sinks.Num(sum)
	}
	for _, a := range u.Set {
		it[a.Name] = a.Value
	}
	for _, name := range u.Remove {
		delete(it, name)
	}
	after, err := checkSize(it)
	if err != nil {
		return nil, sinks.Result{}, err
	}
	r := sinks.Result{Units: consumed.WriteUnits(max(before, after)) + consumed.IndexUnits(u.Key, was, consumed.IndexKeyOf(it))}
	if u.Return {
		r.Item = it
	}
	return it, r, nil
}

// Create is Update for an item that is absent, as a list that is the caller's.
func Create(u sinks.Update) (sinks.Attrs, sinks.Result, error) {
	if !holds(u.If, nil) {
		return nil, refusal(nil), nil
	}
	as := make(sinks.Attrs, 0, 2+len(u.Add)+len(u.Set))
	as = append(as, sinks.Attr{Name: sinks.AttrPK, Value: sinks.Str(u.Key.PK)}, sinks.Attr{Name: sinks.AttrSK, Value: sinks.Str(u.Key.SK)})
	as = append(append(as, u.Add...), u.Set...)
	size := 0
	for _, a := range as {
		size += a.Size()
	}
	if size > sinks.MaxItemBytes {
		_, err := checkSize(as.Item())
		return nil, sinks.Result{}, err
	}
	index := sinks.Key{PK: as.Value(sinks.AttrGSI1PK).Str(), SK: as.Value(sinks.AttrGSI1SK).Str()}
	r := sinks.Result{Units: consumed.WriteUnits(size) + consumed.IndexUnits(u.Key, sinks.Key{}, index)}
	if u.Return {
		r.Item = as.Item()
	}
	return as, r, nil
}

// Put answers a put that has passed its check, of an item in place of was; nil: it was absent. It is to be stored unless it is refused.
func Put(p sinks.Put, was sinks.Item) sinks.Result {
	if !holds(p.If, was) {
		return refusal(was)
	}
	index := consumed.IndexUnits(p.Item.Key(), consumed.IndexKeyOf(was), consumed.IndexKeyOf(p.Item))
	return sinks.Result{Units: consumed.WriteUnits(max(was.Size(), p.Item.Size())) + index}
}

// Delete answers a delete that has passed its check, of an item; nil: it is absent.
func Delete(d sinks.Delete, it sinks.Item) sinks.Result {
	if !holds(d.If, it) {
		return refusal(it)
	}
	return sinks.Result{Units: consumed.WriteUnits(it.Size()) + consumed.IndexUnits(d.Key, consumed.IndexKeyOf(it), sinks.Key{})}
}

func refusal(it sinks.Item) sinks.Result {
	return sinks.Result{Refused: true, Item: it, Units: consumed.WriteUnits(it.Size())}
}

// BatchPut checks the items of a batch, and returns them to be stored, with the write units. These leave out what an item that is
// replaced was larger by.
func BatchPut(batch []sinks.Attrs) (items []sinks.Item, units float64, err error) {
	if len(batch) > sinks.MaxBatchPut {
		return nil, 0, fmt.Errorf("a batch has %d items at most: split it", sinks.MaxBatchPut)
	}
	seen := make(map[sinks.Key]bool, len(batch))
	for _, as := range batch {
		it := as.Item()
		if err := checkItem(it); err != nil {
			return nil, 0, err
		}
		size, err := checkSize(it)
		if err != nil {
			return nil, 0, err
		}
		k := it.Key()
		if seen[k] {
			return nil, 0, fmt.Errorf("key %s / %s is in the batch twice", k.PK, k.SK)
		}
		seen[k] = true
		items = append(items, it)
		units += consumed.WriteUnits(size) + consumed.IndexUnits(k, sinks.Key{}, consumed.IndexKeyOf(it))
	}
	return items, units, nil
}

// holds reports whether all conditions hold on an item, nil if absent.
func holds(conds []sinks.Cond, it sinks.Item) bool {
	for _, c := range conds {
		v, there := it[c.Attr]
		var ok bool
		switch c.Op {
		case sinks.Absent:
			ok = !there
		case sinks.Present:
			ok = there
		case sinks.Equal:
			ok = there && v.Equal(c.Value)
		case sinks.AbsentOrLess:
			ok = !there || v.Kind() == sinks.Number && v.Num().Compare(c.Value.Num()) < 0
		}
		if !ok {
			return false
		}
	}
	return true
}
