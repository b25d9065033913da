// Package changed finds the packages that a change of the source can break, so that CI repeats their slow tests and planted bugs and leaves
// out those of others.
package changed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/scanner"
	"go/token"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// module is the prefix of our packages' paths.
const module = "github.com/footfall/footfall/"

// A Set has the packages that a change can break, by their folder in the module.
type Set struct {
	everything bool
	packages   map[string]bool
}

// Has reports whether the change can break a package.
func (s Set) Has(pkg string) bool { return s.everything || s.packages[pkg] }

// Choose returns the cases that a change can break, and a tenth of the others, drawn by the seed: packages may depend on each other in ways
// that imports do not show.
func Choose[T any](all []T, broken func(T) bool, seed uint64) (chosen []T) {
	var rest []T
	for _, one := range all {
		if broken(one) {
			chosen = append(chosen, one)
		} else {
			rest = append(rest, one)
		}
	}
	rand.New(rand.NewPCG(seed, 0)).Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(chosen, rest[:(len(rest)+9)/10]...)
}

// Since returns the packages that what differs from a commit, committed or not, can break: those with changed files, comments aside, and
// those that depend on them or on a module of another version. Nothing depends on a package's tests. Everything is changed if the commit is
// unknown, or if go.mod differs in more than the versions that it requires.
func Since(ctx context.Context, root, commit string) (Set, error) {
	if _, err := output(ctx, root, "git", "cat-file", "-e", commit+"^{commit}"); err != nil {
		return Set{everything: true}, nil
	}
	diff, err := output(ctx, root, "git", "diff", "--name-only", commit, "--")
	if err != nil {
		return Set{}, err
	}
	all, err := list(ctx, root)
	if err != nil {
		return Set{}, err
	}
	before, err := output(ctx, root, "git", "show", commit+":go.mod")
	if err != nil {
		return Set{}, err
	}
	now, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return Set{}, err
	}
	modules, everything, err := otherModules(before, now)
	if err != nil || everything {
		return Set{everything: everything}, err
	}
	files := slices.DeleteFunc(strings.Fields(string(diff)), func(file string) bool {
		return strings.HasSuffix(file, ".go") && onlyComments(ctx, root, commit, file)
	})
	return among(all, files, modules), nil
}

// onlyComments reports whether a source file differs in comments and layout alone. Directives of the compiler are no comments.
func onlyComments(ctx context.Context, root, commit, file string) bool {
	before, err := output(ctx, root, "git", "show", commit+":"+file)
	if err != nil {
		return false // It is new.
	}
	now, err := os.ReadFile(filepath.Join(root, file))
	return err == nil && slices.Equal(tokens(before), tokens(now))
}

// tokens returns those of a source file, without comments.
func tokens(source []byte) (list []string) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, source, nil, scanner.ScanComments)
	for {
		_, kind, text := s.Scan()
		switch {
		case kind == token.EOF:
			return list
		case kind == token.COMMENT && !strings.HasPrefix(text, "//go:") && !strings.HasPrefix(text, "// +build"):
			continue
		case kind == token.SEMICOLON:
			text = ";" // Or the end of a line.
		}
		list = append(list, kind.String()+text)
	}
}

// otherModules returns the modules that two files go.mod require in different versions, and whether more than that differs.
func otherModules(before, now []byte) (modules map[string]bool, more bool, err error) {
	modules = make(map[string]bool)
	var versions [2]map[string]string
	var rest [2]string
	for i, text := range [][]byte{before, now} {
		file, err := modfile.Parse("go.mod", text, nil)
		if err != nil {
			return nil, false, err
		}
		versions[i] = make(map[string]string)
		for _, r := range file.Require {
			versions[i][r.Mod.Path] = r.Mod.Version
		}
		file.SetRequire(nil)
		file.Cleanup()
		rest[i] = string(modfile.Format(file.Syntax))
	}
	for i, list := range versions {
		for module, version := range list {
			if versions[1-i][module] != version {
				modules[module] = true
			}
		}
	}
	return modules, rest[0] != rest[1], nil
}

// A pkg is a package with the packages that it imports and that its tests import, of ours and of others. One of another module has its
// module's name.
type pkg struct {
	imports, testImports []string
	module               string
}

// usedBy names the packages whose tests run files that are no package's own.
var usedBy = map[string][]string{
	"scripts": {"e2e", "examples", "internal/realdata"},
	"deploy":  {"internal/cli", "internal/chart", "e2e"},
	"docs":    {"docs", "internal/cli", "internal/cli/serving", "internal/figures", "internal/schema", "internal/show"},
}

// program is the package that tests run as a process, and runners are those whose tests do.
const program = "cmd/footfall"

var runners = []string{"e2e", "examples", "internal/bench"}

// among returns the packages that changed files and modules can break.
func among(all map[string]pkg, files []string, modules map[string]bool) Set {
	s := Set{packages: make(map[string]bool)}
	source := make(map[string]bool) // packages whose dependents are affected
	for name, p := range all {
		source[name] = modules[p.module]
	}
	for _, file := range files {
		top, _, _ := strings.Cut(file, "/")
		for _, user := range usedBy[top] {
			s.packages[user] = true
		}
		dir, ours := owner(all, file)
		if !ours {
			continue
		}
		s.packages[dir] = true
		if !strings.HasSuffix(file, "_test.go") && !strings.Contains(file, "/testdata/") {
			source[dir] = true
		}
	}
	for again := true; again; {
		again = false
		for dir, p := range all {
			if !source[dir] && slices.ContainsFunc(p.imports, func(name string) bool { return source[name] }) {
				source[dir], s.packages[dir], again = true, true, true
			}
		}
	}
	for dir, p := range all {
		byTests := slices.ContainsFunc(p.testImports, func(name string) bool { return source[name] })
		if byTests || source[program] && slices.Contains(runners, dir) {
			s.packages[dir] = true
		}
	}
	return s
}

// owner returns the package that a file belongs to: the nearest folder above it that is one.
func owner(all map[string]pkg, file string) (dir string, ok bool) {
	for dir = path.Dir(file); dir != "."; dir = path.Dir(dir) {
		if _, ok := all[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

// list asks the go command for all packages of the module, and for those of others that they or their tests depend on.
func list(ctx context.Context, root string) (map[string]pkg, error) {
	out, err := output(ctx, root, "go", "list", "-deps", "-test", "-json=ImportPath,Imports,TestImports,XTestImports,Module,ForTest", "./...")
	if err != nil {
		return nil, err
	}
	all := make(map[string]pkg)
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, ForTest                string
			Imports, TestImports, XTestImports []string
			Module                             *struct {
				Path string
				Main bool
			}
		}
		err := decoder.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		if p.Module == nil || p.ForTest != "" { // of the standard library, or compiled once more for a test
			continue
		}
		one := pkg{imports: short(p.Imports), testImports: short(append(p.TestImports, p.XTestImports...))}
		if !p.Module.Main {
			one.module = p.Module.Path
		}
		all[short([]string{p.ImportPath})[0]] = one
	}
}

// short returns our packages' folders, and the paths of others.
func short(paths []string) []string {
	dirs := make([]string, len(paths))
	for i, p := range paths {
		dirs[i] = strings.TrimPrefix(p, module)
	}
	return dirs
}

func output(ctx context.Context, root, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return out, nil
}
