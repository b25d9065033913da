package layers

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The most that a reader finds in one place. Tests are not counted.
const (
	mostOfPackage  = 5000 // lines
	mostOfFile     = 400  // lines
	mostOfFunction = 60   // lines
	mostFields     = 25
	mostMethods    = 35
)

// larger may have more, up to what they have: public types, whose fields and methods users name. No number here may
// grow.
var larger = map[string]int{
	"type pipeline.Options":      29, // a field for each option
	"type query/figures.Figures": 28, // a field for each figure
	"type query.Site":            26, // a field for each thing that is decided of a site

	"type internal/verify/finding.Report": 26, // a field for each part of the report in JSON

	"methods of sinks.Keys": 69, // one for each kind of key
}

// house has what is counted of the whole module.
type house struct {
	t     *testing.T
	fset  *token.FileSet
	lines map[string]int // by package
	// methods are those of a type, by package and name.
	methods map[string]int
}

// TestRoomsAreSmall: packages, files, functions and types are no longer than a reader can take in.
func TestRoomsAreSmall(t *testing.T) {
	h := house{t, token.NewFileSet(), make(map[string]int), make(map[string]int)}
	const root = "../.."
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata" || entry.Name() == "tools"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			return h.file(name, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(h.lines) < 20 {
		t.Fatalf("%d packages were found only", len(h.lines))
	}
	for name, n := range h.lines {
		h.most("package "+name, n, mostOfPackage, "lines")
	}
	for name, n := range h.methods {
		h.most("methods of "+name, n, mostMethods, "methods")
	}
}

func (h house) most(what string, n, most int, of string) {
	if most = max(most, larger[what]); n > most {
		h.t.Errorf("%s has %d %s, more than %d: divide it", what, n, of, most)
	}
}

func (h house) file(name, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	n := strings.Count(string(text), "\n")
	pkg := filepath.Dir(name)
	h.lines[pkg] += n
	h.most("file "+name, n, mostOfFile, "lines")
	f, err := parser.ParseFile(h.fset, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(f, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.FuncDecl:
			h.most("function "+pkg+"."+x.Name.Name, h.fset.Position(x.End()).Line-h.fset.Position(x.Pos()).Line+1, mostOfFunction, "lines")
			if x.Recv != nil {
				h.methods[pkg+"."+receiver(x.Recv.List[0].Type)]++
			}
		case *ast.TypeSpec:
			if s, ok := x.Type.(*ast.StructType); ok {
				h.most("type "+pkg+"."+x.Name.Name, s.Fields.NumFields(), mostFields, "fields")
			}
		}
		return true
	})
	return nil
}

// receiver is the name of a method's type.
func receiver(t ast.Expr) string {
	switch x := t.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
