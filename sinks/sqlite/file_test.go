package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/footfall/footfall/sinks"
)

func describe(t *testing.T, table *Table) error {
	t.Helper()
	_, err := table.Describe(t.Context())
	return err
}

func TestMissingFileIsNotMade(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing.db")
	table := openTable(t, path)
	err := describe(t, table)
	if !errors.Is(err, sinks.ErrNoTable) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "footfall table create") {
		t.Errorf("Describe of a missing file = %v, want ErrNoTable with the path and the remedy", err)
	}
	if _, err := table.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}); !errors.Is(err,
		sinks.ErrNoTable) {
		t.Errorf("Update of a missing file = %v, want ErrNoTable", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is there all the same: %v", err)
	}
}

func TestWrongFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	database := func(name string, statements ...string) string {
		path := filepath.Join(dir, name)
		c, err := open(path, mayCreate)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		for _, s := range statements {
			if _, err := c.exec(s); err != nil {
				t.Fatal(err)
			}
		}
		return path
	}
	for _, c := range []struct{ name, path, want string }{
		{"a text file", write("a.txt", strings.Repeat("not a database ", 300)), "not a SQLite database"},
		{"another program's database", database("b.db", "CREATE TABLE notes (text)"), "another program"},
		{"an earlier layout", database("d.db", "PRAGMA application_id = 1717988460", "PRAGMA user_version = 1"), "into a new file"},
		{"a later layout", database("c.db", "PRAGMA application_id = 1717988460", "PRAGMA user_version = 99"), "layout 99"},
		{"a directory", dir, "directory"},
		{"no directory", filepath.Join(dir, "none", "x.db"), "no directory"},
	} {
		table := openTable(t, c.path)
		if err := table.Create(t.Context(), sinks.Shape{}); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(),
			c.path) {
			t.Errorf("%s: Create = %v, want an error that names the file and says %q", c.name, err, c.want)
		}
	}
	if _, err := Open(""); err == nil {
		t.Error("Open of no path succeeded, want an error")
	}
}

func TestEmptyFileIsNoTableYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "empty.db")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	table := openTable(t, path)
	if err := describe(t, table); !errors.Is(err, sinks.ErrNoTable) {
		t.Errorf("Describe of an empty file = %v, want ErrNoTable", err)
	}
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Errorf("Create in an empty file = %v", err)
	}
}

func TestManyMakeOneFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.db")
	var wg sync.WaitGroup
	for range 6 {
		table := openTable(t, path)
		wg.Go(func() {
			if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
				t.Errorf("Create = %v", err)
			}
			if _, err := table.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}); err != nil {
				t.Errorf("Update = %v", err)
			}
		})
	}
	wg.Wait()
	if n, _ := countOf(t, openTable(t, path)); n != 6 {
		t.Errorf("six tables on one file counted to %d", n)
	}
}

func TestTableDroppedByAnotherIsNoticed(t *testing.T) {
	ours, path := createdFile(t)
	theirs := openTable(t, path)
	add := func() error {
		_, err := ours.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}})
		return err
	}
	countOf(t, ours) // Readers have the file open too.
	if err := add(); err != nil {
		t.Fatalf("Update = %v", err)
	}
	if err := theirs.Drop(t.Context()); err != nil {
		t.Fatalf("Drop = %v", err)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if _, err := os.Stat(path + suffix); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("after Drop %s is still there: %v", path+suffix, err)
		}
	}
	for range 2 {
		if err := add(); !errors.Is(err, sinks.ErrNoTable) {
			t.Errorf("Update after another's Drop = %v, want ErrNoTable", err)
		}
		if _, err := ours.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{counter}}); !errors.Is(err, sinks.ErrNoTable) {
			t.Errorf("BatchGet after another's Drop = %v, want ErrNoTable", err)
		}
	}
	if err := theirs.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatalf("Create = %v", err)
	}
	if err := add(); err != nil {
		t.Errorf("Update after another's Create = %v", err)
	}
	if n, _ := countOf(t, theirs); n != 1 {
		t.Errorf("the new table counts %d, want 1", n)
	}
}

