package schema

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

const documentHead = `# What the table holds

Generated from the catalogue and the key templates that footfall itself writes and reads with. $footfall docs schema$ prints it with every
attribute of every item. The requests of each question are in [patterns.md](patterns.md), the meaning of figures in
[metrics.md](metrics.md). $footfall query explain PK SK$ explains one item.

One table: partition key $pk$, sort key $sk$, both strings. Its index $GSI1$ ($gsi1pk$, $gsi1sk$) holds keys
only. Time to live is the attribute $ttl$. A SQLite file holds the same items.

## Keys

Segments are joined by $#$. In an id $%$, $#$ and control characters are percent-encoded; one of more than 256 bytes
then is cut, and $%~$ and a hash of the whole follow. Items that are rebuilt lie beside the live ones under partition
keys that begin with their generation, as in $G2#SITE#shop$. All generations have in common: table settings, what is decided about sites,
the list of sites, raw events, erasures and the positions of replays.
`

const documentItems = `## Items

A write unit is a write of 1 KB; an item takes those of its typical size, and one more when it comes into $GSI1$.
`

const documentExample = `## An example

The item of an hour of a site: keys, size and attributes. In each table *written* says how; $footfall docs schema$ explains the ways.
`

const documentWays = `## How attributes are written

| how | means |
|---|---|
| put | the whole item, whatever is there: a repetition writes the same |
| put once, if absent | the whole item; the first writer decides |
| batch put | put, 25 items a request |
| guarded ADD, guarded SET | under the applied mark: $attribute_not_exists(mark) OR mark < :k$, setting the mark to the flush. A repetition is refused, which is as good |
| compare-and-set | SET, if the epoch and the flush are those that were read |
| ADD, SET | without a condition on what it changes: a takeover, the next topic number |

$S$, $N$, $B$ and $L$ are a string, a whole number of up to 128 bits, bytes, and a list of strings. Beside its own, every
item has these:
`

// Document writes the reference of the table: every type of item with its keys, its attributes, who writes it, when it expires and what
// it costs to write.
func Document(out io.Writer) error {
	p := &printer{}
	p.keys()
	p.items(func(t *sinks.ItemType) string { return "[" + t.Name + "](#" + anchor(t.Name) + ")" })
	p.text(documentWays)
	p.attributes((&sinks.ItemType{}).Common())
	for _, t := range sinks.Catalogue() {
		p.item(&t)
	}
	_, err := io.WriteString(out, p.String())
	return err
}

// Overview writes docs/schema.md: all keys and items, and one item with its attributes.
func Overview(out io.Writer) error {
	p := &printer{}
	p.keys()
	p.items(func(t *sinks.ItemType) string { return t.Name })
	p.text(documentExample)
	for _, t := range sinks.Catalogue() {
		if t.Name == "hour stats" {
			p.item(&t)
		}
	}
	_, err := io.WriteString(out, p.String())
	return err
}

// keys writes the head of the documents, and what the placeholders in keys are for.
func (p *printer) keys() {
	p.text(documentHead)
	var rows [][]string
	for _, h := range sinks.Placeholders() {
		rows = append(rows, []string{code("{" + h.Name + "}"), h.About})
	}
	p.table([]string{"stands in keys", "for"}, rows)
}

// items writes a line for each type of item.
func (p *printer) items(name func(*sinks.ItemType) string) {
	p.text(documentItems)
	var rows [][]string
	for _, t := range sinks.Catalogue() {
		pk, sk := t.Templates()
		rows = append(rows, []string{name(&t), code(string(pk)), code(string(sk)), inIndex(&t),
			expires(&t), fmt.Sprintf("%g", consumed.WriteUnits(t.Size.Typical))})
	}
	p.table([]string{"item", "pk", "sk", "in GSI1", "expires", "write units"}, rows)
}

// item writes the section of a type of item.
func (p *printer) item(t *sinks.ItemType) {
	p.text("## " + strings.ToUpper(t.Name[:1]) + t.Name[1:] + "\n\n" + t.About + "\n")
	rows := [][]string{{code(sinks.AttrEntity), code(t.Entity)}, {"key", keyOf(t)}}
	if pk, sk, ok := t.IndexTemplates(sinks.GSI1); ok {
		rows = append(rows, []string{"GSI1", code(string(pk)) + " / " + code(string(sk))})
	}
	rows = append(rows, []string{"written by", t.Writer}, []string{"expires", expires(t)}, []string{"size", size(t)})
	p.table([]string{"", ""}, rows)

	every := len((&sinks.ItemType{}).Common())
	p.attributes(slices.Concat(t.Attributes, t.Common()[every:]))
}

// attributes writes a table of attributes.
func (p *printer) attributes(all []sinks.Attribute) {
	var rows [][]string
	for _, a := range all {
		var how []string
		for _, h := range a.How {
			how = append(how, string(h))
		}
		rows = append(rows, []string{code(a.Name), code(typeName(a.Kind)), string(a.Unit),
			cmp.Or(strings.Join(how, "; "), "with the item"), a.About})
	}
	p.table([]string{"attribute", "type", "unit", "written", "what"}, rows)
}

// size says how large items of a type are.
func size(t *sinks.ItemType) string {
	text := fmt.Sprintf("%s bytes, %s", thousands(t.Size.Typical), writeUnits(t.Size.Typical))
	if t.Size.Most > 0 {
		text += fmt.Sprintf("; at most about %s bytes, %s", thousands(t.Size.Most), writeUnits(t.Size.Most))
	}
	if t.Size.Grows != "" {
		text += "; grows with " + t.Size.Grows
	}
	return text
}

func writeUnits(size int) string {
	n := consumed.WriteUnits(size)
	if n == 1 {
		return "1 write unit"
	}
	return fmt.Sprintf("%g write units", n)
}

func keyOf(t *sinks.ItemType) string {
	pk, sk := t.Templates()
	return code(string(pk)) + " / " + code(string(sk))
}

func inIndex(t *sinks.ItemType) string {
	if pk, _, ok := t.IndexTemplates(sinks.GSI1); ok {
		return code(string(pk))
	}
	return ""
}

// expires says when items of a type expire, where a site and the settings do not say otherwise.
func expires(t *sinks.ItemType) string {
	e := t.Expiry
	switch {
	case e.From == "":
		return "never"
	case e.Days == "":
		return spellSpan(e.Fixed) + " after " + e.From
	}
	if e.More != "" {
		return fmt.Sprintf("%d d and %d d after %s (`%s` and `%s`)", DefaultDays(e.Days), DefaultDays(e.More), e.From, e.Days, e.More)
	}
	return fmt.Sprintf("%d d after %s (`%s`)", DefaultDays(e.Days), e.From, e.Days)
}

// spellSpan spells whole hours or minutes.
func spellSpan(d time.Duration) string {
	if d%time.Hour == 0 {
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d min", d/time.Minute)
}
