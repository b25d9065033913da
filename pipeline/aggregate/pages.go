package aggregate

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
)

// TruncatePage truncates a path to state.MaxPageBytes.
func TruncatePage(page []byte) []byte { return event.Truncate(page, state.MaxPageBytes) }

// Pages holds pages as strings. A page that many sessions view is made a string, and kept, once. It forgets
// all of them when they are maxPages, some 400 KB.
type Pages map[string]string

const maxPages = 4096

// Text returns the page as a string.
func (p Pages) Text(page []byte) string {
	s, ok := p[string(page)]
	if !ok {
		if len(p) >= maxPages {
			clear(p)
		}
		s = string(page)
		p[s] = s
	}
	return s
}
