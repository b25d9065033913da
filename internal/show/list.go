package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// A List is rows under headers, for answers that programs read by their words as well: a row is a line, and two blanks or more stand
// between columns.
type List struct {
	Headers []string
	Rows    [][]string      // as long as Headers each; "" and "-" say nothing
	Tones   map[string]Tone // of cells with such a text
	Minor   []string        // the headers of columns that narrow terminals lack first, in this order
	Keep    string          // the header of a column that stays, with shorter texts if it must be; "": none
}

// A Tone says how good a text is. It is a colour where there are colours.
type Tone int

// The tones.
const (
	Neutral Tone = iota
	Good
	Doubtful
	Bad
	Strong // as headers are
)

// Painted returns a text in the colour of a tone, if color is set. What a terminal obeys is escaped in it.
func Painted(s string, tone Tone, color bool) string {
	return painted(Plain(s), color, map[Tone][]text.Color{
		Good: {text.FgGreen}, Doubtful: {text.FgYellow}, Bad: {text.FgRed}, Strong: {text.Bold},
	}[tone]...)
}

// Write prints the list. On a terminal it leaves out columns that say nothing and those that do not fit; a line says which those are.
func (l List) Write(w io.Writer, layout Layout) error {
	if len(l.Rows) == 0 {
		_, err := fmt.Fprintln(w, "None.")
		return err
	}
	s := sheet{minor: l.Minor, sortedBy: l.Keep}
	for _, header := range l.Headers {
		s.columns = append(s.columns, column{name: header, title: header})
	}
	for _, row := range l.Rows {
		var cells []cell
		for _, text := range row {
			cells = append(cells, cell{text, clean(text)})
		}
		s.rows = append(s.rows, cells)
	}
	var left []string
	if layout.Width > 0 {
		s, left = s.forPeople().fit(layout.Width + padding) // The last column has no blanks behind it.
	}
	widths := make([]int, len(s.columns))
	for i := range widths {
		widths[i] = s.columnWidth(i) + padding
	}
	line := func(cells func(i int) string, tone func(cell string) Tone) error {
		var b strings.Builder
		blanks := 0
		for i, width := range widths {
			if text := cells(i); text != "" {
				b.WriteString(strings.Repeat(" ", blanks) + Painted(text, tone(text), layout.Color))
				blanks = 0
			}
			blanks += width - text.StringWidthWithoutEscSequences(cells(i))
		}
		_, err := fmt.Fprintln(w, b.String())
		return err
	}
	if err := line(func(i int) string { return s.columns[i].title }, func(string) Tone { return Strong }); err != nil {
		return err
	}
	for _, row := range s.rows {
		if err := line(func(i int) string { return row[i].table }, func(cell string) Tone { return l.Tones[cell] }); err != nil {
			return err
		}
	}
	return writeText(w, layout.leftOut(left), layout, text.Faint)
}
