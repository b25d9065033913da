package schema

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/footfall/footfall/sinks"
)

const patternsHead = `# Who asks what of the table

Written by $footfall docs patterns$: each question is put to the read side that answers $footfall query$, and what it
asks of the table is written down. Change that, then $go test ./internal/schema -update$. The items and the placeholders are in
[schema.md](schema.md).

AP1 to AP7 and Patterns 1 to 5 are the names under which studies of such tables know the questions.

* **Read units.** A Query costs half a unit for each 4 KB begun of what its key condition selects, a request at a time,
  and half a unit where it finds nothing; BatchGetItem half a unit for each 4 KB begun of each item, absent ones too. A
  strong read costs twice as much. An example's figure is computed by this from the typical sizes in schema.md, for
  eventual reads where there is a choice.
* **Requests.** A Query answers with 1 MB at most, a BatchGetItem asks for 100 keys at most: what takes more takes more
  requests. Where a list lies in several partition keys, they are asked 8 at a time, and merged.
* Two bounds are the first and the last bucket or instant of the range; $~$ sorts behind whatever follows.
  Expired items are read, and left out afterwards.
* An index is never strong: it may lack what was written a moment ago.

## Questions
`

// Patterns writes docs/patterns.md: every question with the requests that it makes of the table, and all writes.
func Patterns(ctx context.Context, out io.Writer) error {
	p := &printer{}
	p.text(patternsHead)
	var rows [][]string
	for _, q := range patterns {
		groups, err := q.listen(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", q.command, err)
		}
		var asks []string
		for _, g := range groups {
			asks = append(asks, g.String())
		}
		rows = append(rows, []string{q.name, q.asks + "<br>" + code("footfall "+q.command), strings.Join(asks, "<br>"),
			q.example + ": " + q.cost(groups)})
	}
	p.table([]string{"pattern", "question", "requests, in this order", "read units of an example"}, rows)

	p.text("## Writes\n\nAP1, ingest, is the event's.\n")
	rows = nil
	for _, t := range sinks.Catalogue() {
		rows = append(rows, []string{t.Name, operations(&t), keyOf(&t), t.Writer, fmt.Sprintf("%g", sinks.WriteUnits(t.Size.Typical))})
	}
	p.table([]string{"item", "operation", "key", "who and when", "write units, typical"}, rows)
	_, err := io.WriteString(out, p.String())
	return err
}

// cost adds up the read units of the question's example.
func (q pattern) cost(groups []group) string {
	var parts []string
	total := 0.0
	for _, g := range groups {
		n := g.units(q.rows)
		total += n
		parts = append(parts, fmt.Sprintf("%g", n))
	}
	if len(parts) == 1 {
		return parts[0]
	}
	return strings.Join(parts, " + ") + fmt.Sprintf(" = %g", total)
}

// operations names the requests by which items of a type are written.
func operations(t *sinks.ItemType) string {
	of := map[sinks.How]string{
		sinks.PutOnce: "PutItem, if absent", sinks.PutNewer: "PutItem, if newer", sinks.PutVersion: "PutItem, compare-and-set", sinks.PutWhole: "PutItem", sinks.BatchWritten: "BatchWriteItem", sinks.PutSealed: "PutItem, compare-and-set",
		sinks.GuardedAdd: "UpdateItem, guarded", sinks.GuardedSet: "UpdateItem, guarded",
		sinks.CompareAndSet: "UpdateItem, compare-and-set", sinks.SetQuarantined: "UpdateItem, compare-and-set", sinks.CompareAndAdd: "UpdateItem, compare-and-set", sinks.PlainAdd: "UpdateItem", sinks.PlainSet: "UpdateItem",
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
