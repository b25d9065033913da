package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// chooses is the environment variable that names the bug to plant. Without it none is planted.
const chooses = "FOOTFALL_PLANTED_BUG"

// writeOverlay writes the sources with all bugs to a folder, and overlay.json for the go command.
func writeOverlay(root, dir string, bugs []bug) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	byFile := make(map[string][]change)
	var errs []error
	for _, b := range bugs {
		for _, e := range b.edits {
			byFile[e.file] = append(byFile[e.file], change{edit: e, bug: b.name})
		}
	}
	replace := make(map[string]string)
	write := func(file string, text []byte) error {
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "__")+".txt") // No Go file, or the go command may take it for one of ours.
		replace[filepath.Join(root, filepath.FromSlash(file))] = to
		return os.WriteFile(to, text, 0o644)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", byFile[file][0].where, err))
			continue
		}
		pkg, text, err := mutate(file, source, byFile[file])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		choice := fmt.Sprintf("package %s\n\nimport \"os\"\n\nvar plantedBug = os.Getenv(%q)\n", pkg, chooses)
		if err := errors.Join(write(file, text), write(path.Join(path.Dir(file), "plantedbug.go"), []byte(choice))); err != nil {
			return err
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	list, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(overlayFile(dir), list, 0o644)
}

func overlayFile(dir string) string { return filepath.Join(dir, "overlay.json") }

// A change is an edit with its place in the source.
type change struct {
	edit
	bug      string
	from, to int    // what it replaces; from == to: it only inserts
	text     string // what is there instead
}

// mutate returns the file with all changes, each under the condition that its bug is planted.
func mutate(file string, source []byte, changes []change) (pkg string, text []byte, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return "", nil, err
	}
	var errs []error
	for i := range changes {
		if err := changes[i].place(fset, tree, source); err != nil {
			errs = append(errs, fmt.Errorf("%s: bug %q, %s %s: %w", changes[i].where, changes[i].bug, file, changes[i].function, err))
		}
	}
	if len(errs) > 0 {
		return "", nil, errors.Join(errs...)
	}
	slices.SortStableFunc(changes, func(a, b change) int {
		if a.from != b.from {
			return a.from - b.from
		}
		return a.to - b.to
	})
	imported := make(map[string]bool)
	for _, i := range tree.Imports {
		imported[strings.Trim(i.Path.Value, `"`)] = true
	}
	var out bytes.Buffer
	at := fset.Position(tree.Name.End()).Offset
	out.Write(source[:at])
	for _, c := range changes {
		for _, path := range c.imports {
			if !imported[path] {
				imported[path] = true
				fmt.Fprintf(&out, "\n\nimport %q", path)
			}
		}
	}
	var last change
	for _, c := range changes {
		if c.from < last.to {
			return "", nil, fmt.Errorf("%s: bug %q overlaps bug %q of %s", c.where, c.bug, last.bug, last.where)
		}
		out.Write(source[at:c.from])
		out.WriteString(c.text)
		at, last = c.to, c
	}
	out.Write(source[at:])
	text, err = format.Source(out.Bytes())
	if err != nil {
		return "", nil, fmt.Errorf("%s with its bugs: %w", file, err)
	}
	return tree.Name.Name, text, nil
}

