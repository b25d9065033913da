// Package realdata finds the real data that lies beside the checkout, in ../shared/data, for tests, and has it counted by scripts
// that share no code with the program. Nobody of this project made it, and it is no part of the program: where it, or what runs
// the scripts, is not there, the tests that need it are skipped with one line that says so. FOOTFALL_TEST_REQUIRE_DATA=1 turns
// that into a failure, for CI.
package realdata

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Path returns where a file lies, as in "badinput/blns.json". It skips the test, or fails it, where the file is not.
func Path(tb testing.TB, name string) string {
	tb.Helper()
	path := filepath.Join(root(tb), "..", "shared", "data", name)
	_, err := os.Stat(path)
	need(tb, "real data", err, os.IsNotExist(err))
	return path
}

// Recounted compares a file with what a script of the project, in Python, prints about all the data. It skips and fails as Path
// does, and where there is no Python as well. The file is named as seen from the module, and so is the script.
func Recounted(tb testing.TB, script, file string) {
	tb.Helper()
	python := Python(tb)
	data, root := filepath.Dir(Path(tb, "access-log")), root(tb)
	printed, err := exec.CommandContext(tb.Context(), python, filepath.Join(root, script), data).Output()
	if err != nil {
		tb.Fatalf("%s: %v", script, err)
	}
	if want, err := os.ReadFile(filepath.Join(root, file)); err != nil || !bytes.Equal(printed, want) {
		tb.Errorf("%v; the script prints\n%s\nwant\n%s\nwritten by: %s >%s", err, printed, want, script, file)
	}
}

// Python returns the path of Python 3; it skips and fails as Path does.
func Python(tb testing.TB) string {
	tb.Helper()
	python, err := exec.LookPath("python3")
	need(tb, "python3", err, errors.Is(err, exec.ErrNotFound))
	return python
}

// need skips the test where something is missing, and fails it where that may not be, or where the error is another.
func need(tb testing.TB, what string, err error, missing bool) {
	tb.Helper()
	switch {
	case err == nil:
	case missing && os.Getenv("FOOTFALL_TEST_REQUIRE_DATA") != "1":
		tb.Skipf("needs %s: %v", what, err)
	default:
		tb.Fatalf("needs %s: %v", what, err)
	}
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
