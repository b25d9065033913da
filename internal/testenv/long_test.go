package testenv

import "testing"

// fatal is a test that ends as soon as it fails.
type fatal struct {
	testing.TB
	failed bool
}

func (f *fatal) Name() string          { return "TestThatTheMakefileDoesNotName" }
func (f *fatal) Helper()               {}
func (f *fatal) Fatalf(string, ...any) { f.failed = true; panic(f) }
func (f *fatal) Skip(...any)           { panic(f) }

func TestLongTestsAreThoseOfTheMakefile(t *testing.T) {
	for _, c := range []struct {
		pattern, test string
		run           bool
	}{
		{"^TestA$/real", "TestA/real", true},
		{"^TestA$/real", "TestA/kfake", false},
		{"^TestA$/real", "TestA", true}, // Or its part could not run.
		{"^TestA$", "TestA/any/part", true},
		{"^TestA$", "TestAB", false},
	} {
		if names(c.pattern, c.test) != c.run {
			t.Errorf("-run=%s runs %s: want %v", c.pattern, c.test, c.run)
		}
	}
	patterns, err := longTests()
	if err != nil || len(patterns) < 10 {
		t.Fatalf("long tests of the Makefile: %q, %v", patterns, err)
	}
	unnamed := &fatal{}
	func() {
		defer func() {
			if r := recover(); r != unnamed {
				panic(r)
			}
		}()
		Long(unnamed)
	}()
	if !unnamed.failed {
		t.Error("a test that LONG does not name was skipped, and no target would run it")
	}
}
