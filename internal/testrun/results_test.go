package main

import (
	"slices"
	"strings"
	"testing"
)

const printed = `
{"Action":"run","Package":"github.com/footfall/footfall/query","Test":"TestTop"}
{"Action":"output","Package":"github.com/footfall/footfall/query","Test":"TestTop/a_b(c)","Output":"want 3\n"}
{"Action":"fail","Package":"github.com/footfall/footfall/query","Test":"TestTop/a_b(c)"}
{"Action":"fail","Package":"github.com/footfall/footfall/query","Test":"TestTop"}
{"Action":"pass","Package":"github.com/footfall/footfall/query","Test":"TestTop/d"}
{"Action":"run","Package":"github.com/footfall/footfall/sinks","Test":"TestPanics"}
{"Action":"output","Package":"github.com/footfall/footfall/sinks","Test":"TestSlow","Output":"slow: make test-all runs it\n"}
{"Action":"skip","Package":"github.com/footfall/footfall/sinks","Test":"TestSlow"}
{"Action":"output","Package":"github.com/footfall/footfall/e2e","Test":"TestSeeds","Output":"slow: make test-all runs it\n"}
{"Action":"pass","Package":"github.com/footfall/footfall/e2e","Test":"TestSeeds"}
{"Action":"output","Package":"github.com/footfall/footfall/e2e","Test":"TestReal","Output":"needs Docker\n"}
{"Action":"skip","Package":"github.com/footfall/footfall/e2e","Test":"TestReal"}
{"Action":"fail","Package":"github.com/footfall/footfall/sinks"}
`

func results(t *testing.T) map[test]result {
	t.Helper()
	all, err := read(strings.NewReader(printed))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFailuresSayHowToRepeatThem(t *testing.T) {
	want := []string{
		`again: go test ./query -count=1 -run '^TestTop$/^a_b\(c\)$'`,
		`again: go test ./sinks -count=1 -run '^TestPanics$'`,
	}
	if got := again(results(t), false); !slices.Equal(got, want) {
		t.Errorf("without -all: %q, want %q", got, want)
	}
	if got := again(results(t), true); len(got) != 2 || !strings.HasPrefix(got[0], "again: FOOTFALL_TEST_ALL=1 go test ./query ") {
		t.Errorf("with -all: %q", got)
	}
}

func TestCompleteRunsLeaveOnlySlowTestsOut(t *testing.T) {
	if got := incomplete(results(t)); len(got) != 1 || !strings.Contains(got[0], "e2e TestReal\nneeds Docker") {
		t.Errorf("tests that left themselves out: %q, want TestReal", got)
	}
}

func TestSlowTestsAreFound(t *testing.T) {
	got := slowTests(results(t))
	if want := []test{{"e2e", "TestSeeds"}, {"sinks", "TestSlow"}}; !slices.Equal(got, want) {
		t.Errorf("slow tests: %v, want %v", got, want)
	}
	if p := pattern(got); p != "^TestSeeds$|^TestSlow$" {
		t.Errorf("their pattern: %s", p)
	}
	if p := packages(got); !slices.Equal(p, []string{"./e2e", "./sinks"}) {
		t.Errorf("their packages: %v", p)
	}
}

func TestTwoRunsShareTestsByFolder(t *testing.T) {
	tests := []test{{"e2e", "TestA"}, {"internal/bench", "TestB"}, {"pipeline", "TestC"}}
	const folders = "e2e internal/bench"
	if got := (options{in: folders}).ofFolders(tests); !slices.Equal(got, tests[:2]) {
		t.Errorf("in: %v", got)
	}
	if got := (options{notIn: folders}).ofFolders(tests); !slices.Equal(got, tests[2:]) {
		t.Errorf("not in: %v", got)
	}
	if got := (options{}).ofFolders(tests); !slices.Equal(got, tests) {
		t.Errorf("neither: %v", got)
	}
}
