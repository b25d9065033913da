package main

import (
	"context"
	"maps"
	"sync"

	"github.com/footfall/footfall/sinks"
)

// mapTable is a table that keeps everything in a map and answers reads. It costs next to nothing beside what the pipeline does to make
// writes and to take in what it reads. Pages of queries are answered by the table below it, where nothing is but what discard keeps.
type mapTable struct {
	discard
	mu    sync.Mutex // covers items
	items map[sinks.Key]sinks.Item
}

func newMemory(t sinks.Table) sinks.Table {
	return &mapTable{discard: discard{t}, items: make(map[sinks.Key]sinks.Item)}
}

func (m *mapTable) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if kept(u.Key) {
		return m.discard.Update(ctx, u)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	it := m.items[u.Key]
	if !allowed(u.If, it) {
		return sinks.Result{Refused: true, Item: maps.Clone(it)}, nil
	}
	if it == nil {
		it = sinks.Item{sinks.AttrPK: sinks.Str(u.Key.PK), sinks.AttrSK: sinks.Str(u.Key.SK)}
		m.items[u.Key] = it
	}
	for _, a := range u.Add {
		it[a.Name] = sinks.Num(it[a.Name].Num().Plus(a.Value.Num()))
	}
	for _, a := range u.Set {
		it[a.Name] = a.Value
	}
	for _, name := range u.Remove {
		delete(it, name)
	}
	if u.Return {
		return sinks.Result{Item: maps.Clone(it)}, nil
	}
	return sinks.Result{}, nil
}

func (m *mapTable) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	key := p.Item.Key()
	if kept(key) {
		return m.discard.Put(ctx, p)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if it := m.items[key]; !allowed(p.If, it) {
		return sinks.Result{Refused: true, Item: maps.Clone(it)}, nil
	}
	m.items[key] = maps.Clone(p.Item)
	return sinks.Result{}, nil
}

func (m *mapTable) BatchPut(_ context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, it := range items {
		m.items[it.Key()] = it.Item()
	}
	return sinks.BatchResult{}, nil
}

func (m *mapTable) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if kept(g.Keys[0]) {
		return m.discard.BatchGet(ctx, g)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := sinks.BatchResult{Items: make(map[sinks.Key]sinks.Item)}
	for _, k := range g.Keys {
		if it := m.items[k]; it != nil {
			r.Items[k] = maps.Clone(it)
		}
	}
	return r, nil
}

// allowed reports whether all conditions hold for an item, nil if it is absent.
func allowed(conditions []sinks.Cond, it sinks.Item) bool {
	for _, c := range conditions {
		v, present := it[c.Attr]
		var holds bool
		switch c.Op {
		case sinks.Absent:
			holds = !present
		case sinks.Present:
			holds = present
		case sinks.Equal:
			holds = present && v.Equal(c.Value)
		case sinks.AbsentOrLess:
			holds = !present || v.Num().Compare(c.Value.Num()) < 0
		}
		if !holds {
			return false
		}
	}
	return true
}
