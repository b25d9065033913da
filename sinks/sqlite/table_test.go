package sqlite

import (
	"path/filepath"
	"testing"

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

func TestMemoryKeepsTheContract(t *testing.T) {
	sinktest.Run(t, func(t *testing.T) sinktest.Store { return openTable(t, Memory) })
}
