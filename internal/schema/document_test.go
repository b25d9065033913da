package schema_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/sinks"
)

// The committed documents are what the code of today writes.
func TestDocumentsAreCurrent(t *testing.T) {
	var document, patterns bytes.Buffer
	if err := schema.Overview(&document); err != nil {
		t.Fatal(err)
	}
	if err := schema.Patterns(t.Context(), &patterns); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../docs/schema.md", document.String())
	golden.Check(t, "../../docs/patterns.md", patterns.String())
}

// The reference names each attribute of each type of item, and the writes each type.
func TestReferenceIsWhole(t *testing.T) {
	var document, writes bytes.Buffer
	if err := schema.Document(&document); err != nil {
		t.Fatal(err)
	}
	if err := schema.Writes(&writes); err != nil {
		t.Fatal(err)
	}
	for _, item := range sinks.Catalogue() {
		_, section, ok := strings.Cut(document.String(), "\n## "+strings.ToUpper(item.Name[:1])+item.Name[1:]+"\n")
		if !ok || !strings.Contains(writes.String(), "| "+item.Name+" |") {
			t.Errorf("%s: section %t, line among the writes: %t", item.Name, ok, strings.Contains(writes.String(), "| "+item.Name+" |"))
		}
		section, _, _ = strings.Cut(section, "\n## ")
		for _, a := range item.Attributes {
			if !strings.Contains(section, "| `"+a.Name+"` |") {
				t.Errorf("%s: its section has no attribute %s", item.Name, a.Name)
			}
		}
	}
}
