package recount

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
)

// foldExcluded takes an event in that its site excludes.
func (s *Stats) foldExcluded(site *count.Site, r *count.Record) {
	var own count.Sums
	own.Counts[figures.ExcludedEvents], own.Counts[figures.ExcludedPageViews] = 1, count.OneIf(r.Event.IsPageView())
	s.hour(site, r.Hour).Add(own)
	s.day(site, r.Day).Add(own)
}
