package serve

import (
	"context"
	"sync"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/sinks"
)

// A meter adds up the read units that an answer consumed. Safe for concurrent use.
type meter struct {
	mu    sync.Mutex // covers units
	units float64
}

type meterKey struct{}

// withMeter returns a context whose reads the meter counts.
func withMeter(ctx context.Context) (context.Context, *meter) {
	m := new(meter)
	return context.WithValue(ctx, meterKey{}, m), m
}

func (m *meter) add(units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units += units
}

// read returns the units so far.
func (m *meter) read() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units
}

// metered is a table whose reads are counted by the meter of their context.
type metered struct {
	sinks.Table
	metrics *Metrics
}

func (t metered) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := t.Table.Query(ctx, q)
	t.count(ctx, page.Units)
	return page, err
}

func (t metered) BatchGet(ctx context.Context, b sinks.BatchGet) (sinks.BatchResult, error) {
	read, err := t.Table.BatchGet(ctx, b)
	t.count(ctx, read.Units)
	return read, err
}

func (t metered) count(ctx context.Context, units float64) {
	t.metrics.consumed(access.Of(ctx), units)
	if m, ok := ctx.Value(meterKey{}).(*meter); ok {
		m.add(units)
	}
}
