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
	summed  bool   // CSV has the footers, too
	none    string // said instead of rows where there are none
	legend  string // says below the table what marks in people's cells mean; "": nothing

	sortedBy string // the name of the column that the rows are sorted by; "": no column stays for that
	fixed    bool   // the columns were named, and all of them are shown
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
	rows := s.rows
	if s.summed {
		rows = slices.Concat(rows, s.footers)
	}
	for _, row := range rows {
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

// writeTable shows the sheet as a table that is at most as wide as a terminal; 0: as wide as it gets.
func (s sheet) writeTable(w io.Writer, width int) error {
	if _, err := fmt.Fprintln(w, clean(s.title)); err != nil || len(s.columns) == 0 {
		return err
	}
	if len(s.rows) == 0 && !(s.summed && len(s.footers) > 0) {
		return writeText(w, s.none, width)
	}
	s, left := s.forPeople().fit(width)
	for l := range strings.Lines(s.render()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(l, " \n")); err != nil {
			return err
		}
	}
	if err := writeText(w, leftOut(left), width); err != nil {
		return err
	}
	return writeText(w, s.legend, width)
}

// render lays the cells out for people.
func (s sheet) render() string {
	t := table.NewWriter()
	t.SetStyle(table.Style{Name: "plain", Box: table.StyleBoxLight, Options: table.Options{SeparateHeader: true, SeparateFooter: true}})
	var configs []table.ColumnConfig
	var header table.Row
	for i, c := range s.columns {
		header = append(header, c.title)
		if c.number {
			configs = append(configs, table.ColumnConfig{Number: i + 1, Align: text.AlignRight, AlignHeader: text.AlignRight,
				AlignFooter: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	line := func(cells []cell) (row table.Row) {
		for _, c := range cells {
			row = append(row, c.table)
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
