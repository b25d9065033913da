// Package memory keeps a footfall table in memory, for tests and for figures that end with the process. It passes the same suite as the
// table on DynamoDB and has its limits, so what works here works there.
//
//	table.go  the verbs
//	rows.go   the items, encoded, in the orders that the verbs need: by key, by key in GSI1, by expiry
//	list.go   a list of rows in an order
package memory

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
	"github.com/footfall/footfall/sinks/internal/localtable"
)

// errClosed answers every verb after Close.
var errClosed = errors.New("the table is closed")

// Table is a table in memory. Until Create has made it every verb answers sinks.ErrNoTable. Each verb is atomic, batches included. It
// starts no goroutine. The zero Table is ready for use. Safe for concurrent use.
type Table struct {
	mu     sync.RWMutex // covers what is below
	rows   *rows        // nil: Create has not made the table
	closed bool
}

var (
	_ sinks.Table   = (*Table)(nil)
	_ sinks.Admin   = (*Table)(nil)
	_ sinks.Sweeper = (*Table)(nil)
)

// Close gives the memory back. Verbs called later answer with an error. Close may be called again.
func (t *Table) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows, t.closed = nil, true
	return nil
}

// read runs f on the rows; writers wait.
func (t *Table) read(ctx context.Context, f func(s *rows) error) error {
	return t.locked(ctx, t.mu.RLocker(), f)
}

// write runs f on the rows; all others wait.
func (t *Table) write(ctx context.Context, f func(s *rows) error) error {
	return t.locked(ctx, &t.mu, f)
}

func (t *Table) locked(ctx context.Context, mu sync.Locker, f func(s *rows) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	mu.Lock()
	defer mu.Unlock()
	switch {
	case t.closed:
		return errClosed
	case t.rows == nil:
		return fmt.Errorf("%w: it is in memory, and Create has not made it", sinks.ErrNoTable)
	}
	return f(t.rows)
}

// wrap says what was being done.
func wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("memory table: %s: %w", fmt.Sprintf(format, args...), err)
}

// Update implements sinks.Table.
func (t *Table) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	if err = localtable.CheckUpdate(u); err == nil {
		err = t.write(ctx, func(s *rows) (err error) {
			was := s.find(u.Key)
			if was == nil {
				var as sinks.Attrs
				if as, r, err = localtable.Create(u); err == nil && !r.Refused {
					s.store(nil, as)
				}
				return err
			}
			var it sinks.Item
			if it, r, err = localtable.Update(u, was.item()); err == nil && !r.Refused {
				s.store(was, attrsOf(it))
			}
			return err
		})
	}
	return r, wrap(err, "update %s / %s", u.Key.PK, u.Key.SK)
}

// Put implements sinks.Table.
func (t *Table) Put(ctx context.Context, p sinks.Put) (r sinks.Result, err error) {
	k := p.Item.Key()
	if err = localtable.CheckPut(p); err == nil {
		err = t.write(ctx, func(s *rows) error {
			was := s.find(k)
			if r = localtable.Put(p, was.item()); !r.Refused {
				s.store(was, attrsOf(p.Item))
			}
			return nil
		})
	}
	return r, wrap(err, "put %s / %s", k.PK, k.SK)
}

// Delete implements sinks.Table.
func (t *Table) Delete(ctx context.Context, d sinks.Delete) (r sinks.Result, err error) {
	if err = localtable.CheckDelete(d); err == nil {
		err = t.write(ctx, func(s *rows) error {
			was := s.find(d.Key)
			if r = localtable.Delete(d, was.item()); !r.Refused {
				s.delete(was)
			}
			return nil
		})
	}
	return r, wrap(err, "delete %s / %s", d.Key.PK, d.Key.SK)
}

// BatchPut implements sinks.Table. It takes all items or none. Its units leave out what an item that is replaced
// was larger by, for it does not look.
func (t *Table) BatchPut(ctx context.Context, batch []sinks.Attrs) (r sinks.BatchResult, err error) {
	items, units, err := localtable.BatchPut(batch)
	if err == nil {
		err = t.write(ctx, func(s *rows) error {
			for _, it := range items {
				s.store(s.find(it.Key()), attrsOf(it))
			}
			r.Units = units
			return nil
		})
	}
	return r, wrap(err, "put a batch of %d items", len(batch))
}

// BatchGet implements sinks.Table. Every read is strong and of one moment, and it leaves no key.
func (t *Table) BatchGet(ctx context.Context, g sinks.BatchGet) (r sinks.BatchResult, err error) {
	if err = localtable.CheckBatchGet(g.Keys); err == nil {
		err = t.read(ctx, func(s *rows) error {
			r.Items = make(map[sinks.Key]sinks.Item, len(g.Keys))
			for _, k := range g.Keys {
				it := s.find(k).item()
				if it != nil {
					r.Items[k] = it
				}
				r.Units += consumed.ReadUnits(it.Size(), g.Consistent)
			}
			return nil
		})
	}
	return r, wrap(err, "read a batch of %d items", len(g.Keys))
}

// Query implements sinks.Table. Items of an index that have the same sort key there come in the order of their own keys.
func (t *Table) Query(ctx context.Context, q sinks.Query) (p sinks.Page, err error) {
	after, err := localtable.CheckQuery(q)
	if err == nil {
		err = t.read(ctx, func(s *rows) error {
			p = s.query(q, after)
			return nil
		})
	}
	return p, wrap(err, "query %s", q.PK)
}

// MaxSweep is how many items one Sweep deletes at most: other verbs wait for it.
const MaxSweep = 500

// Sweep deletes items whose time to live has passed at now, the longest expired first, and returns how many; there
// may be more when it returns MaxSweep.
func (t *Table) Sweep(ctx context.Context, now time.Time) (deleted int, err error) {
	err = t.write(ctx, func(s *rows) error {
		deleted = s.sweep(now.Unix(), MaxSweep)
		return nil
	})
	return deleted, wrap(err, "delete expired items")
}
