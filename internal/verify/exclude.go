package verify

import (
	"regexp"
	"strings"
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

// exclusions are the counters of excluded events of an hour or a day.
type exclusions struct{ pageViews, events int64 }

func (x *exclusions) add(o exclusions) {
	x.pageViews += o.pageViews
	x.events += o.events
}

// foldExcluded takes an event in that its site excludes.
func (s *statsRecount) foldExcluded(site *siteRecount, r *record) {
	x := exclusions{events: 1, pageViews: number(r.event.IsPageView())}
	s.hour(site, r.hour).excluded.add(x)
	s.day(site, r.day).excluded.add(x)
}
