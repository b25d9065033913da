// Package realdata finds the real data that lies beside the checkout, in ../shared/data, for tests. Nobody of this project
// made it, and it is no part of the program: where it is not there, the tests that need it are skipped with one line that
// says so. FOOTFALL_TEST_REQUIRE_DATA=1 turns that into a failure, for CI.
package realdata

import (
	"os"
	"path/filepath"
	"testing"
)

// Path returns where a file lies, as in "badinput/blns.json". It skips the test, or fails it, where the file is not.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(root(tb), "..", "shared", "data", name)
	switch _, err := os.Stat(path); {
	case err == nil:
	case os.IsNotExist(err) && os.Getenv("FOOTFALL_TEST_REQUIRE_DATA") != "1":
		tb.Skipf("needs real data: %v", err)
	default:
		tb.Fatalf("needs real data: %v", err)
	}
	return path
}

// Read returns a file's bytes; it skips and fails as Path does.
func Read(tb testing.TB, name string) []byte {
	tb.Helper()
	b, err := os.ReadFile(Path(tb, name))
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// root is the directory of the module: that of go.mod, above the one that the package's tests run in.
func root(tb testing.TB) string {
	tb.Helper()
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		if _, e := os.Stat(filepath.Join(dir, "go.mod")); e == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			err = os.ErrNotExist
		}
	}
	tb.Fatalf("find go.mod above the test: %v", err)
	return ""
}
