package aggregate

import (
	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/pipeline/aggregate/internal/additions"
)

// A site may exclude pages and types of events (sites.Rules.ExcludesPage, ExcludesType). Such an event is counted apart, also if it is a
// bot's: its raw event says so, and hours and days have a sum of them. It is in no other sum, no realtime minute, session or breakdown,
// takes nothing of its site's budget, and makes no session a bot's by its rate. So events, of bots and excluded ones add up to all.

// excludes reports whether the record's page or type is excluded by the rules of its site.
func (s *ruled) excludes(r *Input) bool {
	return s.Rules != nil && (len(s.ExcludedPaths) > 0 && s.ExcludesPage(r.Event.Page()) || s.ExcludesType(r.Event.Type))
}

// addExcluded counts an event in the buckets of its time.
func (b *buckets) addExcluded(r *Input) {
	h, d := r.hour, r.hour.Site.day(r.Event.Timestamp)
	b.touchHour(h)
	b.touchDay(d)
	for _, s := range []*additions.Sums{&h.sums, &d.sums} {
		s.Counts[figures.ExcludedEvents]++
		if r.Event.IsPageView() {
			s.Counts[figures.ExcludedPageViews]++
		}
	}
}
