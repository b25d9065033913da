package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/footfall/footfall/internal/near"
	"github.com/footfall/footfall/query"
)

// A Layout is how an answer is printed.
type Layout struct {
	Format  Format
	Columns []string // the columns to show, by their names in JSON, in this order; nil: those of the answer
	Width   int      // columns of the terminal that a table must fit; 0: any width
	Brief   bool     // tables lack columns of numbers that are the same in all rows; a line below says what they are
	Bars    bool     // tables have bars and sparklines, where there is room
	Color   bool     // tables are coloured
	Remedy  string   // how to see the columns that do not fit; "": | cat shows all
	// Site and Subject: titles of tables name the subject, such as a file, and not the site of this id; "": they name the site.
	Site, Subject string
}

// named returns sheets whose titles name the layout's subject.
func (l Layout) named(sheets []sheet) []sheet {
	if l.Subject == "" {
		return sheets
	}
	for i := range sheets {
		title, found := strings.CutPrefix(sheets[i].title, "Site "+l.Site)
		if found {
			title = l.Subject + title
		} else {
			title = strings.Replace(title, " of site "+l.Site, " of "+l.Subject, 1)
		}
		sheets[i].title = title
	}
	return sheets
}

const (
	padding    = 2  // blanks around the text of a cell
	narrowText = 12 // the fewest characters that a text is shortened to
)

// Check refuses what is no format, and columns where there are none.
func (l Layout) Check() error {
	if len(l.Columns) > 0 && (l.Format == JSON || l.Format == NDJSON) {
		return &query.ParamError{Param: "columns", Value: strings.Join(l.Columns, ","),
			Remedy: "JSON has all fields: name columns of tables and CSV only"}
	}
	for i, name := range l.Columns {
		if slices.Contains(l.Columns[:i], name) {
			return &query.ParamError{Param: "columns", Value: name, Remedy: "named twice: name each column once"}
		}
	}
	return l.Format.Check()
}

// chosen returns the sheets with the columns that the layout names, which have titles then; sheets without any of them are left out.
func (l Layout) chosen(sheets []sheet) ([]sheet, error) {
	if len(l.Columns) == 0 {
		return sheets, nil
	}
	found := map[string]bool{}
	var chosen []sheet
	for _, s := range sheets {
		if of := s.only(l.Columns); len(of.columns) > 0 {
			chosen = append(chosen, of)
			for _, c := range of.columns {
				found[c.name] = true
			}
		}
	}
	for _, name := range l.Columns {
		if !found[name] {
			return nil, &query.ParamError{Param: "columns", Value: name, Remedy: "not a column of this answer: " +
				near.Hint(name, columnNames(sheets)) + "choose from " + strings.Join(columnNames(sheets), ", ")}
		}
	}
	return chosen, nil
}

// columnNames lists the columns of sheets, each once.
func columnNames(sheets []sheet) (names []string) {
	for _, s := range sheets {
		for _, c := range s.columns {
			if !slices.Contains(names, c.name) {
				names = append(names, c.name)
			}
		}
	}
	return names
}

// only returns the sheet with the named columns it has, in the order of the names.
func (s sheet) only(names []string) sheet {
	var indexes []int
	for _, name := range names {
		if i := slices.IndexFunc(s.columns, func(c column) bool { return c.name == name }); i >= 0 {
			indexes = append(indexes, i)
		}
	}
	s = s.at(indexes)
	for i := range s.columns {
		if s.columns[i].title == "" {
			s.columns[i].title = s.columns[i].name
		}
	}
	s.fixed = true
	return s
}

// at returns the sheet with the columns of these indexes.
func (s sheet) at(indexes []int) sheet {
	s.columns = pick(s.columns, indexes)
	s.rows, s.footers = slices.Clone(s.rows), slices.Clone(s.footers)
	for _, rows := range [][][]cell{s.rows, s.footers} {
		for i := range rows {
			rows[i] = pick(rows[i], indexes)
		}
	}
	return s
}

func pick[T any](from []T, indexes []int) []T {
	to := make([]T, len(indexes))
	for i, index := range indexes {
		to[i] = from[index]
	}
	return to
}

// forPeople returns the sheet with the columns that a table has: those with a title, and without those that say nothing in any
// row, but for details.
func (s sheet) forPeople() sheet {
	var indexes []int
	for i, c := range s.columns {
		if c.title != "" && (i == 0 || s.fixed || s.details || len(s.rows) == 0 || s.says(i)) {
			indexes = append(indexes, i)
		}
	}
	return s.at(indexes)
}

// differing returns the sheet without columns of numbers that are the same in all of several rows, and what these say. The column by which
// rows are sorted stays.
func (s sheet) differing() (_ sheet, same []string) {
	if len(s.rows) < 2 || s.fixed {
		return s, nil
	}
	var indexes []int
	for i, c := range s.columns {
		first := s.rows[0][i].table
		if c.number && c.name != s.sortedBy && !slices.ContainsFunc(s.rows, func(row []cell) bool { return row[i].table != first }) {
			same = append(same, c.title+" "+first)
		} else {
			indexes = append(indexes, i)
		}
	}
	return s.at(indexes), same
}

