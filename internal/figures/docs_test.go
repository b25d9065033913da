package figures

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/golden"
)

// TestDocumentsListWhatEventsGive: with -update, the lists of these dimensions in docs are rewritten.
func TestDocumentsListWhatEventsGive(t *testing.T) {
	var given, alone, members []string // alone: nothing else says it
	for i, d := range Given {
		name := "`" + Dimensions[d].Name + "`"
		if given = append(given, name); !slices.Contains([]int{GivenDevice, GivenBrowser, GivenOS}, i) {
			alone = append(alone, name)
		}
		members = append(members, `    "`+Dimensions[d].Name+`": {"description": "taken as given", "type": ["string", "null"], "maxLength": 64},`)
	}
	for _, c := range []struct{ file, list, want string }{
		{"events.md", "(?m)^\\| `country`[^|]* \\|", "| " + strings.Join(given, ", ") + " |"},
		{"metrics.md", "(?m)^\\| `country`[^|]* \\|", "| " + strings.Join(alone, ", ") + " |"},
		{"event.schema.json", `(?m)(^.*"taken as given".*\n)+`, strings.Join(members, "\n") + "\n"},
	} {
		text, err := os.ReadFile("../../docs/" + c.file)
		if err != nil {
			t.Fatal(err)
		}
		list := regexp.MustCompile(c.list)
		if found := len(list.FindAll(text, -1)); found != 1 {
			t.Fatalf("%s has %d lists of what events give, want 1", c.file, found)
		}
		golden.Check(t, "../../docs/"+c.file, list.ReplaceAllLiteralString(string(text), c.want))
	}
}

// TestEachIsDefined: docs/metrics.md defines each figure and each dimension that answers have.
func TestEachIsDefined(t *testing.T) {
	text, err := os.ReadFile("../../docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	var defined strings.Builder // first cells of tables
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			defined.WriteString(cells[1])
		}
	}
	var names []string
	for _, f := range Answers {
		names = append(names, f.Name)
	}
	for _, d := range Dimensions {
		names = append(names, d.Name)
	}
	for _, name := range names {
		if !strings.Contains(defined.String(), "`"+name+"`") {
			t.Errorf("no table of docs/metrics.md defines %s", name)
		}
	}
}
