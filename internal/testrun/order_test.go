package main

import (
	"path/filepath"
	"slices"
	"testing"
)

func TestLongestPackagesComeFirst(t *testing.T) {
	got := longestFirst([]string{"-count=1", "./...", "-v"})
	if len(got) != len(longest)+3 || got[0] != "-count=1" || got[1] != "./"+longest[0] || got[len(longest)+1] != "./..." {
		t.Errorf("all packages: %q", got)
	}
	if got := longestFirst([]string{"-count=1", "./query/..."}); !slices.Equal(got, []string{"-count=1", "./query/..."}) {
		t.Errorf("some packages: %q", got)
	}
	for _, p := range longest {
		if tests, err := filepath.Glob(filepath.Join("../..", p, "*_test.go")); err != nil || len(tests) == 0 {
			t.Errorf("package %s has no tests: %v", p, err)
		}
	}
}
