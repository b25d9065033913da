package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A bug is an entry of the table.
type bug struct {
	name  string
	what  string // the explanation
	by    []catcher
	edits []edit
	where string // file and line of the entry
}

// A catcher is a test that must fail when the bug is planted.
type catcher struct {
	pkg  string // folder in the module
	test string // name of the test, or TEST/SUBTEST
	seed int    // of the simulation: a seed that has noticed the bug before, and is tried first; 0: none is known
}

// simulation is what "caught by: simulation" means.
var simulation = catcher{pkg: "pipeline/simulation", test: "TestSimulation"}

func (c catcher) simulates() bool { return c.pkg == simulation.pkg && c.test == simulation.test }

// An edit replaces statements of a function.
type edit struct {
	file     string // from the module's root, with slashes
	function string // F, or T.F
	old, new string
	imports  []string // paths that the new text needs
	where    string
}

// readTable reads the entries of all files of a folder.
func readTable(dir string) (bugs []bug, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	seen := make(map[string]string)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		more, err := parseTable(filepath.Base(file), string(text))
		if err != nil {
			return nil, err
		}
		for _, b := range more {
			if seen[b.name] != "" {
				return nil, fmt.Errorf("%s: bug %q is also in %s", b.where, b.name, seen[b.name])
			}
			seen[b.name] = b.where
		}
		bugs = append(bugs, more...)
	}
	if len(bugs) == 0 {
		return nil, fmt.Errorf("no bugs in %s", dir)
	}
	return bugs, nil
}

var (
	importLine = regexp.MustCompile(`^import "([^"]+)"$`)
	simulated  = regexp.MustCompile(`^simulation(?:, seed ([1-9]\d{0,8}))?$`)
)

// parseTable reads the entries of a file.
func parseTable(name, text string) (bugs []bug, err error) {
	var b *bug
	var e *edit
	for n, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s:%d", name, n+1)
		kind, rest := byte(0), ""
		if line != "" {
			kind, rest = line[0], line[1:]
		}
		title, isBug := strings.CutPrefix(line, "## ")
		place, isEdit := strings.CutPrefix(line, "--- ")
		by, isCatcher := strings.CutPrefix(line, "caught by: ")
		switch {
		case isBug:
			bugs = append(bugs, bug{name: title, where: where})
			b, e = &bugs[len(bugs)-1], nil
		case b == nil && (line == "" || strings.HasPrefix(line, "# ")): // The file's title and introduction.
		case b == nil:
			return nil, fmt.Errorf("%s: want # TITLE or ## BUG", where)
		case isEdit:
			file, function, ok := strings.Cut(place, " ")
			if !ok {
				return nil, fmt.Errorf("%s: want --- FILE FUNCTION", where)
			}
			b.edits = append(b.edits, edit{file: file, function: function, where: where})
			e = &b.edits[len(b.edits)-1]
		case isCatcher:
			c, err := parseCatcher(where, by)
			if err != nil {
				return nil, err
			}
			b.by = append(b.by, c)
		case line == "":
		case e == nil:
			b.what = strings.TrimSpace(b.what + " " + line)
		case kind == ' ':
			e.old += rest + "\n"
			e.new += rest + "\n"
		case kind == '-':
			e.old += rest + "\n"
		case kind == '+':
			if m := importLine.FindStringSubmatch(rest); m != nil {
				e.imports = append(e.imports, m[1])
			} else {
				e.new += rest + "\n"
			}
		default:
			return nil, fmt.Errorf("%s: want a line of a diff, which begins with a blank, - or +", where)
		}
	}
	for _, b := range bugs {
		if len(b.by) == 0 || len(b.edits) == 0 || b.what == "" {
			return nil, fmt.Errorf("%s: bug %q needs an explanation, a line with \"caught by\" and an edit", b.where, b.name)
		}
	}
	return bugs, nil
}

// parseCatcher reads by what a bug is caught.
func parseCatcher(where, by string) (c catcher, err error) {
	switch pkg, test, ok := strings.Cut(by, " "); {
	case simulated.MatchString(by):
		c = simulation
		c.seed, _ = strconv.Atoi(simulated.FindStringSubmatch(by)[1])
	case strings.HasPrefix(by, "simulation,"):
		return c, fmt.Errorf("%s: no such seed: want caught by: simulation, seed N, with N from 1 to 999999999", where)
	case !ok:
		return c, fmt.Errorf("%s: want caught by: simulation, caught by: simulation, seed N, or caught by: PACKAGE TEST", where)
	default:
		c = catcher{pkg: pkg, test: test}
	}
	return c, nil
}

// writeSeeds names in the files of a folder, for each bug, the seed in which the simulation noticed it.
func writeSeeds(dir string, seeds map[string]int) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if more := withSeeds(string(text), seeds); more != string(text) {
			if err := os.WriteFile(file, []byte(more), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}

// withSeeds is writeSeeds for the text of one file.
func withSeeds(text string, seeds map[string]int) string {
	lines, seed := strings.Split(text, "\n"), 0
	for i, line := range lines {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			seed = seeds[title]
		}
		if by, ok := strings.CutPrefix(line, "caught by: "); ok && seed > 0 && simulated.MatchString(by) {
			lines[i] = fmt.Sprintf("caught by: simulation, seed %d", seed)
		}
	}
	return strings.Join(lines, "\n")
}
