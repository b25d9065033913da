package sinks

import (
	"slices"
	"strings"
)

// entityKinds are the kinds of the attributes of an entity's items. They are looked at whenever a state is read.
type entityKinds struct {
	byName map[string]Kind // names and templates of names, but for those with a partition
	each   []partitionKind
}

// partitionKind is an attribute that each partition has of an item.
type partitionKind struct {
	prefix, suffix string
	kind           Kind
}

var kinds = func() map[string]*entityKinds {
	all := make(map[string]*entityKinds)
	for i := range catalogue {
		t := &catalogue[i]
		of := all[t.Entity]
		if of == nil {
			of = &entityKinds{byName: make(map[string]Kind)}
			all[t.Entity] = of
		}
		for _, a := range slices.Concat(t.Attributes, t.Common()) {
			if prefix, suffix, each := strings.Cut(a.Name, tpPlaceholder); each {
				if k := (partitionKind{prefix, suffix, a.Kind}); !slices.Contains(of.each, k) {
					of.each = append(of.each, k)
				}
			} else if a.Name != wasAttribute {
				of.byName[a.Name] = a.Kind
			}
		}
	}
	return all
}()

// of returns the kind of an attribute and its partition; shared is true if all partitions share it. ok is false if items of the
// entity have no such attribute.
func (e *entityKinds) of(name string) (kind Kind, tp TP, shared, ok bool) {
	if e == nil {
		return 0, TP{}, false, false
	}
	if kind, ok = e.byName[name]; ok {
		return kind, TP{}, true, true
	}
	for _, a := range e.each {
		if len(name) <= len(a.prefix)+len(a.suffix) || !strings.HasPrefix(name, a.prefix) || !strings.HasSuffix(name, a.suffix) {
			continue
		}
		if tp, err := ParseTP(name[len(a.prefix) : len(name)-len(a.suffix)]); err == nil && a.prefix+tp.String()+a.suffix == name {
			return a.kind, tp, false, true
		}
	}
	kind, ok = e.byName[sumTemplate(name)]
	return kind, TP{}, true, ok
}

// WrongKinds returns the attributes of an item whose kind is not the one that the entity has them with, in the order of their names.
// Attributes that the entity does not have are left out.
func WrongKinds(entity string, it Item) (wrong []string) {
	e := kinds[entity]
	for name, v := range it {
		if kind, _, _, ok := e.of(name); ok && v.Kind() != kind {
			wrong = append(wrong, name)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// CheckKinds returns a DamagedError if an attribute of an item has another kind than the item's entity has it with. Read as the right
// kind, it would be zero.
func CheckKinds(it Item) error {
	if wrong := WrongKinds(it[AttrEntity].Str(), it); len(wrong) > 0 {
		return Damaged(it.Key(), wrong[0], ErrKind)
	}
	return nil
}

// PartitionOf returns the partition that an attribute of an entity's items belongs to; ok is false if partitions share it.
func PartitionOf(entity, name string) (tp TP, ok bool) {
	_, tp, shared, ok := kinds[entity].of(name)
	return tp, ok && !shared
}
