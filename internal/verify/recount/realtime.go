package recount

import (
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sketch"
)

// Realtime is the fold of a chain of the realtime lane.
type Realtime struct {
	count.Step
	v          *Model
	chain      *Chain
	Sites      map[string]*count.SiteMinutes
	classifier *classify.Classifier
}

func newRealtimeRecount(v *Model, c *Chain) *Realtime {
	return &Realtime{v: v, chain: c, Sites: make(map[string]*count.SiteMinutes), classifier: classify.New()}
}

// Minute returns the cell of a minute; nil when nothing is known of it.
func (s *Realtime) Minute(site string, start int64) *count.Cell[*count.Minute] {
	if known := s.Sites[site]; known != nil {
		return known.Live[start]
	}
	return nil
}

// fold takes the next record in.
func (s *Realtime) fold(r *count.Record) {
	e := r.Event
	if s.v.verdict(s.chain, r) != event.Accepted || r.Rules != nil && r.Rules.NoRealtime ||
		r.Time-e.Timestamp > checkpoint.RealtimeWindow.Milliseconds() || !s.v.Wants(e.SiteID) || s.v.Excluded(r) {
		return
	}
	site := s.Sites[string(e.SiteID)]
	if site == nil {
		site = &count.SiteMinutes{Live: make(map[int64]*count.Cell[*count.Minute]), Expired: make(map[int64]bool)}
		s.Sites[string(e.SiteID)] = site
	}
	start := count.Floor(e.Timestamp, count.MinuteMs)
	if count.RealtimeTTL(start) <= s.v.Now() {
		// It has been left out from the first or is about to be: what is in memory of it is of no use.
		delete(site.Live, start)
		if !site.Expired[start] {
			site.Expired[start] = true
			s.v.Ledger.grow(string(e.SiteID), weighExpired)
		}
		return
	}
	c := count.Change(&s.Step, site.Live, start)
	if c.End == nil {
		s.v.Ledger.grow(string(e.SiteID), weighMinute)
		c.End = &count.Minute{Visitors: sketch.NewMinute(), Pages: sketch.NewTop(count.PageRows)}
	}
	if count.BotOf(s.classifier, r) != count.NoBot {
		c.End.BotEvents++
		c.End.BotPageViews += count.OneIf(e.IsPageView())
		return
	}
	c.End.Events++
	c.End.Visitors.Add(s.v.Hasher.Visitor(e.Visitor()))
	if e.IsPageView() {
		c.End.PageViews++
		if page := count.PageOf(e); page != "" {
			c.End.Pages.Add([]byte(page))
		}
	}
}
