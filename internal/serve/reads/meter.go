package reads

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

// A Meter adds up what an answer reads. Safe for concurrent use.
type Meter struct {
	limits Limits

	mu    sync.Mutex // covers all below
	units float64
	items int
}

type meterKey struct{}

// WithMeter returns a context whose reads the meter counts, within limits.
func WithMeter(ctx context.Context, limits Limits) (context.Context, *Meter) {
	m := NewMeter(limits)
	return m.In(ctx), m
}

// NewMeter returns a meter within limits.
func NewMeter(limits Limits) *Meter { return &Meter{limits: limits} }

// In returns a context whose reads the meter counts.
func (m *Meter) In(ctx context.Context) context.Context { return context.WithValue(ctx, meterKey{}, m) }

// MeterOf returns the meter that counts the reads of a context; nil: there is none.
func MeterOf(ctx context.Context) *Meter {
	m, _ := ctx.Value(meterKey{}).(*Meter)
	return m
}

func (m *Meter) add(units float64, items int) error {
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

// Plus adds what a shared read has cost its first caller, beyond all limits: it is over.
func (m *Meter) Plus(units float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.units += units
}

// Read returns the units so far.
func (m *Meter) Read() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.units
}

// metered is a table whose reads are counted by the meter of their context, which also ends them.
type metered struct {
	sinks.Table
	metrics *Metrics
}

// NewMetered returns a table whose reads are counted, also by metrics; nil: by none.
func NewMetered(table sinks.Table, metrics *Metrics) sinks.Table { return metered{table, metrics} }

// Query implements [sinks.Table].
func (t metered) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	page, err := t.Table.Query(ctx, q)
	if limit := t.count(ctx, page.Units, len(page.Items)); err == nil {
		err = limit
	}
	return page, err
}

// BatchGet implements [sinks.Table].
func (t metered) BatchGet(ctx context.Context, b sinks.BatchGet) (sinks.BatchResult, error) {
	read, err := t.Table.BatchGet(ctx, b)
	if limit := t.count(ctx, read.Units, len(read.Items)); err == nil {
		err = limit
	}
	return read, err
}

func (t metered) count(ctx context.Context, units float64, items int) error {
	t.metrics.consumed(access.Of(ctx), units)
	if m := MeterOf(ctx); m != nil {
		return m.add(units, items)
	}
	return nil
}
