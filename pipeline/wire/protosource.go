package wire

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/parser"
	"github.com/bufbuild/protocompile/reporter"
)

// builtin are files that registries have without references, besides those of google/protobuf.
//
//go:embed builtin
var builtin embed.FS

// compileProtobuf compiles the files and makes the tables of their messages.
func compileProtobuf(s Source) (*Schema, error) {
	all := protoFiles{byPath: make(map[string]*protoFile)}
	for _, r := range s.References {
		if all.byPath[r.Name] != nil {
			return nil, fmt.Errorf("protobuf schema: reference %.60q is given twice", r.Name)
		}
		if err := all.parse(r.Name, r.Text); err != nil {
			return nil, fmt.Errorf("protobuf schema %.60q: %w", r.Name, err)
		}
	}
	name := "schema"
	for all.byPath[name] != nil {
		name += "'"
	}
	err := all.parse(name, s.Text)
	if err == nil {
		err = all.check(name)
	}
	if err != nil {
		return nil, fmt.Errorf("protobuf schema: %w", err)
	}
	compiler := protocompile.Compiler{MaxParallelism: 1, Resolver: protocompile.ResolverFunc(all.find)}
	compiled, err := compiler.Compile(context.Background(), name)
	if err != nil {
		return nil, errors.New("protobuf " + compilerSays(err))
	}
	return protoSchemaOf(compiled[0])
}

// compilerSays is the text of an error of the compiler. Google's package puts no-break spaces into its errors in some programs.
func compilerSays(err error) string {
	return excerptOf(strings.ReplaceAll(err.Error(), "\u00a0", " "), 300)
}

// protoFile is a parsed file. The compiler takes the result.
type protoFile struct {
	parser.Result
	names int // how many of its names may have to be looked up
}

// protoFiles are the files of a schema.
type protoFiles struct {
	byPath map[string]*protoFile
	counts protoCounts
}

// parse adds a file. A panic of the parser is an error: it has some for texts that no user writes.
func (p *protoFiles) parse(path, text string) (err error) {
	defer func() {
		if what := recover(); what != nil {
			err = fmt.Errorf("it cannot be parsed: %v", what)
		}
	}()
	before := p.counts.statements
	if err := p.counts.check(text); err != nil {
		return err
	}
	h := reporter.NewHandler(nil)
	tree, err := parser.Parse(path, strings.NewReader(text), h)
	var parsed parser.Result
	if err == nil {
		parsed, err = parser.ResultFromAST(tree, true, h)
	}
	if err != nil {
		return errors.New(compilerSays(err))
	}
	p.byPath[path] = &protoFile{parsed, p.counts.statements - before}
	return nil
}

// standard finds the files of google/protobuf.
var standard = protocompile.WithStandardImports(protocompile.ResolverFunc(func(string) (protocompile.SearchResult, error) {
	return protocompile.SearchResult{}, fs.ErrNotExist
}))

// find finds a file for the compiler: first the files whose messages have forms of their own in JSON, then references, then the other files
// that are built in.
func (p *protoFiles) find(path string) (protocompile.SearchResult, error) {
	if found, err := standard.FindFileByPath(path); err == nil {
		return found, nil
	}
	if file := p.byPath[path]; file != nil && !strings.HasPrefix(path, "confluent/") {
		return protocompile.SearchResult{ParseResult: file.Result}, nil
	}
	file, err := builtin.Open("builtin/" + path)
	return protocompile.SearchResult{Source: file}, err
}

// maxLookups is in how many files altogether the compiler may look for the names of a schema.
const maxLookups = 5_000_000

// imports says whether the imports of a file have been followed, and through how many ways of public imports its own are reached.
type imports struct {
	done bool
	ways int
}

// check finds imports that are missing or circular, and refuses what would take the compiler too long. The compiler looks for a name in a
// file as often as there are ways of public imports to it.
func (p *protoFiles) check(root string) error {
	seen, lookups := make(map[string]*imports), 0
	var follow func(path string) (*imports, error)
	follow = func(path string) (*imports, error) {
		if at := seen[path]; at != nil {
			if !at.done {
				return nil, fmt.Errorf("%.60q imports itself, or is imported by what it imports", path)
			}
			return at, nil
		}
		at := &imports{ways: 1}
		seen[path] = at
		file := p.byPath[path]
		if file == nil {
			if found, err := p.find(path); err != nil || found.Desc == nil && found.Source == nil {
				return nil, fmt.Errorf("%.60q is imported, but not among the references", path)
			}
			at.done = true
			return at, nil
		}
		d, visible := file.FileDescriptorProto(), 1
		for i, dependency := range d.Dependency {
			to, err := follow(dependency)
			if err != nil {
				return nil, err
			}
			visible += to.ways
			if slices.Contains(d.PublicDependency, int32(i)) {
				at.ways += to.ways
			}
		}
		if lookups += visible * file.names; lookups > maxLookups || visible > maxLookups {
			return nil, fmt.Errorf("too many names, or ways of public imports to the files they may be in: %d lookups, at most %d are allowed",
				lookups, maxLookups)
		}
		at.done = true
		return at, nil
	}
	_, err := follow(root)
	return err
}
