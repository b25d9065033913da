package show

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/footfall/footfall/query"
)

// pages is an answer with nearly every column that pages have.
func pages() query.TopAnswer {
	share := 0.25
	counts := query.TopCounts{Share: &share, Events: 34, PageViews: 12, UniqueVisitors: 7, Entries: 3, Exits: 2}
	return query.TopAnswer{Site: "shop", Known: query.Known{SiteKnown: true}, Dimension: "page", Sort: "exits", Values: 1,
		Rows: []query.TopRow{{Value: "/" + strings.Repeat("long/", 9), TopCounts: counts}}}
}

// printed returns what a terminal of a width shows, by lines.
func printed(t *testing.T, l Layout, answer any) []string {
	t.Helper()
	var out, notes bytes.Buffer
	if err := Print(&out, &notes, l, answer); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
}

// belowTitle returns the lines of a table from the header on: its title is the paragraph above.
func belowTitle(lines []string) []string {
	return lines[slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, " ") }):]
}

// A line of a table fits a terminal of any width, the two first columns and the sorted one stay, and each column is either
// shown or named as left out.
func TestTableFitsTheTerminal(t *testing.T) {
	all := belowTitle(printed(t, Layout{Format: Table}, pages()))[0]
	titles := strings.FieldsFunc(all, func(r rune) bool { return r == ' ' })
	narrowed := 0
	for width := 45; width <= 220; width++ {
		lines := printed(t, Layout{Format: Table, Width: width}, pages())
		for _, line := range lines {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("%d columns: line of %d: %q", width, utf8.RuneCountInString(line), line)
			}
		}
		header, text := belowTitle(lines)[0], strings.Join(lines, " ")
		for _, title := range []string{"page", "Share", "Exits"} {
			if !strings.Contains(header, title) {
				t.Errorf("%d columns: header %q lacks %s", width, header, title)
			}
		}
		for _, title := range titles {
			if !strings.Contains(text, title) {
				t.Errorf("%d columns: %q is neither shown nor named as left out in\n%s", width, title, strings.Join(lines, "\n"))
			}
		}
		if header != all {
			narrowed++
		}
	}
	if narrowed == 0 || narrowed == 220-45+1 {
		t.Errorf("%d of the widths leave columns out, want some", narrowed)
	}
}

func TestTextsAreShortenedLast(t *testing.T) {
	row := func(width int) string { return belowTitle(printed(t, Layout{Format: Table, Width: width}, pages()))[2] }
	if got := row(75); !strings.Contains(got, "long/ ") {
		t.Errorf("75 columns show %q, want the whole page", got)
	}
	if got := row(45); !strings.Contains(got, "…") || !strings.Contains(got, "25") {
		t.Errorf("45 columns show %q, want a shortened page beside its share", got)
	}
}

func TestColumnsWithoutAnyValueAreLeftOut(t *testing.T) {
	header := belowTitle(printed(t, Layout{Format: Table}, pages()))[0]
	for _, title := range []string{"Scroll depth", "Max. undercount", "Bounce rate"} { // No page has any.
		if strings.Contains(header, title) {
			t.Errorf("header %q, want it without %s", header, title)
		}
	}
	named := belowTitle(printed(t, Layout{Format: Table, Columns: []string{"bounceRate", "value"}, Width: 20}, pages()))[0]
	if want := " Bounce rate  page"; !strings.HasPrefix(named, want) {
		t.Errorf("header %q, want %q: columns that are named are shown, in their order", named, want)
	}
}

func TestNamedColumnsAsCSV(t *testing.T) {
	names := []string{"exits", "value", "bounces"}
	rows, err := csv.NewReader(strings.NewReader(strings.Join(printed(t, Layout{Format: CSV, Columns: names}, pages()), "\n"))).ReadAll()
	if err != nil || len(rows) < 2 || !slices.Equal(rows[0], names) || rows[1][0] != "2" {
		t.Errorf("rows %q (%v), want the columns %q", rows, err, names)
	}
}

