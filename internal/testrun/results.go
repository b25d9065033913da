package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/slow"
)

// module is the prefix of our packages' paths.
const module = "github.com/footfall/footfall/"

// A test is a test or a subtest of a package, which is named by its folder.
type test struct{ pkg, name string }

// A result is what became of a test.
type result struct {
	action string // pass, fail or skip; empty: it has not ended
	output string
}

// readFile reads a file of go test -json.
func readFile(name string) (map[test]result, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f)
}

func read(r io.Reader) (map[test]result, error) {
	all := make(map[test]result)
	for decoder := json.NewDecoder(r); ; {
		var e struct{ Action, Package, Test, Output string }
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("results of the tests: %w", err)
		}
		if e.Test == "" {
			continue
		}
		t := test{strings.TrimPrefix(e.Package, module), e.Test}
		one := all[t]
		one.output += e.Output
		switch e.Action {
		case "pass", "fail", "skip":
			one.action = e.Action
		}
		all[t] = one
	}
}

// order sorts tests by package and name.
func order(a, b test) int { return strings.Compare(a.pkg+" "+a.name, b.pkg+" "+b.name) }

// again returns a command for each test that failed, or was running when its process ended, which runs it alone. A test whose subtests
// failed has none of its own.
func again(results map[test]result, all bool) (lines []string) {
	for _, t := range slices.SortedFunc(maps.Keys(results), order) {
		if a := results[t].action; a == "pass" || a == "skip" || within(results, t) {
			continue
		}
		prefix := ""
		if all {
			prefix = slow.Env + "=1 "
		}
		lines = append(lines, fmt.Sprintf("again: %sgo test ./%s -count=1 -run '%s'", prefix, t.pkg, one(t)))
	}
	return lines
}

// within reports whether a subtest of a test has failed.
func within(results map[test]result, t test) bool {
	for other, r := range results {
		if other.pkg == t.pkg && strings.HasPrefix(other.name, t.name+"/") && r.action != "pass" && r.action != "skip" {
			return true
		}
	}
	return false
}

// incomplete returns the tests that left themselves out, and not for being slow.
func incomplete(results map[test]result) (lines []string) {
	for _, t := range slices.SortedFunc(maps.Keys(results), order) {
		if r := results[t]; r.action == "skip" && !strings.Contains(r.output, slow.Reason) {
			lines = append(lines, t.pkg+" "+t.name+"\n"+r.output)
		}
	}
	return lines
}

// slowTests returns the tests that left themselves out for being slow, or ran a part of their cases.
func slowTests(results map[test]result) (slowOnes []test) {
	for _, t := range slices.SortedFunc(maps.Keys(results), order) {
		if strings.Contains(results[t].output, slow.Reason) {
			slowOnes = append(slowOnes, t)
		}
	}
	return slowOnes
}

// one is the pattern of go test -run for a test alone.
func one(t test) string {
	parts := strings.Split(t.name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// pattern is that for all of some tests. A test of the same name in another of their packages runs as well.
func pattern(tests []test) string {
	var all []string
	for _, t := range tests {
		all = append(all, one(t))
	}
	slices.Sort(all)
	return strings.Join(slices.Compact(all), "|")
}

// packages returns the packages of tests as arguments of go test.
func packages(tests []test) (paths []string) {
	for _, t := range tests {
		paths = append(paths, "./"+t.pkg)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
