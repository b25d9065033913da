package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// WriteParagraph prints a paragraph after a mark; lines after the first are indented by its width. On a terminal lines end between words.
func WriteParagraph(w io.Writer, layout Layout, mark string, tone Tone, paragraph string) error {
	indent := text.StringWidthWithoutEscSequences(mark)
	for i, line := range strings.Split(wrapped(Plain(paragraph), layout.Width-indent), "\n") {
		start := strings.Repeat(" ", indent)
		if i == 0 {
			start = Painted(mark, tone, layout.Color)
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(start+line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// wrapped returns a text in lines of a width at most, unless a word is longer; 0 or less: in its own lines.
func wrapped(s string, width int) string {
	if width <= 0 {
		return s
	}
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		at := 0
		for _, word := range strings.Fields(line) {
			long := text.StringWidthWithoutEscSequences(word)
			switch {
			case at == 0:
			case at+1+long > width:
				b.WriteByte('\n')
				at = 0
			default:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += long
		}
	}
	return b.String()
}

// Reflow returns a text with its paragraphs in lines of a width at most; 0 or less: as it is. Paragraphs lie between empty and indented
// lines, which stay.
func Reflow(s string, width int) string {
	if width <= 0 {
		return s
	}
	var out, paragraph []string
	end := func() {
		if len(paragraph) > 0 {
			out = append(out, wrapped(strings.Join(paragraph, " "), width))
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(s, "\n") {
		if line == "" || strings.HasPrefix(line, " ") {
			end()
			out = append(out, line)
			continue
		}
		paragraph = append(paragraph, line)
	}
	end()
	return strings.Join(out, "\n")
}
