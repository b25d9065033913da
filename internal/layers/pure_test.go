package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pure are packages whose results follow from their arguments: what decides a figure must be the same in a redo.
var pure = []string{"pipeline/aggregate", "pipeline/aggregate/transition", "pipeline/aggregate/plan", "pipeline/aggregate/damage",
	"pipeline/aggregate/internal/additions", "pipeline/aggregate/internal/arena", "pipeline/state", "internal/journal", "sketch"}

// pureImports are what they may import beside packages of ours: no I/O, no clock, no locks.
var pureImports = []string{"bytes", "cmp", "encoding/binary", "errors", "fmt", "hash/crc32", "hash/maphash", "iter", "maps", "math",
	"math/bits",
	"slices", "sort", "strconv", "strings", "unicode/utf8", "unsafe",
	"github.com/axiomhq/hyperloglog", "github.com/cespare/xxhash/v2", "github.com/dchest/siphash", "github.com/klauspost/compress/huff0",
	"github.com/klauspost/compress/s2"}

// clock are the functions of package time that read the clock or wait for it.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "NewTimer", "NewTicker", "Sleep", "Tick"}

// TestFoldsArePure: aggregates, and what they are made of, reach neither the outside nor the time.
func TestFoldsArePure(t *testing.T) {
	all := packages(t)
	for _, name := range pure {
		imports, ok := all[name]
		if !ok {
			t.Errorf("there is no package %s", name)
		}
		for _, path := range imports {
			if !strings.HasPrefix(path, module) && !slices.Contains(pureImports, path) {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}

// TestFoldsHaveNoClock looks for calls of the clock in the folds, and in all packages of ours that they reach. Of the checkpoint they use
// the settings only; its chains have a clock, and the requests that these repeat.
func TestFoldsHaveNoClock(t *testing.T) {
	all := packages(t)
	names := slices.Clone(pure)
	for to := range reached(all, "pipeline/aggregate") {
		names = append(names, to)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if name == "pipeline/checkpoint" || name == "sinks/retry" {
			continue
		}
		for _, call := range clockCalls(t, filepath.Join("..", "..", filepath.FromSlash(name))) {
			t.Errorf("%s: %s", name, call)
		}
	}
	if len(clockCalls(t, filepath.Join("..", "..", "pipeline"))) == 0 {
		t.Error("no call is found in package pipeline, which has some")
	}
}

// clockCalls are the places of a package, tests left out, that name a function of the clock.
func clockCalls(t *testing.T, dir string) (calls []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no Go files: %v", dir, err)
	}
	set := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		called := importName(tree, "time")
		ast.Inspect(tree, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && called != "" && slices.Contains(clock, sel.Sel.Name) {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == called {
					calls = append(calls, set.Position(sel.Pos()).String()+" time."+sel.Sel.Name)
				}
			}
			return true
		})
	}
	return calls
}

// importName is the name that a file has for a package; "": it does not import it.
func importName(file *ast.File, path string) string {
	for _, spec := range file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil && p == path {
			if spec.Name != nil {
				return spec.Name.Name
			}
			return path
		}
	}
	return ""
}
