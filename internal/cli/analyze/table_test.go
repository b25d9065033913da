package analyze

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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

// tableFlag is a command with the flag --table sqlite://PATH, without it if there is no path.
func tableFlag(t *testing.T, path string) *cobra.Command {
	t.Helper()
	cmd := new(cobra.Command)
	cmd.SetContext(t.Context())
	cmd.Flags().String("table", "", "")
	if path != "" {
		if err := cmd.Flags().Set("table", "sqlite://"+path); err != nil {
			t.Fatal(err)
		}
	}
	return cmd
}

func emptyTable(t *testing.T, kept string) *figuresTable {
	t.Helper()
	table, err := newTable(tableFlag(t, kept))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// filled is a table with items that take more than may stay in memory.
func filled(t *testing.T, kept string) *figuresTable {
	t.Helper()
	table := emptyTable(t, kept)
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

// A move that fails, as it does where the count is interrupted, leaves no folder, and is not tried again by those who wait for it.
func TestFailedMoveLeavesNothing(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	table := emptyTable(t, "")
	table.most = -1
	ended, end := context.WithCancelCause(t.Context())
	end(errInterrupted)
	for _, ctx := range []context.Context{ended, t.Context()} {
		if _, err := table.Put(ctx, sinks.Put{Item: item(0)}); !errors.Is(err, errInterrupted) {
			t.Errorf("Put = %v, want %v", err, errInterrupted)
		}
	}
	if err := table.close(false); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
		t.Errorf("left %v, %v", left, err)
	}
}

var errInterrupted = errors.New("interrupted")

// A file that cannot be made, or that is there, is an error before anything is counted.
func TestFileThatCannotBeMade(t *testing.T) {
	there := filepath.Join(t.TempDir(), "there.db")
	if err := os.WriteFile(there, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	nowhere := filepath.Join(t.TempDir(), "none", "kept.db")
	for path, want := range map[string]string{there: "the file exists", nowhere: "there is no directory"} {
		if _, err := newTable(tableFlag(t, path)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("--table sqlite://%s: %v, want %q", path, err, want)
		}
	}
	if text, err := os.ReadFile(there); string(text) != "theirs" {
		t.Errorf("the file that was there has %q, %v", text, err)
	}
	// It appears while the lines are counted.
	path := filepath.Join(t.TempDir(), "kept.db")
	table := emptyTable(t, path)
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(table.move(t.Context()), table.close(false)); err == nil {
		t.Error("the figures moved into the file of another")
	}
	if text, err := os.ReadFile(path); string(text) != "theirs" {
		t.Errorf("the file of another has %q, %v", text, err)
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
