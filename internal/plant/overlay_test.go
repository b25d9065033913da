package main

import (
	"strings"
	"testing"
)

const source = `package p

import "os"

// F has a comment.
func F(n int) int {
	m := n // How many.
	for range 2 {
		m++
	}
	if m > 3 && // why
		m < 5 {
		m--
	}
	return m
}

type T struct{}

func (t *T) F() {
	os.Exit(0)
	os.Exit(1)
	os.Exit(0)
}
`

// changesOf returns the edits of a table's text.
func changesOf(t *testing.T, text string) (changes []change) {
	t.Helper()
	bugs, err := parseTable("t", text)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bugs {
		for _, e := range b.edits {
			changes = append(changes, change{edit: e, bug: b.name})
		}
	}
	return changes
}

// entry returns the text of a bug with one edit.
func entry(name, function string, diff ...string) string {
	return "## " + name + "\n\nWhat.\n\ncaught by: simulation\n\n--- p.go " + function + "\n" + strings.Join(diff, "\n") + "\n\n"
}

func TestBugsOfAFileAreMerged(t *testing.T) {
	text := entry("inserted after", "F", " m := n", "+m = math.MaxInt", `+import "math"`) +
		entry("inserted before", "F", "+m = 0", " for range 2 { m++ }") +
		entry("replaced", "F", " if m > 3 && m < 5 {", "-\tm--", "+\tm++", " }") +
		entry("removed", "F", "-m++") +
		entry("at the end", "F", "-return m", "+return 7") +
		entry("of a method", "T.F", " os.Exit(1)", "-os.Exit(0)")
	pkg, got, err := mutate("p.go", []byte(source), changesOf(t, text))
	if err != nil {
		t.Fatal(err)
	}
	const want = `package p

import "math"

import "os"

// F has a comment.
func F(n int) int {
	m := n
	if plantedBug == "inserted after" {
		m = math.MaxInt
	}
	// How many.
	if plantedBug == "inserted before" {
		m = 0
	}
	for range 2 {
		if plantedBug != "removed" {
			m++
		}
	}
	if plantedBug == "replaced" {
		if m > 3 && m < 5 {
			m++
		}
	} else {
		if m > 3 && // why
			m < 5 {
			m--
		}
	}
	if plantedBug == "at the end" {
		return 7
	} else {
		return m
	}
}

type T struct{}

func (t *T) F() {
	os.Exit(0)
	os.Exit(1)
	if plantedBug != "of a method" {
		os.Exit(0)
	}
}
`
	if pkg != "p" || string(got) != want {
		t.Errorf("package %s:\n%s", pkg, got)
	}
}

func TestEditsThatDoNotFit(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"not there", entry("b", "F", "-m += 2"), "there 0 times"},
		{"twice", entry("b", "T.F", "-os.Exit(0)"), "there 2 times"},
		{"in another function", entry("b", "T.F", "-m++"), "there 0 times"},
		{"no such function", entry("b", "G", "-m++"), "no such function"},
		{"half a statement", entry("b", "F", "-for range 2 {"), "want whole statements"},
		{"half a statement instead", entry("b", "F", "-m++", "+for {"), "want whole statements"},
		{"no place", entry("b", "F", "+m++"), "there is no old text"},
		{"no change", entry("b", "F", " m++"), "the new text is the old text"},
		{"declaration", entry("b", "F", "-m := n", "+m := 0"), "it replaces a declaration"},
		{"the same statement", entry("a", "F", "-m++") + entry("b", "F", "-m++", "+m--"), `bug "b" overlaps bug "a"`},
		{"around a statement", entry("a", "F", "-for range 2 { m++ }") + entry("b", "F", "-m++"), `bug "b" overlaps bug "a"`},
		{"inserted in a statement", entry("a", "F", "-for range 2 { m++ }") + entry("b", "F", " m++", "+m++"), `bug "b" overlaps bug "a"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, got, err := mutate("p.go", []byte(source), changesOf(t, c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q\n%s", err, c.says, got)
			}
		})
	}
}
