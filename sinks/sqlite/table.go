// Package sqlite keeps a footfall table in one SQLite file, for one machine without AWS: `footfall dev` and small
// sites. It passes the same suite as the table on DynamoDB and has its limits, so what works here works there.
//
// The file is in WAL mode: other processes read it, and even write it, while a pipeline writes. Each verb is one
// transaction, which is in the file when the verb answers: a killed process loses nothing that was answered. With
// synchronous=NORMAL a machine that loses power may lose the last transactions, but always the newest ones, all
// the way down to some earlier moment; the checkpoint goes back together with the items, and the log is read again.
//
//	items   pk, sk            the key, in byte order (BINARY collation), as DynamoDB sorts
//	        gsi1pk, gsi1sk    copies of these attributes for the index; NULL where absent
//	        ttl               copy of the attribute for Sweep; NULL where absent
//	        attrs             all attributes but pk and sk, see AppendItem of sinks/internal/localtable
//
// Writers of one process share a connection and, where they meet, a transaction: see write.go. Readers have
// connections of their own.
package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/footfall/footfall/sinks"
)

// maxReaders is how many connections read at once. SQLite's reads are computation: more than the cores of a small
// machine brings nothing.
const maxReaders = 4

// errClosed answers every verb after Close.
var errClosed = errors.New("the table is closed")

// Table is a table in a file. It starts no goroutine. Safe for concurrent use.
//
// Verbs heed their context while they wait for their turn, not while SQLite works: that takes milliseconds, or,
// when another process is writing, up to busyTimeout, after which the verb is throttled.
type Table struct {
	path string // absolute

	// Who takes a connection out of a channel owns it until putting it back; nil in its place is one that is not
	// open yet.
	writer  chan *conn
	readers chan *conn

	queue  queue // writes waiting for the writer
	closed chan struct{}
	once   sync.Once // covers closing closed
}

var (
	_ sinks.Table = (*Table)(nil)
	_ sinks.Admin = (*Table)(nil)
	_ io.Closer   = (*Table)(nil)
)

// Open names the file of a table. It neither opens nor creates the file: that is for the first verb and
// for Create. Until the table exists every verb answers sinks.ErrNoTable.
func Open(path string) (*Table, error) {
	if path == "" {
		return nil, errors.New("sqlite table: the path is empty: name a file, as in sqlite://footfall.db")
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("sqlite table %s: %w", path, err)
	}
	t := &Table{path: abs, writer: make(chan *conn, 1), readers: make(chan *conn, maxReaders), closed: make(chan struct{})}
	t.writer <- nil
	for range maxReaders {
		t.readers <- nil
	}
	return t, nil
}

// Close waits for the verbs that have begun, and closes the file. Verbs called later answer with an error. Close
// may be called again.
func (t *Table) Close() error {
	t.once.Do(func() {
		close(t.closed)
		t.closeAll(t.writer)
		t.closeAll(t.readers)
	})
	return nil
}

// closeAll takes every connection out of a channel for good.
func (t *Table) closeAll(conns chan *conn) {
	for range cap(conns) {
		if c := <-conns; c != nil {
			c.close()
		}
	}
}

// read runs f on a connection that reads.
func (t *Table) read(ctx context.Context, f func(c *conn) error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	select {
	case c := <-t.readers:
		c, err := t.connected(c)
		if err == nil {
			err = f(c)
		}
		t.readers <- t.kept(c, err)
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.closed:
		return errClosed
	}
}

// connected returns c, or a fresh connection to the table if c is nil.
func (t *Table) connected(c *conn) (*conn, error) {
	if c != nil {
		return c, nil
	}
	switch info, err := os.Stat(t.path); {
	case errors.Is(err, os.ErrNotExist):
		return nil, t.noTable()
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%w: %w", sinks.ErrDenied, err)
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("it is a directory: name a file in it")
	}
	c, err := open(t.path, mustExist)
	if err != nil {
		return nil, err
	}
	if err := c.transact("BEGIN", func() error { return t.identify(c) }); err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

// kept returns the connection to put back after err: none where the table has gone, so that the next verb looks
// for the file again, which may be another by then.
func (t *Table) kept(c *conn, err error) *conn {
	if c != nil && (c.broken || errors.Is(err, sinks.ErrNoTable)) {
		c.close()
		return nil
	}
	return c
}

// noTable is the error of a table that does not exist.
func (t *Table) noTable() error {
	return fmt.Errorf("%w: make it with `footfall table create --table sqlite://%s`", sinks.ErrNoTable, t.path)
}

// wrap says what was being done to which table.
func (t *Table) wrap(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("sqlite table %s: %s: %w", t.path, fmt.Sprintf(format, args...), err)
}
