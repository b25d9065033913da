package analyze

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/sinks"
)

// item is one of many.
func item(n int) sinks.Item {
	pk, sk := fmt.Sprint("SITE#", n%7), fmt.Sprintf("%05d", n)
	return sinks.Item{sinks.AttrPK: sinks.Str(pk), sinks.AttrSK: sinks.Str(sk), "n": sinks.Int(int64(n))}
}

// filled is a table with items that take more than may stay in memory.
func filled(t *testing.T, kept string) *figuresTable {
	t.Helper()
	cmd := new(cobra.Command)
	cmd.SetContext(t.Context())
	cmd.Flags().String("table", "", "")
	if kept != "" {
		if err := cmd.Flags().Set("table", "sqlite://"+kept); err != nil {
			t.Fatal(err)
		}
	}
	table, err := newTable(cmd)
	if err != nil {
		t.Fatal(err)
	}
	table.most = 2000
	for n := range 500 {
		if _, err := table.Put(t.Context(), sinks.Put{Item: item(n)}); err != nil {
			t.Fatal(err)
		}
	}
	if table.held != nil {
		t.Fatalf("%d bytes are in memory, want all in a file", table.held.Bytes())
	}
	return table
}

// hasAll fails the test for an item that the table has not.
func hasAll(t *testing.T, table sinks.Table) {
	t.Helper()
	for n := range 500 {
		key := item(n).Key()
		found, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
		if err != nil || found.Items[key]["n"].Int() != int64(n) {
			t.Fatalf("item %d: %v, %v", n, found.Items[key], err)
		}
	}
}

// What is too large for memory moves to a temporary file, which is gone at the end.
func TestFiguresMoveToAFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	table := filled(t, "")
	hasAll(t, table)
	if made, err := os.ReadDir(os.TempDir()); len(made) != 1 || err != nil {
		t.Errorf("temporary folders %v, %v, want one", made, err)
	}
	if err := table.close(true); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

// The file that --table names keeps the figures of a complete count; of another there is none.
func TestFiguresAreKeptWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kept.db")
	if err := filled(t, path).close(true); err != nil {
		t.Fatal(err)
	}
	kept, err := connect.Open(t.Context(), "sqlite://"+path)
	if err != nil {
		t.Fatal(err)
	}
	hasAll(t, kept)
	if err := kept.Close(); err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "part.db")
	if err := filled(t, path).close(false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of a count that did not end: %v", err)
	}
}
