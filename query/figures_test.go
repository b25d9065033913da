package query_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/show"
)

// shown is what must be seen of an answer.
type shown struct {
	says    []string // lines of the table that are no rows: titles, legends and notes
	rows    string   // the first cells of rows, by table
	figures string   // an object a line: where in the JSON it is, and what it has by name; figures of 0 are left out
}

// zeros are the values of figures that are left out of figures.
var zeros = []string{"0", `""`, "false", "[]", "0/0"}

// flatten lists the figures of a JSON object by where they are. Changes are absolute/relative.
func flatten(all map[string]map[string]string, at string, o object) {
	all[at] = make(map[string]string)
	for name, v := range o {
		switch v := v.(type) {
		case object:
			absolute, change := v["absolute"]
			if change {
				all[at][name] = spelled(absolute) + "/" + spelled(v["relative"])
				continue
			}
			flatten(all, at+"."+name, v)
		case []any:
			if len(v) == 0 || fmt.Sprintf("%T", v[0]) != fmt.Sprintf("%T", object{}) {
				all[at][name] = spelled(v)
				continue
			}
			for i, each := range v {
				flatten(all, fmt.Sprintf("%s.%s[%d]", at, name, i), each.(object))
			}
		default:
			all[at][name] = spelled(v)
		}
	}
}

// bare is a text that needs no quotes.
var bare = regexp.MustCompile(`^[a-zA-Z0-9#/:.,_-]*[a-zA-Z#/:_-][a-zA-Z0-9#/:.,_-]*$`)

// spelled is a value as figures have it: nil is -, and texts that read like something else are quoted.
func spelled(v any) string {
	switch v := v.(type) {
	case nil:
		return "-"
	case string:
		if bare.MatchString(v) && !slices.Contains([]string{"-", "true", "false"}, v) {
			return v
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	if number, ok := v.(string); ok && decimal.MatchString(number) {
		return number // Sums are texts.
	}
	return asIs.Replace(string(b))
}

// asIs undoes escapes for HTML, and escapes what steers terminals.
var asIs = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&", "\u202e", `\u202e`)

var decimal = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// saidOf returns what a table says beside its rows, and the first cells of these.
func saidOf(t *testing.T, answer any) (says []string, rows string) {
	t.Helper()
	text, _ := printed(t, show.Table, answer)
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != ' ' && !strings.HasPrefix(line, "──") {
			says = append(says, line)
		}
	}
	var firsts []string
	for _, table := range tablesOf(text) {
		var cells []string
		for _, row := range table.rows {
			cells = append(cells, row[0])
		}
		firsts = append(firsts, strings.Join(cells, " | "))
	}
	return says, strings.Join(firsts, " || ")
}

// figure is a name and a value of figures.
var figure = regexp.MustCompile(`([^\s=]+)=("(?:[^"\\]|\\.)*"|\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\]|\S+)`)

// wanted reads figures.
func wanted(figures string) map[string]map[string]string {
	all := make(map[string]map[string]string)
	at := ""
	for line := range strings.Lines(figures) {
		if line = strings.TrimRight(line, "\n"); line == "" {
			continue
		}
		if line[0] != '\t' {
			at, _, _ = strings.Cut(line, " ")
			all[at] = make(map[string]string)
		}
		for _, found := range figure.FindAllStringSubmatch(line, -1) {
			all[at][found[1]] = found[2]
		}
	}
	return all
}

// TestFiguresOfAnswers asserts figures by name, so that a new figure changes nothing here: it is asserted when one of the answers names it.
// A figure that any answer names is 0 where it is not named.
func TestFiguresOfAnswers(t *testing.T) {
	answers, named := showcases(t), make(map[string]bool)
	for _, want := range figuresOfAnswers {
		for _, figures := range wanted(want.figures) {
			for name := range figures {
				named[name] = true
			}
		}
	}
	if len(answers) != len(figuresOfAnswers) {
		t.Errorf("%d answers, %d of them with figures", len(answers), len(figuresOfAnswers))
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			is := figuresOfAnswers[name]
			says, rows := saidOf(t, answer)
			if got, want := strings.Join(says, "\n"), strings.Join(is.says, "\n"); got != want {
				t.Errorf("the table says\n%s\nwant\n%s", got, want)
			}
			if rows != is.rows {
				t.Errorf("the rows are of %s; want %s", rows, is.rows)
			}
			text, _ := printed(t, show.JSON, answer)
			got, want := make(map[string]map[string]string), wanted(is.figures)
			flatten(got, "answer", objectOf(t, text))
			for _, at := range slices.Sorted(maps.Keys(want)) {
				for name, value := range want[at] {
					if got[at][name] != value {
						t.Errorf("%s: %s is %s, want %s", at, name, got[at][name], value)
					}
				}
			}
			for at, figures := range got {
				for name, value := range figures {
					if _, ok := want[at][name]; !ok && named[name] && !slices.Contains(zeros, value) {
						t.Errorf("%s: %s is %s, want 0", at, name, value)
					}
				}
			}
		})
	}
}
