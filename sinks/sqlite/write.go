package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
	"github.com/footfall/footfall/sinks/internal/localtable"
)

// Group commit. A transaction costs more to begin and to commit than the change in it, and a pipeline has many
// updates in flight at once. So a write joins a queue, and whoever gets the writer's connection first runs all
// that wait, in one transaction, for everybody. No goroutine is needed that would live beside the callers.
//
// A write that is at fault by itself (an item too large, an ADD to a string) changes nothing, its neighbours are
// committed all the same; an error of SQLite rolls all of them back and answers all of them.

// maxGroup bounds a transaction: what waits longer goes into the next.
const maxGroup = 256

// write is one verb's work inside somebody's transaction.
type write struct {
	ctx  context.Context
	run  func(c *conn) error
	err  error // settled when done is closed
	done chan struct{}
}

type queue struct {
	mu      sync.Mutex // covers waiting
	waiting []*write   // oldest first
}

func (q *queue) add(w *write) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, w)
}

func (q *queue) take() []*write {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxGroup)
	group := slices.Clone(q.waiting[:n])
	q.waiting = slices.Delete(q.waiting, 0, n)
	return group
}

// withdraw reports whether w still waited, and so will never run.
func (q *queue) withdraw(w *write) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.waiting, w)
	if i < 0 {
		return false
	}
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return true
}

// write has run done in a transaction, and returns when that has been committed.
func (t *Table) write(ctx context.Context, run func(c *conn) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	w := &write{ctx: ctx, run: run, done: make(chan struct{})}
	t.queue.add(w)
	for {
		select {
		case <-w.done:
			return w.err
		case c := <-t.writer:
			runtime.Gosched() // Those whom the last transaction has answered queue their next writes.
			t.writer <- t.commit(c, t.queue.take())
		case <-ctx.Done():
			if t.queue.withdraw(w) {
				return context.Cause(ctx)
			}
			<-w.done // Somebody is about to commit it.
			return w.err
		case <-t.closed:
			if t.queue.withdraw(w) {
				return errClosed
			}
			<-w.done
			return w.err
		}
	}
}

// commit runs a group of writes in one transaction, answers them, and returns the connection to go on with.
func (t *Table) commit(c *conn, group []*write) *conn {
	if len(group) == 0 {
		return c // Whoever had the connection before took our own write along.
	}
	c, err := t.connected(c)
	if err == nil {
		err = c.transact("BEGIN IMMEDIATE", func() error {
			for _, w := range group {
				if w.ctx.Err() != nil {
					w.err = context.Cause(w.ctx)
					continue
				}
				w.err = w.run(c)
				if _, broken := errors.AsType[*storeError](w.err); broken {
					return w.err
				}
			}
			return nil
		})
	}
	c = t.kept(c, err)
	if errors.Is(err, sinks.ErrNoTable) {
		err = t.noTable()
	}
	for _, w := range group {
		if err != nil {
			w.err = err
		}
		close(w.done)
	}
	return c
}

// Update implements sinks.Table.
func (t *Table) Update(ctx context.Context, u sinks.Update) (r sinks.Result, err error) {
	if err = localtable.CheckUpdate(u); err == nil {
		err = t.write(ctx, func(c *conn) (err error) {
			r, err = c.update(u)
			return err
		})
	}
	if err != nil {
		return sinks.Result{}, t.wrap(err, "update %s / %s", u.Key.PK, u.Key.SK)
	}
	return r, nil
}

func (c *conn) update(u sinks.Update) (sinks.Result, error) {
	it, err := c.load(u.Key)
	if err != nil {
		return sinks.Result{}, err
	}
	fresh, was, ttl := it == nil, consumed.IndexKeyOf(it), it[sinks.AttrTTL]
	it, r, err := localtable.Update(u, it)
	switch {
	case err != nil || r.Refused:
	case fresh || consumed.IndexKeyOf(it) != was || !ttl.Equal(it[sinks.AttrTTL]):
		err = c.replace(it)
	default: // The common case touches no index.
		_, err = c.exec(`UPDATE items SET attrs = ? WHERE pk = ? AND sk = ?`, localtable.AppendItem(nil, it), u.Key.PK, u.Key.SK)
	}
	return r, err
}

