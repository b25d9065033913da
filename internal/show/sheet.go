package show

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// A sheet is rows under columns. The first sheet of an answer is what CSV shows. One without a title is not shown to
// people.
type sheet struct {
	title   string
	columns []column
	rows    [][]cell
	footers [][]cell
	parts   int    // the first footers, as many as CSV has, too: they and the rows add up; the others are totals
	none    string // said instead of rows where there are none
	legend  string // says below the table what marks in people's cells mean; "": nothing

	sortedBy string   // the name of the column that the rows are sorted by; "": no column stays for that
	minor    []string // the names of columns that narrow terminals lack before others, in this order
	ids      bool     // the first column has ids or times, which stay whole
	fixed    bool     // the columns were named, and all of them are shown

	barOf   string   // the name of the column whose numbers bars show, where there is room for them; "": none
	signed  []string // the names of columns of changes, which are coloured by their sign
	details bool     // people see a line for each column, and a column for each row
}

// A column has the name that JSON gives it and a title for people. One without a title is not in the table.
type column struct {
	name, title string
	number      bool
}

// A cell is spelled for programs and for people.
type cell struct{ csv, table string }

func (s sheet) writeCSV(w io.Writer, spell func(string) string) error {
	out := csv.NewWriter(w)
	record := make([]string, len(s.columns))
	for i, c := range s.columns {
		record[i] = c.name
	}
	if err := out.Write(record); err != nil {
		return err
	}
	for _, row := range slices.Concat(s.rows, s.footers[:s.parts]) {
		for i, c := range row {
			record[i] = spell(c.csv)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// writeTable shows the sheet as a table that is at most as wide as the layout says.
func (s sheet) writeTable(w io.Writer, l Layout) error {
	if err := writeText(w, clean(s.title), l, text.Bold); err != nil || len(s.columns) == 0 {
		return err
	}
	if len(s.rows) == 0 && s.parts == 0 {
		return writeText(w, s.none, l)
	}
	if !l.Bars {
		s = s.without(sparkColumn)
	}
	s = s.forPeople()
	if s.details {
		s = s.turned()
	}
	var same []string
	if l.Brief {
		s, same = s.differing()
	}
	s, left := s.fit(l.Width)
	if l.Bars {
		s = s.drawn(l.Width)
	}
	for line := range strings.Lines(s.render(l.Color)) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " \n")); err != nil {
			return err
		}
	}
	if len(same) > 0 {
		if err := writeText(w, "The same in all rows: "+strings.Join(same, ", ")+".", l, text.Faint); err != nil {
			return err
		}
	}
	if err := writeText(w, l.leftOut(left), l, text.Faint); err != nil {
		return err
	}
	return writeText(w, s.legend, l, text.Faint)
}

// render lays the cells out for people, with what a terminal would obey escaped.
func (s sheet) render(color bool) string {
	t := table.NewWriter()
	t.SetStyle(table.Style{Name: "plain", Box: table.StyleBoxLight, Options: table.Options{SeparateHeader: true, SeparateFooter: true}})
	var configs []table.ColumnConfig
	var header table.Row
	for i, c := range s.columns {
		header = append(header, painted(Plain(c.title), color, text.Bold))
		if c.number {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight,
				AlignFooter: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	line := func(cells []cell) (row table.Row) {
		for i, c := range cells {
			row = append(row, painted(Plain(c.table), color, s.colorsOf(i, c)...))
		}
		return row
	}
	for _, row := range s.rows {
		t.AppendRow(line(row))
	}
	for _, footer := range s.footers {
		t.AppendFooter(line(footer))
	}
	return t.Render()
}

// colorsOf are the colours of a cell: changes are green or red, bars and sparklines a blue that can be seen on black and on white.
func (s sheet) colorsOf(i int, c cell) []text.Color {
	name := s.columns[i].name
	switch {
	case name == "" || name == sparkColumn:
		return []text.Color{text.FgHiBlue}
	case !slices.Contains(s.signed, name):
		return nil
	case strings.HasPrefix(c.table, "+"):
		return []text.Color{text.FgGreen}
	case strings.HasPrefix(c.table, "-") && c != unknown:
		return []text.Color{text.FgRed}
	}
	return nil
}

// painted wraps a text in the escape sequences of colours.
func painted(s string, color bool, colors ...text.Color) string {
	if !color || s == "" || len(colors) == 0 {
		return s
	}
	return text.Colors(colors).EscapeSeq() + s + text.Reset.EscapeSeq()
}
