package testpipeline

import (
	"context"
	"sync/atomic"

	"github.com/footfall/footfall/sinks"
)

// Mortal is a table whose process dies after a number of requests, or of writes alone.
type Mortal struct {
	sinks.Table
	Left       atomic.Int64 // requests that are answered; each after them is ErrKilled
	WritesOnly bool         // reads are not counted, and are always answered
}

// NewMortal returns a table whose process dies after a number of requests.
func NewMortal(table sinks.Table, requests int) *Mortal {
	m := &Mortal{Table: table}
	m.Left.Store(int64(requests))
	return m
}

func (m *Mortal) dead() error {
	if m.Left.Add(-1) < 0 {
		return ErrKilled
	}
	return nil
}

func (m *Mortal) deadReading() error {
	if m.WritesOnly {
		return nil
	}
	return m.dead()
}

func (m *Mortal) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if err := m.dead(); err != nil {
		return sinks.Result{}, err
	}
	return m.Table.Update(ctx, u)
}

func (m *Mortal) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if err := m.dead(); err != nil {
		return sinks.Result{}, err
	}
	return m.Table.Put(ctx, p)
}

func (m *Mortal) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	if err := m.dead(); err != nil {
		return sinks.Result{}, err
	}
	return m.Table.Delete(ctx, d)
}

func (m *Mortal) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if err := m.deadReading(); err != nil {
		return sinks.BatchResult{}, err
	}
	return m.Table.BatchGet(ctx, g)
}

func (m *Mortal) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if err := m.deadReading(); err != nil {
		return sinks.Page{}, err
	}
	return m.Table.Query(ctx, q)
}
