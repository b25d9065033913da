// Package golden compares what tests make with files that are committed, and rewrites these files with -update.
package golden

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden and generated files")

// Updating reports whether the test is to rewrite its files.
func Updating() bool { return *update }

// Check compares a text with a file. The error lists the lines that are not in both.
func Check(t testing.TB, file, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: write it with -update", err)
	}
	if text == string(want) {
		return
	}
	had, has := strings.Split(string(want), "\n"), strings.Split(text, "\n")
	for _, line := range had {
		if !slices.Contains(has, line) {
			t.Errorf("%s: gone or changed: %s", file, line)
		}
	}
	for _, line := range has {
		if !slices.Contains(had, line) {
			t.Errorf("%s: new or changed: %s", file, line)
		}
	}
	t.Errorf("%s is not current: review the change, then run this test with -run %s -update", file, t.Name())
}

// CheckPart compares a text with the part of a document that the tests of a package write, such as ./internal/schema: the lines between
// <!-- written by go test ./internal/schema -update --> and <!-- end -->.
func CheckPart(t testing.TB, file, pkg, part string) {
	t.Helper()
	document, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	begin, end := "<!-- written by go test "+pkg+" -update -->\n", "<!-- end -->\n"
	head, rest, begins := strings.Cut(string(document), begin)
	written, tail, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s: no lines %q and %q", file, begin, end)
	}
	if written == part {
		return
	}
	if !*update {
		t.Fatalf("%s is not current: review the change, then run go test %s -update", file, pkg)
	}
	if err := os.WriteFile(file, []byte(head+begin+part+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
