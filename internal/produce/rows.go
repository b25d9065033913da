package produce

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/internal/near"
)

// rows reads the rows of a table with a header: comma-separated (RFC 4180), or separated by tabs. A row is one line. It becomes a JSON
// object whose keys are the header's: numbers as JSON has them are numbers, an empty cell is null, and all else is text.
type rows struct {
	tabs      bool
	separator byte
	needed    []string // columns without which no row becomes an event
	mapped    map[string]bool
	names     []string // of the columns; nil: the header was not read yet
	cells     []string
	json      []byte
}

// begun reports whether the header was read.
func (r *rows) begun() bool { return r != nil && r.names != nil }

// begin reads the header.
func (r *rows) begin(line string) error {
	r.separate(line)
	cells, reason := r.split(line)
	if reason != "" {
		return errors.New("header: " + reason)
	}
	names := columns(cells)
	if err := refuseSums(names, r.mapped); err != nil {
		return fmt.Errorf("header: %w", err)
	}
	for i, name := range names {
		if slices.Index(names, name) < i {
			return fmt.Errorf("header: two columns are named %s: give each a name of its own", eventjson.Quote(name))
		}
	}
	for _, name := range r.needed {
		if !slices.Contains(names, name) {
			return fmt.Errorf("header: no column is named %s, which the mapping needs: %schoose from %s", eventjson.Quote(name),
				near.Hint(name, names), strings.Join(names, ", "))
		}
	}
	r.names = names
	return nil
}

// separate finds what separates the columns.
func (r *rows) separate(header string) {
	switch {
	case r.tabs:
		r.separator = '\t'
	case strings.Count(header, ";") > strings.Count(header, ","): // As spreadsheets write it where the comma is the decimal sign.
		r.separator = ';'
	default:
		r.separator = ','
	}
}

// object returns a row as a JSON object, which is good until the next call.
func (r *rows) object(line string) (_ []byte, reason string) {
	cells, reason := r.split(line)
	switch {
	case reason != "":
		return nil, reason
	case len(cells) != len(r.names):
		return nil, fmt.Sprintf("%d cells, and the header has %d", len(cells), len(r.names))
	}
	r.json = append(r.json[:0], '{')
	for i, cell := range cells {
		if i > 0 {
			r.json = append(r.json, ',')
		}
		r.json = append(eventjson.AppendQuoted(r.json, r.names[i]), ':')
		switch v := jsontext.Value(cell); {
		case cell == "":
			r.json = append(r.json, "null"...)
		case v.Kind() == '0' && v.IsValid():
			r.json = append(r.json, cell...)
		default:
			r.json = eventjson.AppendQuoted(r.json, string(accesslog.ValidText([]byte(cell), "%")))
		}
	}
	r.json = append(r.json, '}')
	return r.json, ""
}

// split takes a line apart. Cells may be in quotes, with quotes in them doubled; those of tabs are as they stand.
func (r *rows) split(line string) (_ []string, reason string) {
	r.cells = r.cells[:0]
	for {
		var cell string
		var more bool
		if !r.tabs && strings.HasPrefix(line, `"`) {
			if cell, line, reason = quotedCell(line); reason != "" {
				return nil, fmt.Sprintf("cell %d: %s", len(r.cells)+1, reason)
			}
			if line != "" && line[0] != r.separator {
				return nil, fmt.Sprintf("cell %d: text after its closing quote", len(r.cells)+1)
			}
			more = line != ""
			line = strings.TrimPrefix(line, string(r.separator))
		} else {
			cell, line, more = strings.Cut(line, string(r.separator))
		}
		r.cells = append(r.cells, cell)
		if !more {
			return r.cells, ""
		}
	}
}

// quotedCell takes a cell in quotes off the front of a line.
func quotedCell(line string) (cell, rest, reason string) {
	for i := 1; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			i++
			continue
		}
		return strings.ReplaceAll(line[1:i], `""`, `"`), line[i+1:], ""
	}
	return "", "", "no closing quote on its line (cells with line breaks are not read)"
}
