package derived

import (
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query/figures"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/numbers"
)

// SetNew completes the new visitors of figures of a span, by the site's rules. instant returns instants in the zone of the answer.
func SetNew(f *figures.Figures, rules *sites.Rules, s calendar.Span, instant func(int64) time.Time) {
	SetReturning(f, CountsNew(rules, s.From))
	if since := newVisitorsSince(rules); f.NewVisitors != nil && s.From < since && since < s.To {
		f.NewSince = new(instant(since))
	}
}

// CountsNew reports whether the site has counted new visitors from an instant on, in ms since the epoch, by its rules.
func CountsNew(s *sites.Rules, from int64) bool {
	return s.CountsNewVisitors() && from >= s.NewVisitorsSince
}

// newVisitorsSince returns since when the site counts new visitors; 0: from the beginning, or not at all.
func newVisitorsSince(s *sites.Rules) int64 {
	if !s.CountsNewVisitors() {
		return 0
	}
	return s.NewVisitorsSince
}

// SetReturning derives the returning visitors of a site's figures, and takes back the new ones if none were counted. counted says that
// new visitors were counted in all the time that the figures are of.
func SetReturning(f *figures.Figures, counted bool) {
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
	f.ReturningError = numbers.SixPlaces(f.VisitorsError * float64(all) / float64(max(n, 1)))
}

// SetReturningOfSites is SetReturning of several sites: if one of them has not counted new visitors, their sum says nothing of all.
func SetReturningOfSites(f *figures.Figures, counted bool) {
	if !counted {
		*f.NewVisitors = 0
	}
	SetReturning(f, counted)
}
