package rebuild

import (
	"context"
	"fmt"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/footfall/footfall/sinks"
)

// metered is a table that counts consumed units. It limits write units per second, on average over a second. A write waits for one unit.
// If it consumes more, the next write waits for the rest.
type metered struct {
	sinks.Table
	units *rate.Limiter // nil: unlimited

	mu            sync.Mutex // covers the rest
	writes, reads float64
}

// newMetered makes a table with a limit of write units per second; 0: unlimited.
func newMetered(table sinks.Table, units int) *metered {
	if units <= 0 {
		return &metered{Table: table}
	}
	return &metered{Table: table, units: rate.NewLimiter(rate.Limit(units), max(units, sinks.MaxBatchPut))}
}

func (m *metered) written() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writes
}

func (m *metered) read() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.reads
}

// wait waits for units. Where the context would end before, the table refuses as a store does that lacks capacity.
func (m *metered) wait(ctx context.Context, units int) error {
	if m.units == nil {
		return nil
	}
	err := m.units.WaitN(ctx, units)
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", sinks.ErrThrottled, err)
	}
	return err
}

// took counts the units of a write, and owes those beyond what was waited for.
func (m *metered) took(units float64, waited int) {
	m.mu.Lock()
	m.writes += units
	m.mu.Unlock()
	if m.units == nil {
		return
	}
	for n := int(math.Ceil(units)) - waited; n > 0; n -= m.units.Burst() {
		m.units.ReserveN(time.Now(), min(n, m.units.Burst()))
	}
}

func (m *metered) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if err := m.wait(ctx, 1); err != nil {
		return sinks.Result{}, err
	}
	r, err := m.Table.Update(ctx, u)
	m.took(r.Units, 1)
	return r, err
}

func (m *metered) Put(ctx context.Context, put sinks.Put) (sinks.Result, error) {
	if err := m.wait(ctx, 1); err != nil {
		return sinks.Result{}, err
	}
	r, err := m.Table.Put(ctx, put)
	m.took(r.Units, 1)
	return r, err
}

func (m *metered) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	if err := m.wait(ctx, 1); err != nil {
		return sinks.Result{}, err
	}
	r, err := m.Table.Delete(ctx, d)
	m.took(r.Units, 1)
	return r, err
}

func (m *metered) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	if err := m.wait(ctx, len(items)); err != nil {
		return sinks.BatchResult{}, err
	}
	r, err := m.Table.BatchPut(ctx, items)
	m.took(r.Units, len(items))
	return r, err
}

func (m *metered) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	r, err := m.Table.BatchGet(ctx, g)
	m.looked(r.Units)
	return r, err
}

func (m *metered) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := m.Table.Query(ctx, q)
	m.looked(page.Units)
	return page, err
}

func (m *metered) looked(units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads += units
}
