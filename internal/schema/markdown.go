package schema

import (
	"fmt"
	"strings"
)

// A printer collects a document in Markdown.
type printer struct{ strings.Builder }

// text writes paragraphs and a blank line after them. A "$" is written as a back quote, which a raw string of Go
// cannot contain.
func (p *printer) text(s string) { fmt.Fprintln(p, strings.ReplaceAll(s, "$", "`")) }

// table writes a table and a blank line after it.
func (p *printer) table(head []string, rows [][]string) {
	line := func(cells []string) {
		for _, c := range cells {
			p.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
		}
		p.WriteString("|\n")
	}
	line(head)
	p.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, r := range rows {
		line(r)
	}
	p.WriteByte('\n')
}

func code(s string) string { return "`" + s + "`" }

// anchor is what a heading is linked by.
func anchor(heading string) string { return strings.ReplaceAll(strings.ToLower(heading), " ", "-") }

// thousands spells a number with commas.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
