package layers

import (
	"bytes"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

// loaded are the public packages of this module, with the types of their exported declarations.
func loaded(t *testing.T) map[string]*types.Package {
	t.Helper()
	all := goList(t)
	from := compiled(token.NewFileSet(), all)
	public := make(map[string]*types.Package)
	for _, p := range all {
		path := p.ImportPath
		name, own := strings.CutPrefix(path, module)
		if !own || internal(path) || strings.HasPrefix(name, "cmd/") || strings.HasPrefix(name, "e2e") || strings.HasPrefix(name, "examples") {
			continue
		}
		if name == "pipeline/aggregate" { // The engine's own: its folds take the rules of sites as they are.
			continue
		}
		types, err := from.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		public[name] = types
	}
	return public
}

// compiled imports packages that go list -export has listed.
func compiled(fset *token.FileSet, all []listed) types.Importer {
	files := make(map[string]string)
	for _, p := range all {
		files[p.ImportPath] = p.Export
	}
	return importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(files[path]) })
}

func internal(path string) bool {
	return strings.HasPrefix(path, module) && slices.Contains(strings.Split(path, "/"), "internal")
}

// named collects the types of internal packages that the exported part of a package names.
type named struct {
	pkg   *types.Package
	at    string              // the declaration being looked at
	seen  map[types.Type]bool // a type is looked at once
	found map[string]bool     // "Declaration: internal/sites.Rules"
}

func (n *named) look(t types.Type) {
	if t == nil || n.seen[t] {
		return
	}
	n.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		n.look(types.Unalias(t))
	case *types.Named:
		object := t.Obj()
		if object.Pkg() != nil && internal(object.Pkg().Path()) {
			n.found[n.at+": "+strings.TrimPrefix(object.Pkg().Path(), module)+"."+object.Name()] = true
		}
		for arg := range t.TypeArgs().Types() {
			n.look(arg)
		}
		if object.Pkg() != n.pkg {
			return
		}
		n.look(t.Underlying())
		for m := range t.Methods() {
			if m.Exported() {
				n.look(m.Type())
			}
		}
	case *types.Signature:
		n.look(t.Params())
		n.look(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			n.look(v.Type())
		}
	case *types.Struct:
		for f := range t.Fields() {
			if f.Exported() {
				n.look(f.Type())
			}
		}
	case *types.Interface:
		for m := range t.Methods() {
			n.look(m.Type())
		}
	case *types.Map:
		n.look(t.Key())
		n.look(t.Elem())
	case interface{ Elem() types.Type }: // Pointers, slices, arrays and channels.
		n.look(t.Elem())
	}
}

// TestNoAPINamesInternalTypes: what a Go program may import can be spelled by it.
func TestNoAPINamesInternalTypes(t *testing.T) {
	for name, p := range loaded(t) {
		n := named{pkg: p, found: make(map[string]bool)}
		for _, declared := range p.Scope().Names() {
			if object := p.Scope().Lookup(declared); object.Exported() {
				n.at, n.seen = declared, make(map[types.Type]bool)
				n.look(object.Type())
			}
		}
		for _, what := range slices.Sorted(maps.Keys(n.found)) {
			t.Errorf("package %s: %s", name, what)
		}
	}
}

// TestPublicPackagesHaveExamples: each package that Go programs may import shows its use.
func TestPublicPackagesHaveExamples(t *testing.T) {
	for _, name := range []string{"config", "pipeline", "query", "query/ranges", "query/filters", "query/figures", "sinks",
		"sinks/dynamo", "sinks/memory", "sinks/retry", "sinks/sqlite", "sketch", "visitorid", "footfalltest", "footfalltest/containers"} {
		text, err := os.ReadFile("../../" + name + "/example_test.go")
		if err != nil || !bytes.Contains(text, []byte("\nfunc Example")) {
			t.Errorf("package %s has no example_test.go with an Example: %v", name, err)
		}
	}
}
