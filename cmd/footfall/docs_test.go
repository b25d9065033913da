package main

import (
	"os"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/golden"
)

func TestDocsPrintWhatIsCommitted(t *testing.T) {
	for name, file := range map[string]string{"schema": "../../docs/schema.md", "patterns": "../../docs/patterns.md",
		"event-schema": "../../docs/event.schema.json", "configuration": "../../docs/configuration.md", "cli": "../../docs/cli.md",
		"metrics": "../../docs/prometheus.md", "openapi": "../../docs/openapi.json"} {
		if golden.Updating() && name != "schema" && name != "patterns" && name != "event-schema" { // Those are rewritten by other packages.
			out, _, _ := asked(t, "docs", name)
			if err := os.WriteFile(file, []byte(out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if out, errs, code := asked(t, "docs", name); code != 0 || out != string(want) {
			t.Errorf("docs %s: exit %d, err %q, %d bytes; want the %d of %s", name, code, errs, len(out), len(want), file)
		}
	}
}

func TestEveryQuestionIsAPattern(t *testing.T) {
	out, _, _ := asked(t, "docs", "patterns")
	for _, cmd := range newQueryCommand(&app{}).Commands() {
		if !strings.Contains(out, "`footfall query "+cmd.Name()+" ") && !strings.Contains(out, "`footfall query "+cmd.Name()+"`") {
			t.Errorf("footfall query %s is not in docs/patterns.md: add it to the patterns of package schema", cmd.Name())
		}
	}
}
