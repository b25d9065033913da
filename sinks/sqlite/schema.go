package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/footfall/footfall/sinks"
)

// How a file says that it is a footfall table, and of which layout (SQLite's application_id and user_version).
const (
	applicationID = 0x66666c6c // "ffll"
	layout        = 3
	oldestLayout  = 2 // it has items without rowids, and is read and written as it is
)

// object is a table or an index of the file.
type object struct {
	name, text string
	olderText  string // how it was made in files of the oldest layout; "": as now
}

// schema is what a table is made of. Items are stored in the order in which they came, and indexes refer to them by rowid: a new item
// changes the last page of items and small entries of the indexes. Without rowids, random keys change a page of whole items each, and
// each index repeats the key. Both indexes are partial: an item without their keys costs them nothing. The
// one of sessions ends with the key, so that items with the same sort key in the index have a place each, and a page can end between them.
var schema = []object{
	{name: "items", text: items + `STRICT`, olderText: items + `STRICT, WITHOUT ROWID`},
	{name: "gsi1", text: `CREATE INDEX gsi1 ON items (gsi1pk, gsi1sk, pk, sk) WHERE gsi1pk IS NOT NULL AND gsi1sk IS NOT NULL`},
	{name: "expiry", text: `CREATE INDEX expiry ON items (ttl) WHERE ttl IS NOT NULL`},
}

const items = `CREATE TABLE items (pk TEXT NOT NULL, sk TEXT NOT NULL, gsi1pk TEXT, gsi1sk TEXT, ` +
	`ttl INTEGER, attrs BLOB NOT NULL, PRIMARY KEY (pk, sk)) `

// matches reports whether the object was made as it is made now or was once.
func (o object) matches(text string) bool { return text == o.text || text == o.olderText && text != "" }

// alone runs f as the only one that writes. f gets the writer's connection, nil if it is not open, and returns the
// one to go on with.
func (t *Table) alone(ctx context.Context, f func(c *conn) (*conn, error)) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case c := <-t.writer:
		c, err := f(c)
		t.writer <- c
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.closed:
		return errClosed
	}
}

// identify checks that a connection is to a footfall table. It reads more than once: the caller holds a transaction,
// since another process may be making the table.
func (t *Table) identify(c *conn) error {
	id, err1 := c.number("PRAGMA application_id")
	version, err2 := c.number("PRAGMA user_version")
	objects, err3 := c.number("SELECT count(*) FROM sqlite_schema")
	switch err := errors.Join(err1, err2, err3); {
	case err != nil:
		return err
	case id == 0 && version == 0 && objects == 0:
		return t.noTable() // An empty file: Create was cut short, or the table was dropped.
	case id != applicationID:
		return errors.New("the file is a SQLite database of another program: name another file")
	case version < oldestLayout:
		return fmt.Errorf("the file has layout %d of an earlier footfall, this one knows layouts %d to %d: recount the topic into a new file",
			version, oldestLayout, layout)
	case version > layout:
		return fmt.Errorf("the file has layout %d, this footfall knows layout %d: use the footfall that made it, or a newer one", version, layout)
	}
	return nil
}

// Create implements sinks.Admin. A file has neither capacities, nor recovery, nor a stream: a shape that asks for
// one is refused.
func (t *Table) Create(ctx context.Context, s sinks.Shape) error {
	err := t.alone(ctx, func(c *conn) (*conn, error) {
		c, err := t.connected(c)
		exists := err == nil
		if err != nil && !errors.Is(err, sinks.ErrNoTable) {
			return nil, err
		}
		diff := unavailable(s)
		if exists {
			more, _, err := differences(c)
			if err != nil {
				return c, err
			}
			if diff = append(diff, more...); diff != nil {
				return c, &sinks.ShapeError{Table: t.path, Differences: diff}
			}
			return c, nil
		}
		if diff != nil {
			return nil, errors.New(diff[0])
		}
		return t.make(ctx)
	})
	if _, ok := errors.AsType[*sinks.ShapeError](err); ok {
		return err
	}
	return t.wrap(err, "create")
}

// unavailable says what of a shape a file does not have.
func unavailable(s sinks.Shape) (diff []string) {
	if s.ReadCapacity != 0 || s.WriteCapacity != 0 {
		diff = append(diff, fmt.Sprintf("capacity: %d and %d units were asked for, a SQLite file has none: leave out "+
			"--read-capacity and --write-capacity", s.ReadCapacity, s.WriteCapacity))
	}
	if s.Recovery {
		diff = append(diff, "point-in-time recovery was asked for, a SQLite file has none: copy it with `sqlite3 FILE .backup`")
	}
	if s.Stream {
		diff = append(diff, "a stream was asked for, a SQLite file has none: leave it out")
	}
	for _, flag := range s.Asked() {
		diff = append(diff, flag+" is for DynamoDB tables: leave it out")
	}
	return diff
}

