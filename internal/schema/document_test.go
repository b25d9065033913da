package schema_test

import (
	"bytes"
	"testing"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/schema"
)

// The committed documents are what the code of today writes.
func TestDocumentsAreCurrent(t *testing.T) {
	var document, patterns bytes.Buffer
	if err := schema.Document(&document); err != nil {
		t.Fatal(err)
	}
	if err := schema.Patterns(t.Context(), &patterns); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "../../docs/schema.md", document.String())
	golden.Check(t, "../../docs/patterns.md", patterns.String())
}
