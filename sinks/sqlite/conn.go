package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/footfall/footfall/sinks"
)

// busyTimeout is how long a statement waits for another process that is writing. Ours hold the file for
// milliseconds; one that holds it for longer is stuck or is not ours, and the caller should know.
const busyTimeout = 5 * time.Second

// conn is one connection with its prepared statements. It is the driver's own, without the pool of database/sql:
// who may use which connection when is the table's business, and a pool would add its goroutine, locks and
// transactions to each of a verb's few microseconds. Not safe for concurrent use.
type conn struct {
	raw    driver.Conn
	stmts  map[string]driver.Stmt // by their text, of which there are few
	broken bool                   // in a transaction that could not be ended: fit to be closed only
}

// mode says whether opening a file may create it.
type mode string

const (
	mayCreate mode = "rwc"
	mustExist mode = "rw"
)

// open connects to a file.
func open(path string, m mode) (*conn, error) {
	// A checkpoint every 16 MB of WAL writes a page that many transactions changed once, and syncs the disk once;
	// journal_size_limit gives back what a reader that held up the checkpoints made the WAL grow to.
	u := url.URL{Scheme: "file", Path: filepath.ToSlash(path)}
	dsn := fmt.Sprintf("%s?mode=%s&_pragma=busy_timeout(%d)&_pragma=synchronous(NORMAL)"+
		"&_pragma=wal_autocheckpoint(%d)&_pragma=journal_size_limit(%d)",
		u.String(), m, busyTimeout.Milliseconds(), 16<<20/4096, 64<<20)
	if m == mayCreate {
		// SQLite would let others read the file. Its log and its index get the modes of the file.
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		f.Close()
	}
	raw, err := new(sqlite.Driver).Open(dsn)
	if err != nil {
		return nil, classify(err)
	}
	return &conn{raw: raw, stmts: make(map[string]driver.Stmt)}, nil
}

func (c *conn) close() {
	for _, s := range c.stmts {
		s.Close()
	}
	c.raw.Close() // The file holds what was answered, whatever this says.
}

func (c *conn) prepare(text string) (driver.Stmt, error) {
	if s, ok := c.stmts[text]; ok {
		return s, nil
	}
	s, err := c.raw.Prepare(text)
	if err != nil {
		return nil, classify(err)
	}
	c.stmts[text] = s
	return s, nil
}

func named(args []driver.Value) []driver.NamedValue {
	n := make([]driver.NamedValue, len(args))
	for i, a := range args {
		n[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return n
}

// exec runs a statement and returns how many rows it changed.
func (c *conn) exec(text string, args ...driver.Value) (int64, error) {
	s, err := c.prepare(text)
	if err != nil {
		return 0, err
	}
	r, err := s.(driver.StmtExecContext).ExecContext(context.Background(), named(args))
	if err != nil {
		return 0, classify(err)
	}
	return r.RowsAffected()
}

// query runs a statement and calls row for each row of its answer until row wants no more. The row's slice is
// overwritten by the next; what is in it stays.
func (c *conn) query(text string, row func(r []driver.Value) (more bool, err error), args ...driver.Value) error {
	s, err := c.prepare(text)
	if err != nil {
		return err
	}
	rows, err := s.(driver.StmtQueryContext).QueryContext(context.Background(), named(args))
	if err != nil {
		return classify(err)
	}
	defer rows.Close()
	r := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(r); {
		case err == io.EOF:
			return nil
		case err != nil:
			return classify(err)
		}
		if more, err := row(r); err != nil || !more {
			return err
		}
	}
}

// number runs a statement that answers with one number.
func (c *conn) number(text string) (n int64, err error) {
	err = c.query(text, func(r []driver.Value) (bool, error) {
		n, _ = r[0].(int64)
		return false, nil
	})
	return n, err
}

// transact runs f between begin and COMMIT, and rolls back what it did if it fails.
func (c *conn) transact(begin string, f func() error) error {
	if _, err := c.exec(begin); err != nil {
		return err
	}
	err := f()
	if err == nil {
		if _, err = c.exec("COMMIT"); err == nil {
			return nil
		}
	}
	// SQLite ends the transaction itself on some errors; then there is nothing to roll back.
	if _, e := c.exec("ROLLBACK"); e != nil && !strings.Contains(e.Error(), "no transaction is active") {
		c.broken = true
	}
	return err
}

// storeError marks an error of SQLite itself, as opposed to one of a request: the transaction it happened in is
// rolled back as a whole.
type storeError struct{ err error }

func (e *storeError) Error() string { return e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// classify makes SQLite's error one of the contract's. Nothing was written where it happened.
func classify(err error) error {
	se, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return &storeError{err}
	}
	switch se.Code() & 0xff { // The primary code; the rest says where it arose.
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		err = &sinks.ThrottleError{Reasons: []string{"FileLockedByAnotherProcess"}}
	case sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_AUTH:
		err = fmt.Errorf("%w: %w", sinks.ErrDenied, err)
	case sqlite3.SQLITE_FULL:
		err = fmt.Errorf("the disk is full: free some space and start again: %w", err)
	case sqlite3.SQLITE_NOTADB:
		err = fmt.Errorf("the file is not a SQLite database: name another: %w", err)
	case sqlite3.SQLITE_CORRUPT:
		err = fmt.Errorf("the file is damaged: restore it, or delete it and count the topic again: %w", err)
	case sqlite3.SQLITE_ERROR:
		if strings.Contains(err.Error(), "no such table: items") {
			err = fmt.Errorf("%w: it was dropped", sinks.ErrNoTable)
		}
	}
	return &storeError{err}
}
