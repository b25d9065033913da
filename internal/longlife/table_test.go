package longlife

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/memory"
)

// metered is a table that adds up the units it is asked for, and notes which partition keys have been written.
type metered struct {
	*memory.Table
	mu   sync.Mutex // covers what is below
	took reads
	keys map[string]bool // partition keys
}

// reads are what was read of a table.
type reads struct {
	units    float64
	requests int
	items    int
}

func (m *metered) wrote(keys ...sinks.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, k := range keys {
		m.keys[k.PK] = true
	}
}

func (m *metered) read(units float64, items int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.took.units += units
	m.took.items += items
	m.took.requests++
}

// Sweep hides that of the table: only a table that expires items by itself has one.
func (m *metered) Sweep() {}

func (m *metered) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	m.wrote(u.Key)
	return m.Table.Update(ctx, u)
}

func (m *metered) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	m.wrote(p.Item.Key())
	return m.Table.Put(ctx, p)
}

func (m *metered) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	for _, it := range items {
		m.wrote(it.Key())
	}
	return m.Table.BatchPut(ctx, items)
}

func (m *metered) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := m.Table.BatchGet(ctx, g)
	m.read(r.Units, len(r.Items))
	return r, err
}

func (m *metered) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	p, err := m.Table.Query(ctx, q)
	m.read(p.Units, len(p.Items))
	return p, err
}

// spent returns what f reads.
func (m *metered) spent(f func()) reads {
	m.mu.Lock()
	m.took = reads{}
	m.mu.Unlock()
	f()
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.took
}

// expire deletes the items whose time to live has passed.
func (m *metered) expire(t *testing.T) {
	t.Helper()
	for {
		n, err := m.Table.Sweep(t.Context(), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if n < memory.MaxSweep {
			return
		}
	}
}

// size is what the table holds of a kind of item.
type size struct{ items, bytes, largest int }

// sizes returns the sizes by entity.
func (m *metered) sizes(t *testing.T) map[string]size {
	t.Helper()
	all := make(map[string]size)
	for pk := range m.keys {
		for it, err := range sinks.Items(t.Context(), m.Table, sinks.Query{PK: pk, Consistent: true}) {
			if err != nil {
				t.Fatal(err)
			}
			s := all[it[sinks.AttrEntity].Str()]
			n := it.Size()
			s.items, s.bytes, s.largest = s.items+1, s.bytes+n, max(s.largest, n)
			all[it[sinks.AttrEntity].Str()] = s
		}
	}
	return all
}