// says reports whether any cell of a column has a text for people.
func (s sheet) says(column int) bool {
	says := func(row []cell) bool { return row[column].table != "" && row[column].table != unknown.table }
	return slices.ContainsFunc(s.rows, says) || slices.ContainsFunc(s.footers, says)
}

// fit returns the sheet as wide as a terminal at most. Columns are left out, the minor ones first and then from the right, but for those
// that must stay; what room that leaves goes to those that fit into it. If that is not enough, texts are shortened, but not in details. It
// returns the titles of what was left out, too.
func (s sheet) fit(width int) (fitting sheet, left []string) {
	if width <= 0 {
		return s, nil
	}
	lacking := make(map[int]bool)
	if order := s.leastUseful(); !s.fixed {
		room := width - s.width()
		for _, i := range order {
			if room >= 0 {
				break
			}
			lacking[i] = true
			room += s.columnWidth(i) + padding
		}
		for _, i := range slices.Backward(order) {
			if need := s.columnWidth(i) + padding; lacking[i] && need <= room {
				delete(lacking, i)
				room -= need
			}
		}
	}
	var stay []int
	for i, c := range s.columns {
		if lacking[i] {
			left = append(left, c.title)
		} else {
			stay = append(stay, i)
		}
	}
	s = s.at(stay)
	for i, c := range s.columns {
		if over := s.width() - width; over > 0 && !c.number && !s.details && !(i == 0 && s.ids) {
			s.shorten(i, max(narrowText, s.columnWidth(i)-over))
		}
	}
	return s, left
}

// leastUseful lists the columns that a narrow terminal may lack, in the order in which it lacks them. The first stays, and the one that the
// rows are sorted by, and the second unless the first is whole as ids are.
func (s sheet) leastUseful() (order []int) {
	for _, name := range s.minor {
		if i := slices.IndexFunc(s.columns, func(c column) bool { return c.name == name }); i > 0 {
			order = append(order, i)
		}
	}
	stay := 2
	if s.ids {
		stay = 1
	}
	for i := len(s.columns) - 1; i >= stay; i-- {
		if s.columns[i].name != s.sortedBy && !slices.Contains(order, i) {
			order = append(order, i)
		}
	}
	return order
}

// width is how wide the table is that the sheet becomes.
func (s sheet) width() int {
	width := 0
	for i := range s.columns {
		width += s.columnWidth(i) + padding
	}
	return width
}

func (s sheet) columnWidth(i int) int {
	width := text.StringWidthWithoutEscSequences(s.columns[i].title)
	for _, row := range slices.Concat(s.rows, s.footers) {
		width = max(width, text.StringWidthWithoutEscSequences(row[i].table))
	}
	return width
}

// shorten cuts the texts of a column, for people, to a number of characters. The rows must be the sheet's own, as at makes them.
func (s sheet) shorten(i, most int) {
	for _, row := range slices.Concat(s.rows, s.footers) {
		row[i].table = text.Snip(row[i].table, most, "…")
	}
}

// leftOut says which columns a narrow terminal does not show, and how to see them; "": it shows all.
func (l Layout) leftOut(titles []string) string {
	if len(titles) == 0 {
		return ""
	}
	return "Left out for lack of room: " + strings.Join(titles, ", ") + ". " + cmp.Or(l.Remedy, "| cat shows all.")
}

// writeText writes a paragraph in lines that are at most as wide as the layout says, unless a word is longer.
func writeText(w io.Writer, paragraph string, l Layout, colors ...text.Color) error {
	if paragraph == "" {
		return nil
	}
	for line := range strings.Lines(wrapped(Plain(paragraph), l.Width)) {
		if _, err := fmt.Fprintln(w, painted(strings.TrimRight(line, " \n"), l.Color, colors...)); err != nil {
			return err
		}
	}
	return nil
}

// without returns the sheet without a column.
func (s sheet) without(name string) sheet {
	var indexes []int
	for i, c := range s.columns {
		if c.name != name {
			indexes = append(indexes, i)
		}
	}
	return s.at(indexes)
}

// turned returns a sheet with a line for each column of s and a column for each row. A footer, of all rows, comes before them.
func (s sheet) turned() sheet {
	turned := sheet{title: s.title, legend: s.legend, fixed: s.fixed, details: s.details, columns: []column{{"field", "Field", false}}}
	for range s.footers {
		turned.columns = append(turned.columns, column{"all", "All parts", false})
	}
	for i := range s.rows {
		title := "Value"
		if len(s.rows) > 1 {
			title = fmt.Sprintf("Part %d", i+1)
		}
		turned.columns = append(turned.columns, column{fmt.Sprintf("part%d", i+1), title, false})
	}
	for i, c := range s.columns {
		line := []cell{{c.name, c.title}}
		for _, row := range slices.Concat(s.footers, s.rows) {
			line = append(line, row[i])
		}
		turned.rows = append(turned.rows, line)
	}
	return turned
}
