//go:build unix

package e2e

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// htmlPage reads a page as a browser without script does: what the server sends is all there is.
func htmlPage(t *testing.T, address string) *node {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "text/html")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	root, err := parseHTML(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %v", address, answer.Status, err)
	}
	return root
}

// A node is an element of a page, or a text.
type node struct {
	name, text string // name: "" of a text
	attributes map[string]string
	children   []*node
}

// parseHTML reads a document that closes its elements.
func parseHTML(r io.Reader) (*node, error) {
	d := xml.NewDecoder(r)
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	open := []*node{{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && len(open) == 1 {
			return open[0], nil
		} else if err != nil {
			return nil, err
		}
		in := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attributes: make(map[string]string)}
			for _, a := range token.Attr {
				n.attributes[a.Name.Local] = a.Value
			}
			in.children, open = append(in.children, n), append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			in.children = append(in.children, &node{text: string(token)})
		}
	}
}

// elements are the elements below a node, in their order, that have a name and, unless it is "", an attribute with a value.
func elements(below *node, name, attribute, value string) (all []*node) {
	if below == nil {
		return nil
	}
	for _, n := range below.children {
		has, given := n.attributes[attribute]
		if n.name == name && (attribute == "" || given && (has == value || slices.Contains(strings.Fields(has), value))) {
			all = append(all, n)
		}
		all = append(all, elements(n, name, attribute, value)...)
	}
	return all
}

// element is the first of elements; nil: there is none.
func element(below *node, name, attribute, value string) *node {
	if all := elements(below, name, attribute, value); len(all) > 0 {
		return all[0]
	}
	return nil
}

// textOf is the text of an element without that of <small>, <abbr> and <svg>, which are remarks, but for the sum of an event's values.
func textOf(n *node) string {
	var text strings.Builder
	var walk func(*node)
	walk = func(n *node) {
		if n == nil || n.name == "small" && n.attributes["title"] != "Value sum" || n.name == "abbr" || n.name == "svg" {
			return
		}
		text.WriteString(n.text)
		for _, child := range n.children {
			walk(child)
		}
	}
	walk(n)
	return strings.Join(strings.Fields(text.String()), " ")
}

// tilesOf are the figures of a site's page by their titles.
func tilesOf(page *node) map[string]string {
	tiles := make(map[string]string)
	for _, li := range elements(element(page, "ul", "class", "tiles"), "li", "", "") {
		tiles[textOf(element(li, "span", "class", "title"))] = textOf(element(li, "strong", "", ""))
	}
	return tiles
}

// A shownRow is a row of a table: what it is about, and its cells by their headings.
type shownRow struct {
	name  string
	cells map[string]string
}

// rowsOf are the rows of a table.
func rowsOf(table *node) (rows []shownRow) {
	var headings []string
	for i, tr := range elements(table, "tr", "", "") {
		if i == 0 {
			for _, th := range elements(tr, "th", "", "") {
				heading, _, _ := strings.Cut(textOf(th), " ?")
				headings = append(headings, heading)
			}
			continue
		}
		row := shownRow{name: nameOf(element(tr, "th", "", "")), cells: make(map[string]string)}
		for j, td := range elements(tr, "td", "", "") {
			if j+1 < len(headings) {
				row.cells[headings[j+1]] = textOf(td)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// nameOf is what a row is about.
func nameOf(th *node) string {
	if bdi := element(th, "bdi", "", ""); bdi != nil {
		if title := bdi.attributes["title"]; title != "" {
			return strings.Join(strings.Fields(title), " ") // The code of a country, which is shown by its name.
		}
		th = bdi
	}
	return textOf(th)
}

// grouped spells a whole number with its thousands apart.
func grouped(n float64) string {
	digits := fmt.Sprintf("%.0f", n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// whole reads a number that grouped has spelled, or an estimate with a tilde.
func whole(t *testing.T, spelled string) (n float64) {
	t.Helper()
	if _, err := fmt.Sscan(strings.NewReplacer(",", "", "~", "").Replace(spelled), &n); err != nil {
		t.Errorf("%q is no number: %v", spelled, err)
	}
	return n
}

// spelledFigure is how the page must spell a figure of a document, by the figure's name in JSON.
func spelledFigure(name string, of map[string]any) string {
	if sum, ok := of[name].(string); ok {
		return spelledDecimal(sum)
	}
	x, known := of[name].(float64)
	if !known {
		return "–"
	}
	switch name {
	case "uniqueVisitors", "returningVisitors":
		if e, _ := of[name+"Error"].(float64); e > 0 {
			return "~" + grouped(x)
		}
	case "bounceRate", "conversionRate", "exitRate", "share":
		return fmt.Sprintf("%.1f %%", 100*x)
	case "pagesPerSession":
		return fmt.Sprintf("%.2f", x)
	case "avgDurationMs":
		return spelledSpan(time.Duration(x) * time.Millisecond)
	}
	return grouped(x)
}

// spelledDecimal is how the page must spell an exact decimal.
func spelledDecimal(exact string) string {
	integer, fraction, ok := strings.Cut(strings.TrimPrefix(exact, "-"), ".")
	for i := len(integer) - 3; i > 0; i -= 3 {
		integer = integer[:i] + "," + integer[i:]
	}
	if ok {
		integer += "." + fraction
	}
	if strings.HasPrefix(exact, "-") {
		return "−" + integer
	}
	return integer
}

// spelledSpan spells a span of time in its two largest units.
func spelledSpan(d time.Duration) string {
	switch seconds := math.Round(d.Seconds()); {
	case d < 10*time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case seconds < 60:
		return fmt.Sprintf("%.0fs", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm %02ds", int(seconds)/60, int(seconds)%60)
	}
	minutes := int(math.Round(d.Minutes()))
	return fmt.Sprintf("%dh %02dm", minutes/60, minutes%60)
}
