package memory

import (
	"context"
	"errors"
	"fmt"

	"github.com/footfall/footfall/sinks"
)

// name is what errors and Describe call the table.
const name = "in memory"

// unavailable says what a table in memory does not have.
const unavailable = "a table in memory has no capacities, no recovery, no stream and no options of DynamoDB: leave them out"

// Create implements sinks.Admin. A shape that asks for anything is refused.
func (t *Table) Create(ctx context.Context, s sinks.Shape) error {
	if ctx.Err() != nil {
		return wrap(context.Cause(ctx), "create")
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	switch other := s != (sinks.Shape{}); {
	case t.closed:
		return wrap(errClosed, "create")
	case other && t.rows != nil:
		return &sinks.ShapeError{Table: name, Differences: []string{unavailable}}
	case other:
		return wrap(errors.New(unavailable), "create")
	case t.rows == nil:
		t.rows = newRows()
	}
	return nil
}

// Describe implements sinks.Admin.
func (t *Table) Describe(ctx context.Context) (sinks.Description, error) {
	d := sinks.Description{Name: name, Kind: "memory", Status: "ACTIVE", TTL: true, Indexes: []string{"GSI1"}}
	err := t.read(ctx, func(s *rows) error {
		d.Items, d.Bytes = s.items, s.bytes
		return nil
	})
	if err != nil {
		return sinks.Description{}, wrap(err, "describe")
	}
	return d, nil
}

// Alter implements sinks.Admin. There is nothing to change.
func (t *Table) Alter(ctx context.Context, c sinks.Change) (done sinks.Altered, err error) {
	if err := c.Validate(); err != nil {
		return done, err
	}
	if c.Dry = false; c != (sinks.Change{}) {
		done.Without = []string{unavailable}
	}
	return done, wrap(t.read(ctx, func(*rows) error { return nil }), "update")
}

// Drop implements sinks.Admin.
func (t *Table) Drop(ctx context.Context) error {
	return wrap(t.write(ctx, func(*rows) error {
		t.rows = nil
		return nil
	}), "drop")
}

// Bytes is how many bytes the keys and attributes of all items have. In memory they take about twice as many.
func (t *Table) Bytes() int64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.rows == nil {
		return 0
	}
	return t.rows.bytes
}

// CopyTo puts all items into another table. Writers wait.
func (t *Table) CopyTo(ctx context.Context, to sinks.Table) error {
	return wrap(t.read(ctx, func(s *rows) error {
		var batch []sinks.Attrs
		put := func() error {
			r, err := to.BatchPut(ctx, batch)
			if err == nil && len(r.Left) > 0 {
				err = fmt.Errorf("%d items were not taken", len(r.Left))
			}
			batch = batch[:0]
			return err
		}
		for it := range s.all {
			if batch = append(batch, attrsOf(it)); len(batch) == sinks.MaxBatchPut {
				if err := put(); err != nil {
					return err
				}
			}
		}
		if len(batch) == 0 {
			return nil
		}
		return put()
	}), "copy")
}
