package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sinktest"
)

// openTable opens a table that closes with the test.
func openTable(t testing.TB, path string) *Table {
	t.Helper()
	table, err := Open(path)
	if err != nil {
		t.Fatalf("Open(%q) = %v", path, err)
	}
	t.Cleanup(func() { table.Close() })
	return table
}

func TestFileKeepsTheContract(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Store { return openTable(t, filepath.Join(t.TempDir(), "a b#c?%41.db")) })
}

// formerTable makes tables as earlier versions did.
type formerTable struct {
	*Table
	t    *testing.T
	path string
}

func (f formerTable) Create(ctx context.Context, s sinks.Shape) error {
	_, missing := f.Describe(ctx)
	if err := f.Table.Create(ctx, s); err != nil || missing == nil {
		return err
	}
	statements := []string{"BEGIN IMMEDIATE", "DROP TABLE items"}
	for _, o := range schema {
		if o.olderText != "" {
			statements = append(statements, o.olderText)
		} else {
			statements = append(statements, o.text)
		}
	}
	change(f.t, f.path, append(statements, fmt.Sprintf("PRAGMA user_version = %d", oldestLayout), "COMMIT")...)
	return nil
}

// TestFormerFileKeepsTheContract: a file whose items an earlier version made without rowids answers as a new one does, and nothing of it
// is called different.
func TestFormerFileKeepsTheContract(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Store {
		path := filepath.Join(t.TempDir(), "t.db")
		return formerTable{Table: openTable(t, path), t: t, path: path}
	})
	path := filepath.Join(t.TempDir(), "t.db")
	f := formerTable{Table: openTable(t, path), t: t, path: path}
	for range 2 {
		if err := f.Create(t.Context(), sinks.Shape{}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := open(path, mustExist)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if n, err := c.number("SELECT count(*) FROM sqlite_schema WHERE name = 'items' AND sql LIKE '%WITHOUT ROWID'"); n != 1 || err != nil {
		t.Errorf("the file's items have rowids (%v): it is none of an earlier version", err)
	}
	if d, err := f.Describe(t.Context()); err != nil || d.Differences != nil {
		t.Errorf("Describe = %+v, %v, want no differences", d, err)
	}
	if a, err := f.Alter(t.Context(), sinks.Change{}); err != nil || a.Done != nil {
		t.Errorf("Alter = %+v, %v, want nothing done", a, err)
	}
}
