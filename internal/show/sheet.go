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

func (s sheet) writeTable(w io.Writer) error {
	if _, err := fmt.Fprintln(w, clean(s.title)); err != nil || len(s.columns) == 0 {
		return err
	}
	if len(s.rows) == 0 && !(s.summed && len(s.footers) > 0) {
		_, err := fmt.Fprintln(w, Plain(s.none))
		return err
	}
	t := table.NewWriter()
	t.SetStyle(table.Style{Name: "plain", Box: table.StyleBoxLight, Options: table.Options{SeparateHeader: true, SeparateFooter: true}})
	var configs []table.ColumnConfig
	line := func(value func(i int) string) table.Row {
		var row table.Row
		for i, c := range s.columns {
			if c.title != "" {
				row = append(row, value(i))
			}
		}
		return row
	}
	number := 0
	for _, c := range s.columns {
		if c.title == "" {
			continue
		}
		number++
		if c.number {
			configs = append(configs, table.ColumnConfig{Number: number, Align: text.AlignRight, AlignHeader: text.AlignRight,
				AlignFooter: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(line(func(i int) string { return s.columns[i].title }))
	for _, row := range s.rows {
		t.AppendRow(line(func(i int) string { return row[i].table }))
	}
	for _, footer := range s.footers {
		t.AppendFooter(line(func(i int) string { return footer[i].table }))
	}
	for l := range strings.Lines(t.Render()) {
		if _, err := fmt.Fprintln(w, strings.TrimRight(l, " \n")); err != nil {
			return err
		}
	}
	if s.legend != "" {
		_, err := fmt.Fprintln(w, Plain(s.legend))
		return err
	}
	return nil
}