func TestDescribeNamesWhatIsMissing(t *testing.T) {
	table, path := createdFile(t)
	c, err := open(path, mustExist)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, s := range []string{"DROP INDEX gsi1", "DROP INDEX expiry", "CREATE INDEX expiry ON items (ttl)"} {
		if _, err := c.exec(s); err != nil {
			t.Fatal(err)
		}
	}
	d, err := table.Describe(t.Context())
	if err != nil || len(d.Differences) != 2 || !strings.Contains(d.Differences[0], "gsi1 is missing") || !strings.Contains(d.Differences[1],
		"expiry was made as") {
		t.Errorf("Describe = %q, %v, want that gsi1 is missing and expiry is another", d.Differences, err)
	}
	if d.Indexes != nil {
		t.Errorf("Describe = indexes %q, want none", d.Indexes)
	}
	if err, ok := errors.AsType[*sinks.ShapeError](table.Create(t.Context(), sinks.Shape{})); !ok || len(err.Differences) != 2 {
		t.Errorf("Create = %v, want a *ShapeError with both differences", err)
	}
}

func TestCreateRefusesWhatAFileDoesNotHave(t *testing.T) {
	for _, shape := range []sinks.Shape{{ReadCapacity: 1, WriteCapacity: 1}, {Recovery: true}, {Stream: true},
		{Options: sinks.Options{WarmWriteUnits: sinks.MinWarmWriteUnits}}} {
		path := filepath.Join(t.TempDir(), "table.db")
		if err := openTable(t, path).Create(t.Context(), shape); err == nil {
			t.Errorf("Create of %+v succeeded, want an error", shape)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("Create of %+v left a file: %v", shape, err)
		}
	}
}

func TestFileLockedByAnotherIsThrottled(t *testing.T) {
	table, path := createdFile(t)
	if _, err := table.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}); err != nil {
		t.Fatal(err)
	}
	c := <-table.writer
	if _, err := c.exec("PRAGMA busy_timeout = 0"); err != nil { // The test has no 5 seconds.
		t.Fatal(err)
	}
	table.writer <- c
	other, err := open(path, mustExist)
	if err != nil {
		t.Fatal(err)
	}
	defer other.close()
	err = other.transact("BEGIN IMMEDIATE", func() error {
		_, err := table.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}})
		if !errors.Is(err, sinks.ErrThrottled) || errors.Is(err, sinks.ErrUnknownOutcome) {
			t.Errorf("Update while another writes = %v, want ErrThrottled", err)
		}
		if n, _ := countOf(t, table); n != 1 {
			t.Errorf("a reader saw %d while another writes, want 1", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := table.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}}); err != nil {
		t.Errorf("Update after it = %v", err)
	}
}

func TestClosedTableAnswersWithAnError(t *testing.T) {
	table, _ := createdFile(t)
	for range 2 {
		if err := table.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	_, err := table.Update(t.Context(), sinks.Update{Key: counter, Add: []sinks.Attr{{Name: "n", Value: sinks.Int(1)}}})
	_, err2 := table.Query(t.Context(), sinks.Query{PK: "P"})
	err3 := table.Create(context.Background(), sinks.Shape{})
	for _, err := range []error{err, err2, err3} {
		if !errors.Is(err, errClosed) {
			t.Errorf("a verb after Close = %v, want that the table is closed", err)
		}
	}
}

func TestReopenedFileHasItsItems(t *testing.T) {
	table, path := createdFile(t)
	it := sinks.Item{sinks.AttrPK: sinks.Str("p\x00q"), sinks.AttrSK: sinks.Str("s\x00t"), "n": sinks.Int(5)}
	if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
		t.Fatal(err)
	}
	table.Close()
	again := openTable(t, path)
	p, err := again.Query(t.Context(), sinks.Query{PK: "p\x00q", Prefix: "s\x00"})
	if err != nil || len(p.Items) != 1 || !p.Items[0]["n"].Equal(sinks.Int(5)) || p.Items[0].Key() != it.Key() {
		t.Errorf("Query of the reopened file = %v, %v, want the item", p.Items, err)
	}
}