// place finds the statements in the source, and what differs between the old and the new ones.
func (c *change) place(fset *token.FileSet, tree *ast.File, source []byte) error {
	old, err := statements(c.old)
	if err != nil {
		return fmt.Errorf("old text: %w", err)
	}
	wrong, err := statements(c.new)
	if err != nil {
		return fmt.Errorf("new text: %w", err)
	}
	if len(old) == 0 {
		return errors.New("there is no old text: name a statement before or after")
	}
	function := findFunction(tree, c.function)
	if function == nil {
		return errors.New("no such function")
	}
	found := find(fset, function, old)
	if len(found) != 1 {
		return fmt.Errorf("the old text is there %d times, want once:\n%s", len(found), c.old)
	}
	same := 0
	for same < min(len(old), len(wrong)) && old[same].tokens == wrong[same].tokens {
		same++
	}
	tail := 0
	for tail < min(len(old), len(wrong))-same && old[len(old)-1-tail].tokens == wrong[len(wrong)-1-tail].tokens {
		tail++
	}
	if same == len(old) && same == len(wrong) {
		return errors.New("the new text is the old text")
	}
	replaced, by := found[0][same:len(old)-tail], ""
	for _, s := range wrong[same : len(wrong)-tail] {
		by += s.text + "\n"
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	switch {
	case len(replaced) > 0:
		if slices.ContainsFunc(replaced, declares) {
			return errors.New("it replaces a declaration: keep that, and add an assignment")
		}
		c.from, c.to = offset(replaced[0].Pos()), offset(replaced[len(replaced)-1].End())
		if by == "" {
			c.text = fmt.Sprintf("if plantedBug != %q {\n%s\n}", c.bug, source[c.from:c.to])
		} else {
			c.text = fmt.Sprintf("if plantedBug == %q {\n%s} else {\n%s\n}", c.bug, by, source[c.from:c.to])
		}
	case same > 0:
		c.from = offset(found[0][same-1].End())
		c.text = fmt.Sprintf("\nif plantedBug == %q {\n%s}\n", c.bug, by)
	default:
		c.from = offset(found[0][0].Pos())
		c.text = fmt.Sprintf("if plantedBug == %q {\n%s}\n", c.bug, by)
	}
	c.to = max(c.from, c.to)
	return nil
}

// A statement of an edit.
type statement struct {
	text   string
	tokens string
}

// statements returns the statements of a text.
func statements(text string) (list []statement, err error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", "package p\nfunc _() {\n"+text+"\n}\n", parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("want whole statements: %w:\n%s", err, text)
	}
	for _, s := range tree.Decls[0].(*ast.FuncDecl).Body.List {
		list = append(list, spelled(fset, s))
	}
	return list, nil
}

// spelled returns a statement without its comments.
func spelled(fset *token.FileSet, s ast.Stmt) statement {
	var b bytes.Buffer
	if err := format.Node(&b, fset, s); err != nil {
		panic(err) // It was parsed.
	}
	return statement{b.String(), tokens(b.Bytes())}
}

// tokens returns what counts of a text: its tokens, without the commas and semicolons that depend on line breaks.
func tokens(text []byte) string {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var scan scanner.Scanner
	scan.Init(file, text, nil, 0)
	var list []string
	for {
		_, tok, lit := scan.Scan()
		switch tok {
		case token.EOF:
			return strings.Trim(strings.Join(list, " "), " ;")
		case token.RPAREN, token.RBRACK, token.RBRACE:
			for len(list) > 0 && (list[len(list)-1] == ";" || list[len(list)-1] == ",") {
				list = list[:len(list)-1]
			}
		}
		if tok.IsLiteral() {
			list = append(list, lit)
		} else {
			list = append(list, tok.String())
		}
	}
}

// findFunction returns the function F, or the method T.F.
func findFunction(tree *ast.File, name string) *ast.FuncDecl {
	for _, d := range tree.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil && functionName(f) == name {
			return f
		}
	}
	return nil
}

func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	t := f.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if g, ok := t.(*ast.IndexExpr); ok {
		t = g.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name + "." + f.Name.Name
	}
	return f.Name.Name
}

// find returns all rows of statements of the function that are the wanted ones.
func find(fset *token.FileSet, function *ast.FuncDecl, want []statement) (found [][]ast.Stmt) {
	ast.Inspect(function, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for i := 0; i+len(want) <= len(list); i++ {
			row := list[i : i+len(want)]
			if slices.EqualFunc(row, want, func(s ast.Stmt, w statement) bool { return spelled(fset, s).tokens == w.tokens }) {
				found = append(found, row)
			}
		}
		return true
	})
	return found
}

// declares reports whether statements after s could use a name that s declares.
func declares(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		return s.Tok == token.DEFINE
	case *ast.DeclStmt, *ast.LabeledStmt:
		return true
	}
	return false
}
