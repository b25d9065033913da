package query

import "github.com/footfall/footfall/internal/sites"

// setReturning derives the returning visitors of figures from an instant on, in ms since the epoch, by the rules of their site. They are
// unknown unless new visitors were counted from that instant on.
func (f *Figures) setReturning(s *sites.Rules, from int64) {
	if f.UniqueVisitors == nil || !s.CountsNewVisitors() || from < s.NewVisitorsSince {
		return
	}
	all := int64(*f.UniqueVisitors)
	n := uint64(max(0, all-max(0, f.NewVisitors)))
	f.ReturningVisitors = &n
	f.ReturningError = sixPlaces(f.VisitorsError * float64(all) / float64(max(n, 1)))
}