// make makes the file and the table in it. Another process may be doing the same: SQLite then refuses the change to
// a write-ahead log at once, without the wait that it grants a statement, so make waits itself.
func (t *Table) make(ctx context.Context) (*conn, error) {
	dir := filepath.Dir(t.path)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("there is no directory %s: make it, or name another", dir)
	}
	c, err := open(t.path, mayCreate)
	if err != nil {
		return nil, err
	}
	give := time.After(busyTimeout)
	again := time.NewTicker(busyTimeout / 1000)
	defer again.Stop()
	for err = t.makeIn(c); errors.Is(err, sinks.ErrThrottled); err = t.makeIn(c) {
		select {
		case <-again.C:
			continue
		case <-give:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
		break
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (t *Table) makeIn(c *conn) error {
	if mode, err := c.text("PRAGMA journal_mode = WAL"); err != nil {
		return err
	} else if mode != "wal" {
		return fmt.Errorf("the file system has no write-ahead log for SQLite, the journal is %q: put the file on a local disk", mode)
	}
	return c.transact("BEGIN IMMEDIATE", func() error {
		if err := t.identify(c); !errors.Is(err, sinks.ErrNoTable) {
			return err // Nil: the other process was faster.
		}
		for _, s := range schema {
			if _, err := c.exec(s.text); err != nil {
				return err
			}
		}
		return c.label(applicationID, layout)
	})
}

// label sets how the file calls itself.
func (c *conn) label(id, version int) error {
	_, err := c.exec(fmt.Sprintf("PRAGMA application_id = %d", id))
	if err == nil {
		_, err = c.exec(fmt.Sprintf("PRAGMA user_version = %d", version))
	}
	return err
}

// text runs a statement that answers with one text.
func (c *conn) text(statement string, args ...driver.Value) (s string, err error) {
	err = c.query(statement, func(r []driver.Value) (bool, error) {
		s, _ = r[0].(string)
		return false, nil
	}, args...)
	return s, err
}

// differences says what of the schema is missing or was made differently, and what of that mend leaves as it is.
func differences(c *conn) (diff, lasting []string, err error) {
	for _, s := range schema {
		have, err := c.text("SELECT sql FROM sqlite_schema WHERE name = ?", s.name)
		switch {
		case err != nil:
			return nil, nil, err
		case have == "":
			diff = append(diff, s.name+" is missing from the file's schema")
		case !s.matches(have):
			diff = append(diff, fmt.Sprintf("%s was made as %q, not as %q", s.name, have, s.text))
		}
		if !s.matches(have) && s.name == "items" {
			lasting = slices.Clone(diff[len(diff)-1:])
		}
	}
	return diff, lasting, nil
}

// Alter implements sinks.Admin. A file has no billing.
func (t *Table) Alter(ctx context.Context, change sinks.Change) (done sinks.Altered, err error) {
	if err := change.Validate(); err != nil {
		return done, err
	}
	if change.OnDemand || change.WriteCapacity != 0 {
		done.Without = []string{"billing: a SQLite file costs nothing and has no capacities"}
	}
	for _, flag := range change.Asked() {
		done.Without = append(done.Without, flag+" is for DynamoDB tables")
	}
	err = t.alone(ctx, func(c *conn) (*conn, error) {
		c, err := t.connected(c)
		if err != nil {
			return nil, err
		}
		done.Done, err = mend(c, t.path, change.Dry)
		return t.kept(c, err), err
	})
	if _, ok := errors.AsType[*sinks.ShapeError](err); ok {
		return done, err
	}
	return done, t.wrap(err, "update")
}

// mend makes the indexes that are missing, and those anew that were made differently: they hold nothing that the items do not.
// Items that lie otherwise stay as they are.
func mend(c *conn, path string, dry bool) (done []string, err error) {
	err = c.transact("BEGIN IMMEDIATE", func() error {
		for _, s := range schema {
			have, err := c.text("SELECT sql FROM sqlite_schema WHERE name = ?", s.name)
			switch {
			case err != nil:
				return err
			case s.matches(have):
				continue
			case s.name == "items":
				diff, _, err := differences(c)
				if err != nil {
					return err
				}
				return &sinks.ShapeError{Table: path, Differences: diff}
			}
			done = append(done, "index "+s.name+": made, and filled from the items that are there")
			if dry {
				continue
			}
			if _, err := c.exec("DROP INDEX IF EXISTS " + s.name); err != nil {
				return err
			}
			if _, err := c.exec(s.text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err // Nothing of it was committed.
	}
	return done, nil
}

// Describe implements sinks.Admin. It counts the items, which takes a second or so a million.
func (t *Table) Describe(ctx context.Context) (sinks.Description, error) {
	d := sinks.Description{Name: t.path, Kind: "sqlite", Status: "ACTIVE", TTL: true}
	err := t.read(ctx, func(c *conn) (err error) {
		if d.Differences, d.Lasting, err = differences(c); err != nil {
			return err
		}
		if s, err := c.text("SELECT name FROM sqlite_schema WHERE type = 'index' AND name = 'gsi1'"); err != nil {
			return err
		} else if s != "" {
			d.Indexes = []string{"GSI1"}
		}
		if d.Items, err = c.number("SELECT count(*) FROM items"); err != nil {
			return err
		}
		d.Bytes, err = c.number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
		return err
	})
	if err != nil {
		return sinks.Description{}, t.wrap(err, "describe")
	}
	return d, nil
}

// Drop implements sinks.Admin. The table is emptied before its file is removed, so that another process that has
// it open learns of it and does not go on writing to a file without a name.
func (t *Table) Drop(ctx context.Context) error {
	err := t.alone(ctx, func(c *conn) (*conn, error) {
		c, err := t.connected(c)
		if err != nil {
			return nil, err
		}
		for range cap(t.readers) {
			if r := <-t.readers; r != nil {
				r.close()
			}
		}
		defer func() {
			for range cap(t.readers) {
				t.readers <- nil
			}
		}()
		err = c.transact("BEGIN IMMEDIATE", func() error {
			if _, err := c.exec("DROP TABLE items"); err != nil {
				return err
			}
			return c.label(0, 0)
		})
		if err != nil {
			return t.kept(c, err), err
		}
		c.close()
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(t.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
		}
		return nil, nil
	})
	return t.wrap(err, "drop")
}
