package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/queries"
	"github.com/footfall/footfall/internal/golden"
)

func TestDocsPrintWhatIsCommitted(t *testing.T) {
	for name, file := range map[string]string{"event-schema": "../../docs/event.schema.json", "configuration": "../../docs/configuration.md"} {
		if golden.Updating() && name != "event-schema" { // That is written by hand.
			_, out, _ := clitest.Footfall(t, "docs", name)
			if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if code, out, errs := clitest.Footfall(t, "docs", name); code != 0 || out != string(want) {
			t.Errorf("docs %s: exit %d, err %q, %d bytes; want the %d of %s", name, code, errs, len(out), len(want), file)
		}
	}
}

func TestEachCommandIsInTheDocs(t *testing.T) {
	_, out, _ := clitest.Footfall(t, "docs", "cli")
	commands := 0
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		if name := cmd.Name(); cmd.Hidden || name == "help" || name == "completion" {
			return
		}
		commands++
		if _, help, ok := strings.Cut(out, "\n## "+cmd.CommandPath()+"\n"); !ok || !strings.Contains(help, cmd.Short) {
			t.Errorf("docs cli: section of %s: %t, want one with %q", cmd.CommandPath(), ok, cmd.Short)
		}
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(newRootCommand(&command.App{}))
	if sections := strings.Count(out, "\n## "); commands < 50 || commands != sections {
		t.Errorf("%d commands, %d sections, want as many and at least 50", commands, sections)
	}
}

func TestOpenAPIDocumentIsWhole(t *testing.T) {
	_, out, _ := clitest.Footfall(t, "docs", "openapi")
	var document struct {
		OpenAPI    string
		Paths      map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal([]byte(out), &document); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(document.OpenAPI, "3.1") || len(document.Paths) < 19 {
		t.Errorf("OpenAPI %q with %d paths, want 3.1 and at least 19", document.OpenAPI, len(document.Paths))
	}
	for _, ref := range regexp.MustCompile(`"#/components/schemas/([^"]+)"`).FindAllStringSubmatch(out, -1) {
		if document.Components.Schemas[ref[1]] == nil {
			t.Errorf("schema %s is named and not there", ref[1])
		}
	}
}

func TestDocsPrintReferences(t *testing.T) {
	for name, want := range map[string]string{"schema": "\n## Hour stats\n", "patterns": "\n## Writes\n",
		"json": "\n## footfall status, footfall doctor\n", "metrics": "`footfall_over_budget_events_total`"} {
		if code, out, errs := clitest.Footfall(t, "docs", name); code != 0 || errs != "" || !strings.Contains(out, want) {
			t.Errorf("docs %s: exit %d, err %q, %d bytes without %q", name, code, errs, len(out), want)
		}
	}
}

func TestEveryQuestionIsAPattern(t *testing.T) {
	_, out, _ := clitest.Footfall(t, "docs", "patterns")
	for _, cmd := range queries.NewQueryCommand(&command.App{}).Commands() {
		if !strings.Contains(out, "`footfall query "+cmd.Name()+" ") && !strings.Contains(out, "`footfall query "+cmd.Name()+"`") {
			t.Errorf("footfall query %s is not in docs/patterns.md: add it to the patterns of package schema", cmd.Name())
		}
	}
}
