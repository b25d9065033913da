// Package show prints answers of package query and explanations of package schema: as tables for people, as JSON and as CSV.
//
// show.go has the formats, views.go which view shows which answer, sheet.go how rows are laid out, columns.go which columns are shown,
// cells.go how a value is spelled, and the files of sheets what the views have in them. plain.go escapes what a terminal would obey.
package show

import (
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/footfall/footfall/query"
)

// Format is how an answer is shown.
type Format string

// The formats. A table is for people: it says percentages and names what was left out below the rows. JSON is the
// whole answer as one document, see WriteJSON. CSV is the answer's rows, under the names that JSON has for them.
const (
	Table Format = "table"
	JSON  Format = "json"
	CSV   Format = "csv"

	// NDJSON is the rows of the answer as JSON, one a line: an answer that is no list is one line.
	NDJSON Format = "ndjson"

	// CSVRaw is CSV with texts as they are: with formulas, and with characters that terminals obey.
	CSVRaw Format = "csv-raw"
)

// Formats lists the formats by name.
var Formats = []string{string(Table), string(JSON), string(NDJSON), string(CSV)}

// Check reports whether there is such a format.
func (f Format) Check() error {
	if f != CSVRaw && !slices.Contains(Formats, string(f)) {
		return &query.ParamError{Param: "output", Value: string(f), Remedy: "choose one of " + strings.Join(Formats, ", ")}
	}
	return nil
}

// Print shows an answer on out. What CSV and NDJSON have no place for, the cursor above all, goes to notes.
func Print(out, notes io.Writer, l Layout, answer any) error {
	if err := l.Check(); err != nil {
		return err
	}
	if l.Format == JSON {
		return WriteJSON(PlainWriter(out), answer) // The indentation has line breaks and blanks alone.
	}
	v := viewOf(answer)
	if l.Format == NDJSON {
		if err := WriteLines(PlainWriter(out), answer); err != nil {
			return err
		}
		return writeNotes(notes, v.notes(), Layout{})
	}
	sheets := v.sheets()
	if l.Format != Table {
		sheets = sheets[:1]
	}
	sheets, err := l.chosen(sheets)
	if err != nil {
		return err
	}
	if l.Format == Table {
		return printTables(out, l.named(sheets), v.notes(), l)
	}
	spell := spreadsheetSafe
	if l.Format == CSVRaw {
		spell = func(s string) string { return s }
	}
	if err := sheets[0].writeCSV(out, spell); err != nil {
		return err
	}
	return writeNotes(notes, v.notes(), Layout{})
}

// printTables shows the sheets that are for people, and notes below them.
func printTables(out io.Writer, sheets []sheet, notes []string, l Layout) error {
	between := ""
	for _, s := range sheets {
		if s.title == "" {
			continue
		}
		if _, err := io.WriteString(out, between); err != nil {
			return err
		}
		between = "\n"
		if err := s.withUsedLegend().writeTable(out, l); err != nil {
			return err
		}
	}
	return writeNotes(out, notes, l)
}

func writeNotes(w io.Writer, notes []string, l Layout) error {
	for _, n := range notes {
		if err := writeText(w, n, l, text.Faint); err != nil {
			return err
		}
	}
	return nil
}
