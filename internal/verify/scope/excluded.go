package scope

import (
	"regexp"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/verify/count"
)

// Excluded reports whether the site, under the rules of the record's step, excludes the type or the page of the record's event.
func (w *Rulebook) Excluded(r *count.Record) bool {
	if r.Rules == nil {
		return false
	}
	if slices.Contains(r.Rules.ExcludedTypes, string(r.Event.Type)) {
		return true
	}
	page := r.Event.Page()
	return len(page) > 0 && slices.ContainsFunc(r.Rules.ExcludedPaths, func(path string) bool { return w.pathPattern(path).Match(page) })
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
