package query

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Format is how an answer is shown.
type Format string

// The formats. A table is for people: it says percentages and names what was left out below the rows. JSON is the
// whole answer as one document. CSV is the answer's rows, under the names that JSON has for them.
const (
	Table Format = "table"
	JSON  Format = "json"
	CSV   Format = "csv"

	// CSVRaw is CSV with texts as they are: with formulas, and with characters that terminals obey.
	CSVRaw Format = "csv-raw"
)

// Formats lists the formats by name.
var Formats = []string{string(Table), string(JSON), string(CSV)}

// Check reports whether there is such a format.
func (f Format) Check() error {
	if !slices.Contains(Formats, string(f)) {
		return &ParamError{"output", string(f), "is not one of " + strings.Join(Formats, ", ")}
	}
	return nil
}

// An Answer is what a method of Reader returns.
type Answer interface {
	sheets() []sheet
	notes() []string
}

// Known is part of every answer about a site.
type Known struct {
	SiteKnown bool `json:"-"` // the site was counted or created
}

// UnknownSite reports whether the answer is about a site that was neither counted nor created.
func (k Known) UnknownSite() bool { return !k.SiteKnown }

// Print shows an answer on out. What CSV has no place for, the cursor above all, goes to notes.
func Print(out, notes io.Writer, f Format, a Answer) error {
	switch f {
	case JSON:
		e := json.NewEncoder(PlainWriter(out)) // The indentation has line breaks and blanks alone.
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(a)
	case CSV, CSVRaw:
		spell := spreadsheetSafe
		if f == CSVRaw {
			spell = func(s string) string { return s }
		}
		if err := a.sheets()[0].writeCSV(out, spell); err != nil {
			return err
		}
		return writeNotes(notes, a.notes())
	case Table:
		first := true
		for _, s := range a.sheets() {
			if s.title == "" {
				continue
			}
			if !first {
				if _, err := io.WriteString(out, "\n"); err != nil {
					return err
				}
			}
			first = false
			if err := s.writeTable(out); err != nil {
				return err
			}
		}
		return writeNotes(out, a.notes())
	}
	return f.Check()
}

func writeNotes(w io.Writer, notes []string) error {
	for _, n := range notes {
		if _, err := fmt.Fprintln(w, Plain(n)); err != nil {
			return err
		}
	}
	return nil
}

// A sheet is rows under columns. The first sheet of an answer is what CSV shows. One without a title is not shown to
// people.
type sheet struct {
	title   string
	columns []column
	rows    [][]cell
	footer  []cell // nil: none
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
	for _, row := range s.rows {
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
	if len(s.rows) == 0 {
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
			configs = append(configs, table.ColumnConfig{Number: number, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
		}
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(line(func(i int) string { return s.columns[i].title }))
	for _, row := range s.rows {
		t.AppendRow(line(func(i int) string { return row[i].table }))
	}
	if s.footer != nil {
		t.AppendFooter(line(func(i int) string { return s.footer[i].table }))
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

// maxCell is how much of a text a table shows, in characters.
const maxCell = 60

// clean makes a text safe for a terminal: ids and pages come from producers, and must neither move the cursor nor
// reverse the line. Unprintable characters are escaped, long texts truncated.
func clean(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == ' ' || unicode.IsPrint(r) && r != unicode.ReplacementChar {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}

func textCell(s string) cell {
	shown := []rune(clean(s))
	if len(shown) > maxCell {
		shown = append(shown[:maxCell-1], '…')
	}
	return cell{s, string(shown)}
}

func intCell[N int | int64 | uint64](n N) cell {
	s := fmt.Sprint(n)
	return cell{s, s}
}

// unknown is a figure that there is none of.
var unknown = cell{"", "-"}

// estimateCell shows a number of visitors, nil where it is not known, and marks for people one that is an estimate, with an
// error above 0.
func estimateCell(n *uint64, standardError float64) cell {
	if n == nil {
		return unknown
	}
	c := intCell(*n)
	if standardError > 0 {
		c.table = "~" + c.table
	}
	return c
}

// aboutEstimates says what estimateCell marks, given the greatest error; "": it has marked nothing.
func aboutEstimates(standardError float64) string {
	if standardError == 0 {
		return ""
	}
	return fmt.Sprintf("Some numbers of visitors (~) are estimates, of a standard error of %.2f %%.", 100*standardError)
}

func percentCell(r *float64) cell {
	if r == nil {
		return unknown
	}
	return cell{strconv.FormatFloat(*r, 'f', -1, 64), strconv.FormatFloat(*r*100, 'f', 1, 64) + " %"}
}

func ratioCell(r *float64) cell {
	if r == nil {
		return unknown
	}
	return cell{strconv.FormatFloat(*r, 'f', -1, 64), strconv.FormatFloat(*r, 'f', 2, 64)}
}

func durationCell(ms *int64) cell {
	if ms == nil {
		return unknown
	}
	d := time.Duration(*ms) * time.Millisecond
	shown := d.Round(time.Second).String()
	if d < 10*time.Second {
		shown = d.Round(100 * time.Millisecond).String()
	}
	return cell{strconv.FormatInt(*ms, 10), shown}
}

// timeCell shows an instant in its zone; layout is for people.
func timeCell(t *time.Time, layout string) cell {
	if t == nil {
		return unknown
	}
	return cell{t.Format(time.RFC3339Nano), t.Format(layout)}
}

// daysCell shows a retention.
func parametersCell(names *string) cell {
	if names == nil {
		return unknown
	}
	return textCell(*names)
}

func daysCell(days *int64) cell {
	switch {
	case days == nil:
		return unknown
	case *days < 0:
		return cell{strconv.FormatInt(*days, 10), "never"}
	}
	return intCell(*days)
}

func boolCell(b bool) cell {
	if b {
		return cell{"true", "yes"}
	}
	return cell{"false", "no"}
}

// spanText says a range in a title; nil ends are open.
func spanText(from, to *time.Time) string {
	spell := func(t *time.Time) string { return t.Format(time.RFC3339Nano) }
	switch {
	case from == nil && to == nil:
		return "all times"
	case from == nil:
		return "before " + spell(to)
	case to == nil:
		return "from " + spell(from) + " on"
	}
	return "[" + spell(from) + ", " + spell(to) + ")"
}

// remarks are the notes that answers have in common.
func remarks(site string, known bool, expired int, cursor string) []string {
	var notes []string
	if !known {
		notes = append(notes, fmt.Sprintf("Site %s is not known: none of its events was counted, and it was not created.", clean(strconv.Quote(site))))
	}
	if expired > 0 {
		notes = append(notes, fmt.Sprintf("Expired items left out: %d.", expired))
	}
	if cursor != "" {
		notes = append(notes, "There is more: continue with --cursor "+cursor)
	}
	return notes
}
