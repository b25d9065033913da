package serve

import (
	"encoding/json"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/footfall/footfall/internal/show"
)

// The formats of answers, by the names that ?format= takes.
var formats = map[string]string{"json": "application/json", "csv": "text/csv", "ndjson": "application/x-ndjson"}

// humaFormats are the formats as huma chooses among them by Accept.
var humaFormats = map[string]huma.Format{
	"application/json":     {Marshal: show.WriteJSON, Unmarshal: json.Unmarshal},
	"json":                 huma.DefaultJSONFormat, // of application/problem+json
	"text/csv":             {Marshal: writeCSV},
	"application/x-ndjson": {Marshal: writeNDJSON},
}

// writeCSV writes the rows of an answer as footfall query --output csv does: cells that a spreadsheet would take for a formula begin with
// an apostrophe. What CSV has no place for is in JSON only.
func writeCSV(w io.Writer, answer any) error {
	return show.Print(w, io.Discard, show.Layout{Format: show.CSV}, answer)
}

// writeNDJSON writes the rows of an answer, each as a document on a line of its own. An answer that is no list is one line.
func writeNDJSON(w io.Writer, answer any) error { return show.WriteLines(w, answer) }

// formatted has ?format= take the place of Accept, since an address in a browser or a spreadsheet can name no header.
func formatted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if accept, ok := formats[r.URL.Query().Get("format")]; ok {
			r.Header.Set("Accept", accept)
		}
		w.Header().Add("Vary", "Accept, Authorization, Cookie")
		next.ServeHTTP(w, r)
	})
}
