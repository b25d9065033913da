package verify

import (
	"regexp"
	"strings"

	"github.com/footfall/footfall/internal/figures"
)

// excluded reports whether the site, under the rules of the record's step, excludes the page of the record's event.
func (w *rulebook) excluded(r *record) bool {
	if r.rules == nil || len(r.rules.ExcludedPaths) == 0 {
		return false
	}
	page := r.event.Page()
	if len(page) == 0 {
		return false
	}
	for _, path := range r.rules.ExcludedPaths {
		if w.pathPattern(path).Match(page) {
			return true
		}
	}
	return false
}

// pathPattern returns the expression that an excluded path amounts to.
func (w *rulebook) pathPattern(path string) *regexp.Regexp {
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

// foldExcluded takes an event in that its site excludes.
func (s *statsRecount) foldExcluded(site *siteRecount, r *record) {
	var own sums
	own.Counts[figures.ExcludedEvents], own.Counts[figures.ExcludedPageViews] = 1, number(r.event.IsPageView())
	s.hour(site, r.hour).add(own)
	s.day(site, r.day).add(own)
}