// Put implements sinks.Table.
func (t *Table) Put(ctx context.Context, p sinks.Put) (r sinks.Result, err error) {
	k := p.Item.Key()
	if err = localtable.CheckPut(p); err == nil {
		err = t.write(ctx, func(c *conn) error {
			was, err := c.load(k)
			if err != nil {
				return err
			}
			if r = localtable.Put(p, was); r.Refused {
				return nil
			}
			return c.replace(p.Item)
		})
	}
	if err != nil {
		return sinks.Result{}, t.wrap(err, "put %s / %s", k.PK, k.SK)
	}
	return r, nil
}

// Delete implements sinks.Table.
func (t *Table) Delete(ctx context.Context, d sinks.Delete) (r sinks.Result, err error) {
	if err = localtable.CheckDelete(d); err == nil {
		err = t.write(ctx, func(c *conn) error {
			it, err := c.load(d.Key)
			if err != nil {
				return err
			}
			if r = localtable.Delete(d, it); r.Refused || it == nil {
				return nil
			}
			_, err = c.exec(`DELETE FROM items WHERE pk = ? AND sk = ?`, d.Key.PK, d.Key.SK)
			return err
		})
	}
	if err != nil {
		return sinks.Result{}, t.wrap(err, "delete %s / %s", d.Key.PK, d.Key.SK)
	}
	return r, nil
}

// BatchPut implements sinks.Table. It takes all items or none. Its units leave out what an item that is replaced
// was larger by, for it does not look.
func (t *Table) BatchPut(ctx context.Context, batch []sinks.Attrs) (r sinks.BatchResult, err error) {
	err = t.write(ctx, func(c *conn) error {
		items, units, err := localtable.BatchPut(batch) // Not before: whose batch waits holds no more than the batch.
		for i := 0; i < len(items) && err == nil; i++ {
			err = c.replace(items[i])
		}
		r.Units = units
		return err
	})
	if err != nil {
		return sinks.BatchResult{}, t.wrap(err, "put a batch of %d items", len(batch))
	}
	return r, nil
}

// load reads an item, nil if absent.
func (c *conn) load(k sinks.Key) (it sinks.Item, err error) {
	err = c.query(`SELECT attrs FROM items WHERE pk = ? AND sk = ?`, func(r []driver.Value) (bool, error) {
		b, _ := r[0].([]byte)
		it, err = localtable.ReadItem(k, b)
		return false, err
	}, k.PK, k.SK)
	return it, err
}

// replace writes a whole item with its copies for the index. An item that is there keeps its place.
func (c *conn) replace(it sinks.Item) error {
	k, is := it.Key(), consumed.IndexKeyOf(it)
	var ttl driver.Value
	if v := it[sinks.AttrTTL]; v.Kind() == sinks.Number {
		ttl = v.Int()
	}
	_, err := c.exec(`INSERT INTO items (pk, sk, gsi1pk, gsi1sk, ttl, attrs) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (pk, sk) `+
		`DO UPDATE SET gsi1pk = excluded.gsi1pk, gsi1sk = excluded.gsi1sk, ttl = excluded.ttl, attrs = excluded.attrs`,
		k.PK, k.SK, orNull(is.PK), orNull(is.SK), ttl, localtable.AppendItem(nil, it))
	return err
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

// MaxSweep is how many items one Sweep deletes at most: writes wait for it no longer than for a group of their own.
const MaxSweep = 500

// Sweep deletes items whose time to live has passed at now, the longest expired first, and returns how many; there
// may be more when it returns MaxSweep. SQLite deletes nothing by itself: whoever runs a pipeline calls this from
// time to time.
func (t *Table) Sweep(ctx context.Context, now time.Time) (deleted int, err error) {
	err = t.write(ctx, func(c *conn) error {
		n, err := c.exec(`DELETE FROM items WHERE (pk, sk) IN
			(SELECT pk, sk FROM items INDEXED BY expiry WHERE ttl IS NOT NULL AND ttl <= ? ORDER BY ttl LIMIT ?)`,
			now.Unix(), int64(MaxSweep))
		deleted = int(n)
		return err
	})
	if err != nil {
		return 0, t.wrap(err, "delete expired items")
	}
	return deleted, nil
}
