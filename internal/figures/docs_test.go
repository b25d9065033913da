package figures

import (
	"os"
	"strings"
	"testing"
)

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
