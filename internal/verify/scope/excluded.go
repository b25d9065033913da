package scope

import (
	"regexp"
	"strings"

	"github.com/footfall/footfall/internal/verify/count"
)

// Excluded reports whether the site, under the rules of the record's step, excludes the type or the page of the record's event.
func (w *Rulebook) Excluded(r *count.Record) bool {
	if r.Rules == nil {
		return false
	}
	for _, kind := range r.Rules.ExcludedTypes {
		if kind == string(r.Event.Type) {
			return true
		}
	}
	page := r.Event.Page()
	if len(page) == 0 {
		return false
	}
	for _, path := range r.Rules.ExcludedPaths {
		if w.pathPattern(path).Match(page) {
			return true
		}
	}
	return false
}

// pathPattern returns the expression that an excluded path amounts to.
func (w *Rulebook) pathPattern(path string) *regexp.Regexp {
	known := w.paths[path]
	if known == nil {
		parts := strings.Split(path, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		known = regexp.MustCompile(`\A(?s:` + strings.Join(parts, ".*") + `)\z`)
		if w.paths == nil {
			w.paths = make(map[string]*regexp.Regexp)
		}
		w.paths[path] = known
	}
	return known
}
