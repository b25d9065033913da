package count

import (
	"unicode/utf8"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// Texts are what an event says in each dimension; "" is nothing.
type Texts [len(sinks.DimensionNames)]string

// Visit is a page view with a url; the zero value is none.
type Visit struct {
	Page         string
	At, Position int64
}

// maxPageBytes is where pages are cut in sessions and realtime minutes.
const maxPageBytes = 200

// PageOf returns the page of an event, cut on a rune boundary; "" without a url.
func PageOf(e *event.Event) string {
	page := e.Page()
	if len(page) > maxPageBytes {
		n := maxPageBytes
		for n > 0 && !utf8.RuneStart(page[n]) {
			n--
		}
		page = page[:n]
	}
	return string(page)
}
