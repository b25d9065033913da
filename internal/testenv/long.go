package testenv

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Long skips a test that takes minutes, unless FOOTFALL_TEST_LONG=1 asks for such tests. A test that the list LONG of the
// Makefile does not name would never run, so it fails.
func Long(t testing.TB) {
	t.Helper()
	named, err := longTests()
	if err != nil {
		t.Fatalf("reading LONG, the long tests of the Makefile: %v", err)
	}
	if !slices.ContainsFunc(named, func(pattern string) bool { return names(pattern, t.Name()) }) {
		t.Fatalf("%s asks for testenv.Long, and LONG in the Makefile does not name it", t.Name())
	}
	if os.Getenv("FOOTFALL_TEST_LONG") != "1" {
		t.Skip("takes minutes: make test-long")
	}
}

// names says whether -run=pattern runs the test of that name.
func names(pattern, test string) bool {
	parts := strings.Split(pattern, "/")
	for i, name := range strings.Split(test, "/") {
		if i < len(parts) && !regexp.MustCompile(parts[i]).MatchString(name) {
			return false
		}
	}
	return true
}

// longTests are the patterns that the module's Makefile gives LONG.
func longTests() ([]string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "Makefile"))
		if err == nil {
			_, list, _ := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\nLONG =")
			list, _, _ = strings.Cut(list, "\n")
			return strings.Fields(strings.ReplaceAll(list, "$$", "$")), nil
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		return nil, err
	}
}
