package produce

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/footfall/footfall/internal/accesslog"
	"github.com/footfall/footfall/sketch"
)

// Statuses is how the requests of access logs were answered, of all lines: also of bots, and of those that were left out.
type Statuses struct {
	Classes  map[string]int64 `json:"classes"`  // requests by the class of their status, such as 4xx
	NotFound []NotFound       `json:"notFound"` // those with the most requests first
}

// NotFound is a page that requests were answered with 404 for.
type NotFound struct {
	SiteID        string `json:"siteId"`
	Page          string `json:"page"` // without its query
	Requests      int64  `json:"requests"`
	MaxUndercount int64  `json:"maxUndercount"` // requests that may be missing: there are more such pages than are counted at a time
}

// String lists the classes: 2xx 9126, 4xx 220.
func (s *Statuses) String() string {
	var parts []string
	for _, class := range slices.Sorted(maps.Keys(s.Classes)) {
		parts = append(parts, fmt.Sprintf("%s %d", class, s.Classes[class]))
	}
	return strings.Join(parts, ", ")
}

// statuses counts how requests were answered.
type statuses struct {
	classes  [10]int64
	notFound *sketch.Top // of sites and pages with a NUL between them
	key      []byte
}

// notFoundRows is how many pages are counted at a time: a scanner asks for thousands.
const notFoundRows = 1000

// countStatus counts how a line's request was answered.
func (f *AccessLog) countStatus(l *accesslog.Line) {
	s := &f.statuses
	s.classes[l.Status/100]++
	if l.Status == http.StatusNotFound {
		site, _ := f.siteOf(l)
		page, _, _ := bytes.Cut(l.Target, []byte("?"))
		s.key = append(append(append(s.key[:0], site...), 0), page...)
		s.notFound.Add(s.key)
	}
}

// Statuses counts how the requests of access logs were answered until now. It has at most this number of pages that were not found, of one
// site alone unless that is "".
func (f *File) Statuses(site string, most int) Statuses {
	all := Statuses{Classes: make(map[string]int64), NotFound: []NotFound{}}
	for _, format := range f.formats {
		log, ok := format.(*AccessLog)
		if !ok {
			continue
		}
		for class, n := range log.statuses.classes {
			if n > 0 && class > 0 {
				all.Classes[fmt.Sprintf("%dxx", class)] += n
			}
		}
		for _, row := range log.statuses.notFound.Rows() {
			of, page, _ := strings.Cut(row.Value, "\x00")
			if site == "" || site == of {
				all.NotFound = append(all.NotFound, NotFound{of, page, int64(row.Count), int64(row.Error)})
			}
		}
	}
	slices.SortStableFunc(all.NotFound, func(a, b NotFound) int { return cmp.Compare(b.Requests, a.Requests) })
	all.NotFound = all.NotFound[:min(len(all.NotFound), most)]
	return all
}
