package schema_test

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// written is that an attribute of a type of item was written in a way.
type written struct {
	item, attribute string
	how             sinks.How
}

// noted is a way in which attributes of an item were written.
type noted struct {
	key sinks.Key
	how sinks.How
}

// recorder remembers what was written, and how.
type recorder struct {
	sinks.Table
	mu    sync.Mutex // covers all below
	keys  map[sinks.Key]bool
	wrote map[noted]map[string]bool // by attribute
}

func newRecorder(table sinks.Table) *recorder {
	return &recorder{Table: table, keys: make(map[sinks.Key]bool), wrote: make(map[noted]map[string]bool)}
}

func (r *recorder) note(key sinks.Key, names []string, how sinks.How) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keys[key] = true
	at := noted{key, how}
	if r.wrote[at] == nil {
		r.wrote[at] = make(map[string]bool)
	}
	for _, name := range names {
		r.wrote[at][name] = true
	}
}

// ways are those of each type of item. Where the key does not say the type, the items are looked at themselves.
func (r *recorder) ways() map[written]bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	ways := make(map[written]bool)
	for at, names := range r.wrote {
		m, ok := sinks.Find(at.key, nil, sinks.DefaultShards)
		if !ok {
			continue
		}
		for name := range names {
			if a, _, ok := m.Type.Attribute(name); ok {
				ways[written{m.Type.Name, a.Name, at.how}] = true
			}
		}
	}
	return ways
}

func (r *recorder) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	add, set := sinks.PlainAdd, sinks.PlainSet
	for _, c := range u.If {
		switch c.Op {
		case sinks.AbsentOrLess:
			if add, set = sinks.GuardedAdd, sinks.GuardedSet; c.Attr == sinks.AttrLastUsedOn || c.Attr == checkpoint.AttrMerged {
				set = sinks.SetNewer
			}
		case sinks.Equal, sinks.Absent:
			add, set = sinks.CompareAndAdd, sinks.CompareAndSet
		}
	}
	names := func(attrs []sinks.Attr) (names []string) {
		for _, a := range attrs {
			names = append(names, a.Name)
		}
		return names
	}
	if set == sinks.CompareAndSet { // The replacement of a quarantined attribute is written in other ways, too.
		for _, name := range names(u.Set) {
			if m, ok := sinks.Find(u.Key, nil, sinks.DefaultShards); ok {
				if _, tp, _ := m.Type.Attribute(name); name == sinks.AttrLost(tp) {
					r.note(u.Key, []string{name}, sinks.SetQuarantined)
					return r.Table.Update(ctx, u)
				}
			}
		}
	}
	r.note(u.Key, names(u.Add), add)
	r.note(u.Key, names(u.Set), set)
	return r.Table.Update(ctx, u)
}

func (r *recorder) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	how := sinks.PutWhole
	switch {
	case len(p.If) > 0 && p.If[0].Attr == sinks.AttrVersion && p.If[0].Op == sinks.Equal:
		how = sinks.PutVersion
	case len(p.If) != 1:
	case p.If[0].Attr == sinks.AttrPK && p.If[0].Op == sinks.Absent:
		how = sinks.PutOnce
	case p.If[0].Attr == sinks.AttrRev && p.If[0].Op == sinks.AbsentOrLess:
		how = sinks.PutNewer
	case p.If[0].Attr == sinks.AttrMarks || p.If[0].Attr == sinks.AttrDays:
		how = sinks.PutSealed
	}
	r.note(p.Item.Key(), slices.Collect(maps.Keys(p.Item)), how)
	return r.Table.Put(ctx, p)
}

func (r *recorder) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	for _, it := range items {
		r.note(it.Key(), slices.Collect(maps.Keys(it.Item())), sinks.BatchWritten)
	}
	return r.Table.BatchPut(ctx, items)
}
