//go:build unix

package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// answers asks the page, the API and the command line about one range, and compares what they say.
type answers struct {
	t        *testing.T
	stage    *stage
	address  string // of footfall serve
	from, to string
	compared map[string]int // figures, by where they were compared
}

// siteAnswers are answers about a site.
type siteAnswers struct {
	*answers
	site, path, page string // path: in the API
}

// equal compares a figure.
func (a *answers) equal(what, have, want string) {
	a.t.Helper()
	a.compared["page and sums"]++
	if have != want {
		a.t.Errorf("%s: %s, want %s", what, have, want)
	}
}

// inRange adds the range to an address.
func (a *answers) inRange(path string) string {
	sep := "?"
	if strings.Contains(path, "?") {
		sep = "&"
	}
	return a.address + strings.TrimSuffix(path, "?") + strings.Replace(sep+"from="+a.from+"&to="+a.to, "?&", "?", 1)
}

// html is a page about the range.
func (a *answers) html(path string) *node {
	a.t.Helper()
	if before, ok := strings.CutSuffix(path, "?"); ok {
		path = before
	}
	return htmlPage(a.t, a.inRange(path))
}

func (a *answers) get(address string) string {
	a.t.Helper()
	r, err := http.NewRequestWithContext(a.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		a.t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		a.t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		a.t.Fatalf("%s: %s: %v: %s", address, answer.Status, err, text)
	}
	return string(text)
}

// ask puts a question to the command line and the API, in JSON and CSV. All four answers have the same figures.
func (a *answers) ask(args []string, path string) map[string]any {
	a.t.Helper()
	args = append(args, "--from", a.from, "--to", a.to)
	var said, served map[string]any
	for text, into := range map[string]*map[string]any{a.stage.execute(a.t, append(args, "--output", "json")...): &said,
		a.get(a.inRange(path)): &served} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			a.t.Fatalf("%v: %v in %s", args, err, text)
		}
	}
	if served == nil { // The texts were equal, so that the map had one key.
		served = said
	}
	if said == nil {
		said = served
	}
	if !reflect.DeepEqual(said, served) {
		a.t.Errorf("%s: %v\nwant what %v says: %v", path, served, args, said)
	}
	a.compared["command line and API"] += figuresIn(said)
	table := a.get(a.inRange(path) + "&format=csv")
	if out := a.stage.execute(a.t, append(args, "--output", "csv")...); out != table {
		a.t.Errorf("%s as CSV:\n%s\nwant what %v prints:\n%s", path, table, args, out)
	}
	a.compareCSV(path, table, said)
	return said
}

// compareCSV compares each cell of a table with the document.
func (a *answers) compareCSV(path, table string, document map[string]any) {
	a.t.Helper()
	records, err := csv.NewReader(strings.NewReader(table)).ReadAll()
	if err != nil || len(records) == 0 {
		a.t.Fatalf("%s as CSV: %v: %s", path, err, table)
	}
	names, records := records[0], records[1:]
	var rows []map[string]any
	for _, name := range []string{"buckets", "rows", "sites", "sessions"} {
		for _, row := range list(document, name) {
			goals := list(row, "goals")
			for _, goal := range goals { // Goals have a row a bucket and goal.
				one := maps.Clone(row)
				maps.Copy(one, goal)
				rows = append(rows, one)
			}
			if _, ofGoals := row["goals"].([]any); !ofGoals || name == "sessions" {
				rows = append(rows, row)
			}
		}
	}
	if _, uniques := document["uniqueVisitors"]; uniques {
		rows = append(rows, document)
	}
	if len(records) < len(rows) {
		a.t.Errorf("%s has %d rows in CSV, want %d:\n%s", path, len(records), len(rows), table)
		return
	}
	found := 0
	for i, row := range rows {
		found += a.compareRow(fmt.Sprintf("%s, row %d of CSV", path, i+1), names, records[i], row)
	}
	if found < 2*len(rows) {
		a.t.Errorf("%s: %d cells of %d rows could be compared: %q", path, found, len(rows), names)
	}
	if kind := slices.Index(names, "kind"); kind >= 0 { // The rest of a list follows its rows.
		for _, record := range records[len(rows):] {
			if rest, ok := document[record[kind]].(map[string]any); ok {
				found += a.compareRow(path+", the row of "+record[kind], names, record, rest)
			}
		}
	}
	a.compared["CSV"] += found
}

// compareRow compares the cells of a row that the document has, and returns how many there are.
func (a *answers) compareRow(what string, names, record []string, row map[string]any) (found int) {
	a.t.Helper()
	for i, name := range names {
		want, known := row[name]
		if !known || record[i] == "" && (want == 0.0 || want == "0") { // What is not counted of a row is empty, and 0 in JSON.
			continue
		}
		found++
		if !sameCell(record[i], want) {
			a.t.Errorf("%s: %s is %q, want %v", what, name, record[i], want)
		}
	}
	return found
}

// sameCell reports whether a cell has the value of a document.
func sameCell(cell string, value any) bool {
	switch v := value.(type) {
	case nil:
		return cell == ""
	case float64:
		x, err := strconv.ParseFloat(cell, 64)
		return err == nil && x == v
	case string: // An apostrophe keeps spreadsheets from taking a text for a formula.
		return cell == v || cell == "'"+v
	case bool:
		return cell == strconv.FormatBool(v)
	}
	return true // Lists have columns of their own.
}

// list is a list of objects of a document; nil: it has none.
func list(document map[string]any, name string) (rows []map[string]any) {
	all, _ := document[name].([]any)
	for _, x := range all {
		rows = append(rows, x.(map[string]any))
	}
	return rows
}

// number reads a number, or an exact decimal.
func number(value any) (x float64, known bool) {
	switch v := value.(type) {
	case float64:
		return v, true
	case string:
		_, err := fmt.Sscan(v, &x)
		return x, err == nil
	}
	return 0, false
}

// figuresIn counts the numbers of a document.
func figuresIn(document any) (n int) {
	switch d := document.(type) {
	case float64:
		return 1
	case []any:
		for _, x := range d {
			n += figuresIn(x)
		}
	case map[string]any:
		for _, x := range d {
			n += figuresIn(x)
		}
	}
	return n
}
