package schema

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// Writes writes how items are written, in Markdown: the second half of what footfall docs patterns prints.
func Writes(out io.Writer) error {
	p := &printer{}
	p.text("\n## Writes\n\nAP1, ingest, is the event's.\n")
	var rows [][]string
	for _, t := range sinks.Catalogue() {
		rows = append(rows, []string{t.Name, operations(&t), keyOf(&t), t.Writer, fmt.Sprintf("%g", consumed.WriteUnits(t.Size.Typical))})
	}
	p.table([]string{"item", "operation", "key", "who and when", "write units, typical"}, rows)
	_, err := io.WriteString(out, p.String())
	return err
}

// operations names the requests by which items of a type are written.
func operations(t *sinks.ItemType) string {
	of := map[sinks.How]string{
		sinks.PutOnce: "PutItem, if absent", sinks.PutNewer: "PutItem, if newer", sinks.PutVersion: "PutItem, compare-and-set",
		sinks.PutWhole: "PutItem", sinks.BatchWritten: "BatchWriteItem", sinks.PutSealed: "PutItem, compare-and-set",
		sinks.GuardedAdd: "UpdateItem, guarded", sinks.GuardedSet: "UpdateItem, guarded",
		sinks.CompareAndSet: "UpdateItem, compare-and-set", sinks.SetQuarantined: "UpdateItem, compare-and-set",
		sinks.SetNewer:      "UpdateItem, if newer",
		sinks.CompareAndAdd: "UpdateItem, compare-and-set", sinks.PlainAdd: "UpdateItem", sinks.PlainSet: "UpdateItem",
	}
	var all []string
	for _, a := range t.Attributes {
		for _, h := range a.How {
			if op := of[h]; !slices.Contains(all, op) {
				all = append(all, op)
			}
		}
	}
	return strings.Join(all, "; ")
}