func TestUnknownColumnsAreRefused(t *testing.T) {
	for _, test := range []struct {
		layout Layout
		want   string
	}{
		{Layout{Format: Table, Columns: []string{"value", "visitor"}}, `columns "visitor": not a column of this answer: choose from value, `},
		{Layout{Format: CSV, Columns: []string{"value", "share", "value"}}, `columns "value": named twice`},
		{Layout{Format: CSV, Columns: []string{""}}, `columns: not a column`},
		{Layout{Format: JSON, Columns: []string{"value"}}, `columns "value": JSON has all fields: name columns of tables and CSV only`},
	} {
		var out bytes.Buffer
		if err := Print(&out, &out, test.layout, pages()); err == nil || !strings.HasPrefix(fmt.Sprint(err), test.want) || out.Len() > 0 {
			t.Errorf("%+v: error %v after %q, want %s", test.layout, err, out.String(), test.want)
		}
	}
}

// TestValueThatReadsLikeARow: a value that is spelled like a row of no value, or of several, is quoted for people and as it is in CSV.
func TestValueThatReadsLikeARow(t *testing.T) {
	a := pages()
	a.Rows[0].Value = noneRow
	table := strings.Join(printed(t, Layout{Format: Table, Columns: []string{"value"}}, a), "\n")
	if csv := strings.Join(printed(t, Layout{Format: CSV, Columns: []string{"value"}}, a), "\n"); !strings.Contains(table, `"(none)"`) ||
		strings.Contains(csv, `"`) {
		t.Errorf("table:\n%s\nCSV:\n%s", table, csv)
	}
}

// CSV is empty, and not 0, where nothing is counted of a dimension.
func TestCSVIsEmptyWhereNothingIsCounted(t *testing.T) {
	session, page := []string{"sessions", "durationMs"}, []string{"entries", "exits", "scrollDepthSum"}
	goals := []string{"conversions", "conversionValue"}
	value := []string{"values", "valueSum"}
	for dimension, counted := range map[string][]string{
		"page": slices.Concat(session, page, goals), "utm_source": slices.Concat(session, goals), "country": session,
		"event": slices.Concat(session, value), "property:plan": nil,
	} {
		a := pages()
		a.Dimension = dimension
		for _, c := range []*query.TopCounts{&a.Rows[0].TopCounts, &a.Other} {
			c.Events, c.ConversionValue, c.ValueSum = 34, "0", "0"
		}
		a.None = &query.TopNone{Events: 1, TopConversions: query.TopConversions{ConversionValue: "0"}}
		columns := slices.Concat([]string{"kind"}, session, page, goals, value)
		rows, err := csv.NewReader(strings.NewReader(strings.Join(printed(t, Layout{Format: CSV, Columns: columns}, a), "\n"))).ReadAll()
		if err != nil || len(rows) != 4 {
			t.Fatalf("%s: rows %q (%v), want a head and three", dimension, rows, err)
		}
		for _, row := range rows[1:] {
			for i, name := range columns[1:] {
				want := slices.Contains(counted, name)
				if row[0] == "none" { // Only values have entries, exits and values.
					want = want && !slices.Contains(page, name) && !slices.Contains(value, name)
				}
				if known := row[i+1] != ""; known != want {
					t.Errorf("%s: %s of the row %s is %q, want it known: %v", dimension, name, row[0], row[i+1], want)
				}
			}
		}
	}
}

// A change that is shown as 0 has no sign.
func TestChangesThatRoundToNothingHaveNoSign(t *testing.T) {
	for x, want := range map[float64]string{-0.0002: "0.0 %", 0.0002: "0.0 %", 0: "0.0 %", -0.001: "-0.1 %", 0.001: "+0.1 %"} {
		if got := relativeCell(&x).table; got != want {
			t.Errorf("%v is shown as %q, want %q", x, got, want)
		}
	}
}
