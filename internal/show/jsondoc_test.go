package show

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/golden"
)

const jsonHead = `# JSON of the command line

The answers of package ` + "`query`" + `, field by field.

` + "`--json`" + ` prints one document. Its first field, ` + "`formatVersion`" + `, is %d. ` + "`--output ndjson`" + ` prints the rows of a list, one a line,
without a version: the elements of the list that the document has. What is no row, the cursor of the next page above all, goes to the
standard error then.

The documents are stable. Within a format version

* a field keeps its name, its type, its unit and its meaning, and a field that is never null stays so;
* fields may be added, anywhere: ignore those that you do not know;
* values may be added where a text is one of several, as in ` + "`channel`" + `;
* the order of fields may change.

Other changes raise ` + "`formatVersion`" + `, and the changelog names them. A test holds the names of all fields, those of commands
that operate the pipeline among them, against a list that is reviewed.

Instants are texts in RFC 3339, durations numbers of milliseconds (names end in ` + "`Ms`" + `), rates numbers from 0 to 1, sums of money and of
values decimals in texts. Lists are never null. Meanings are those of the Go types, and
name fields as Go does: ` + "`PageViews`" + ` is ` + "`pageViews`" + `.
`

// jsonAnswers are the types of the documents, by command.
var jsonAnswers = []struct{ command, name string }{
	{"query sites", "SitesFiguresAnswer"}, {"site list", "SitesAnswer"}, {"query site, site show", "SiteAnswer"},
	{"query stats", "StatsAnswer"}, {"query stats --where", "FilteredStatsAnswer"},
	{"query uniques", "UniquesAnswer"}, {"query uniques --where", "FilteredUniquesAnswer"}, {"query top --where", "FilteredTopAnswer"},
	{"query goals --where", "FilteredGoalsAnswer"}, {"query paths", "PathsAnswer"},
	{"query top", "TopAnswer"}, {"query realtime", "RealtimeAnswer"}, {"query sessions", "SessionsAnswer"},
	{"query session", "SessionAnswer"}, {"query events", "EventsAnswer"}, {"query goals", "GoalStatsAnswer"},
	{"query conversions", "ConversionsAnswer"}, {"goal list", "GoalsAnswer"}, {"goal show", "GoalAnswer"}, {"funnel list", "FunnelsAnswer"},
	{"query verified", "VerifiedAnswer"}, {"annotate list", "AnnotationsAnswer"}, {"annotate create", "AnnotationAnswer"},
	{"query alerts, alert list, alert create, alert try", "AlertsAnswer"},
	{"segment list", "SegmentsAnswer"}, {"segment create, segment show", "SegmentAnswer"},
	{"funnel show", "FunnelAnswer"}, {"funnel report", "FunnelReportAnswer"}, {"query retention", "RetentionAnswer"},
}

// jsonDoc writes tables of fields, of the answers first and then of what these name.
type jsonDoc struct {
	types  map[string]*ast.StructType
	next   []string // to be written
	b      strings.Builder
	public map[string]string // names in package query of types that packages below it declare
}

func TestJSONIsAsDocumented(t *testing.T) {
	d := jsonDoc{types: map[string]*ast.StructType{}}
	d.public = make(map[string]string)
	for _, dir := range []string{"", "ranges/", "figures/", "filters/", "paths/", "retention/", "noted/", "../internal/segments/"} {
		files, err := filepath.Glob("../../query/" + dir + "*.go")
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files in query/%s (%v)", len(files), dir, err)
		}
		for _, name := range files {
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if of, ok := n.(*ast.TypeSpec); ok {
					switch is := of.Type.(type) {
					case *ast.StructType:
						d.types[of.Name.Name] = is
					case *ast.SelectorExpr:
						d.public[is.Sel.Name] = of.Name.Name
					}
				}
				return true
			})
		}
	}
	for name, public := range d.public {
		if d.types[public] == nil {
			d.types[public] = d.types[name]
		}
	}
	fmt.Fprintf(&d.b, jsonHead, FormatVersion)
	for _, a := range jsonAnswers {
		if d.types[a.name] == nil {
			t.Fatalf("package query has no type %s", a.name)
		}
		fmt.Fprintf(&d.b, "\n## footfall %s\n\n", strings.ReplaceAll(a.command, ", ", ", footfall "))
		d.table(a.name)
	}
	for i := 0; i < len(d.next); i++ {
		fmt.Fprintf(&d.b, "\n## %s\n\n", d.next[i])
		d.table(d.next[i])
	}
	status, err := os.ReadFile("status.md")
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "fields.md", d.b.String()+"\n"+string(status))
}

func (d *jsonDoc) table(name string) {
	d.b.WriteString("| field | type | meaning |\n|---|---|---|\n")
	d.fields(d.types[name])
}

func (d *jsonDoc) fields(of *ast.StructType) {
	for _, f := range of.Fields.List {
		tag := ""
		if f.Tag != nil {
			tag = reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json")
		}
		name, options, _ := strings.Cut(tag, ",")
		embedded, isName := f.Type.(*ast.Ident)
		switch {
		case len(f.Names) == 0 && isName && d.types[embedded.Name] != nil:
			d.fields(d.types[embedded.Name])
		case name == "" || name == "-":
		default:
			kind := d.kind(f.Type)
			if options == "omitempty" {
				kind = strings.TrimSuffix(kind, " or null") + ", may be absent"
			}
			fmt.Fprintf(&d.b, "| `%s` | %s | %s |\n", name, kind, comment(f))
		}
	}
}

// comment is what the type says of a field, on a line.
func comment(f *ast.Field) string {
	text := f.Doc.Text() + " " + f.Comment.Text()
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

// kind spells a type as JSON has it.
func (d *jsonDoc) kind(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return d.kind(of.X) + " or null"
	case *ast.ArrayType:
		return "list of " + d.kind(of.Elt)
	case *ast.MapType:
		return "object of " + d.kind(of.Value)
	case *ast.IndexExpr: // Change[N]
		return d.kind(of.X)
	case *ast.SelectorExpr:
		return map[string]string{"Time": "instant", "RawMessage": "any JSON", "Value": "any JSON"}[of.Sel.Name]
	case *ast.Ident:
		switch name := cmp.Or(d.public[of.Name], of.Name); {
		case d.types[name] != nil:
			if !slices.Contains(d.next, name) {
				d.next = append(d.next, name)
			}
			return "[" + name + "](#" + strings.ToLower(name) + ")"
		case name == "bool":
			return "true or false"
		case strings.HasPrefix(name, "int") || strings.HasPrefix(name, "uint") || strings.HasPrefix(name, "float") || name == "N":
			return "number"
		}
	}
	return "text"
}
