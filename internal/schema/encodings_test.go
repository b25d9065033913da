package schema_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/sinks"
)

// drawn are where docs/internals/encodings.md draws the bytes of a unit; "": only the pipeline reads them.
var drawn = map[sinks.Unit]string{sinks.UnitSessionBytes: "sessions", sinks.UnitListed: "sessions-of-visitors",
	sinks.UnitHourSketch: "visitors", sinks.UnitMinuteSketch: "visitors", sinks.UnitTopState: "pages-of-realtime",
	sinks.UnitBreakdown: "breakdowns", sinks.UnitPack: "packs", sinks.UnitPackIDs: "packs",
	sinks.UnitVisits: "", sinks.UnitLate: "", sinks.UnitSecret: "", sinks.UnitSchemaText: ""}

// The list of docs/internals/encodings.md has every type of item that there is, with each of its attributes that is no plain text or
// number; -update writes it.
func TestEncodingsListAllItems(t *testing.T) {
	const file = "../../docs/internals/encodings.md"
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	golden.CheckPart(t, file, "./internal/schema", encodedItems(t, string(b)))
}

// encodedItems is the list for a document, which must have the sections that it leads to.
func encodedItems(t *testing.T, document string) string {
	var b strings.Builder
	b.WriteString("| item | bytes | JSON |\n|---|---|---|\n")
	for _, item := range sinks.Catalogue() {
		var binary, jsons []string
		for _, a := range item.Attributes {
			name := "`" + a.Name + "`"
			switch {
			case a.Kind == sinks.Binary:
				section, known := drawn[a.Unit]
				if !known {
					t.Errorf("%s, %s: nothing says where %q is drawn: add it to drawn, and draw it", item.Name, a.Name, a.Unit)
				}
				if section != "" {
					title := strings.ReplaceAll(strings.ToUpper(section[:1])+section[1:], "-", " ")
					if !strings.Contains(document, "\n## "+title+"\n") {
						t.Errorf("%s, %s: there is no section %q", item.Name, a.Name, title)
					}
					name = "[" + name + "](#" + section + ")"
				}
				binary = append(binary, name)
			case strings.HasPrefix(string(a.Unit), "JSON"):
				jsons = append(jsons, name)
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", item.Name, strings.Join(binary, ", "),
			strings.Join(jsons, ", "))
	}
	return b.String()
}
