package serve

import (
	"context"
	"fmt"
	"sync"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/sinks"
)

// LimitError reports an answer that was given up because it would have read more than is allowed.
type LimitError struct{ what string }

func (e *LimitError) Error() string {
	return "the answer would read more than " + e.what + ": ask for a shorter range, larger buckets or fewer rows"
}

// A meter adds up what an answer reads. Safe for concurrent use.
type meter struct {
	limits Limits

	mu    sync.Mutex // covers all below
	units float64
	items int
}

type meterKey struct{}

// withMeter returns a context whose reads the meter counts, within limits.
func withMeter(ctx context.Context, limits Limits) (context.Context, *meter) {
	m := &meter{limits: limits}
	return context.WithValue(ctx, meterKey{}, m), m
}

func (m *meter) add(units float64, items int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units += units
	m.items += items
	switch {
	case m.units > m.limits.ReadUnits:
		return &LimitError{fmt.Sprintf("%g read units", m.limits.ReadUnits)}
	case m.items > m.limits.Items:
		return &LimitError{fmt.Sprintf("%d items", m.limits.Items)}
	}
	return nil
}

// plus adds what a shared read has cost its first caller, beyond all limits: it is over.
func (m *meter) plus(units float64) {
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

// metered is a table whose reads are counted by the meter of their context, which also ends them.
type metered struct {
	sinks.Table
	metrics *Metrics
}

func (t metered) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := t.Table.Query(ctx, q)
	if limit := t.count(ctx, page.Units, len(page.Items)); err == nil {
		err = limit
	}
	return page, err
}

func (t metered) BatchGet(ctx context.Context, b sinks.BatchGet) (sinks.BatchResult, error) {
	read, err := t.Table.BatchGet(ctx, b)
	if limit := t.count(ctx, read.Units, len(read.Items)); err == nil {
		err = limit
	}
	return read, err
}

func (t metered) count(ctx context.Context, units float64, items int) error {
	t.metrics.consumed(access.Of(ctx), units)
	if m, ok := ctx.Value(meterKey{}).(*meter); ok {
		return m.add(units, items)
	}
	return nil
}
