package query

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/internal/calendar"
)

// setNew completes the new visitors of figures of a span, by the site's rules.
func (q *statsQuestion) setNew(f *Figures, s calendar.Span) {
	rules := q.t.Clock.Rules
	f.setReturning(countsNew(rules, s.From))
	if since := newVisitorsSince(rules); f.NewVisitors != nil && s.From < since && since < s.To {
		f.NewSince = new(q.cal.Instant(since))
	}
}

// countsNew reports whether the site has counted new visitors from an instant on, in ms since the epoch, by its rules.
func countsNew(s *sites.Rules, from int64) bool {
	return s.CountsNewVisitors() && from >= s.NewVisitorsSince
}

// newVisitorsSince returns since when the site counts new visitors; 0: from the beginning, or not at all.
func newVisitorsSince(s *sites.Rules) int64 {
	if !s.CountsNewVisitors() {
		return 0
	}
	return s.NewVisitorsSince
}

// setReturning derives the returning visitors of a site's figures, and takes back the new ones if none were counted. counted says that
// new visitors were counted in all the time that the figures are of.
func (f *Figures) setReturning(counted bool) {
	if !counted {
		if *f.NewVisitors == 0 {
			f.NewVisitors = nil
		}
		return
	}
	if f.UniqueVisitors == nil {
		return
	}
	all := int64(*f.UniqueVisitors)
	n := uint64(max(0, all-max(0, *f.NewVisitors)))
	f.ReturningVisitors = &n
	f.ReturningError = sixPlaces(f.VisitorsError * float64(all) / float64(max(n, 1)))
}

// setReturningOfSites is setReturning of several sites: if one of them has not counted new visitors, their sum says nothing of all.
func (f *Figures) setReturningOfSites(counted bool) {
	if !counted {
		*f.NewVisitors = 0
	}
	f.setReturning(counted)
}
