package verify

import (
	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sketch"
)

// pageRows is how many rows the pages of a realtime minute have.
const pageRows = 50

// minute is what one partition knows of a minute of a site.
type minute struct {
	pageViews, events int64
	botPageViews      int64
	botEvents         int64
	visitors          *sketch.Uniques
	pages             *sketch.Top
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (m *minute) Clone() *minute {
	if m == nil {
		return nil
	}
	o := *m
	o.visitors, o.pages = m.visitors.Clone(), m.pages.Clone()
	return &o
}

// siteMinutes are a site's minutes as one partition knows them.
type siteMinutes struct {
	live    map[int64]*cell[*minute]
	expired map[int64]bool // had expired when they were recounted
}

// realtimeRecount is the fold of a chain of the realtime lane.
type realtimeRecount struct {
	step
	v          *model
	chain      *chain
	sites      map[string]*siteMinutes
	classifier *classify.Classifier
}

func newRealtimeRecount(v *model, c *chain) *realtimeRecount {
	return &realtimeRecount{v: v, chain: c, sites: make(map[string]*siteMinutes), classifier: classify.New()}
}

// minute returns the cell of a minute; nil when nothing is known of it.
func (s *realtimeRecount) minute(site string, start int64) *cell[*minute] {
	if known := s.sites[site]; known != nil {
		return known.live[start]
	}
	return nil
}

// fold takes the next record in.
func (s *realtimeRecount) fold(r *record) {
	e := r.event
	if s.v.verdict(s.chain, r) != event.Accepted || r.rules != nil && r.rules.NoRealtime ||
		r.time-e.Timestamp > checkpoint.RealtimeWindow.Milliseconds() || !s.v.wants(e.SiteID) || s.v.excluded(r) {
		return
	}
	site := s.sites[string(e.SiteID)]
	if site == nil {
		site = &siteMinutes{live: make(map[int64]*cell[*minute]), expired: make(map[int64]bool)}
		s.sites[string(e.SiteID)] = site
	}
	start := floor(e.Timestamp, minuteMs)
	if realtimeTTL(start) <= s.v.now() {
		// It has been left out from the first or is about to be: what is in memory of it is of no use.
		delete(site.live, start)
		if !site.expired[start] {
			site.expired[start] = true
			s.v.ledger.grow(string(e.SiteID), weighExpired)
		}
		return
	}
	c := change(&s.step, site.live, start)
	if c.end == nil {
		s.v.ledger.grow(string(e.SiteID), weighMinute)
		c.end = &minute{visitors: sketch.NewMinute(), pages: sketch.NewTop(pageRows)}
	}
	if listed(s.classifier, r) != none {
		c.end.botEvents++
		c.end.botPageViews += number(e.IsPageView())
		return
	}
	c.end.events++
	c.end.visitors.Add(s.v.hasher.Visitor(e.Visitor()))
	if e.IsPageView() {
		c.end.pageViews++
		if page := pageOf(e); page != "" {
			c.end.pages.Add([]byte(page))
		}
	}
}

// realtimeTTL is when a minute expires, in seconds since the epoch.
func realtimeTTL(start int64) int64 {
	return (start + minuteMs + checkpoint.RealtimeTTL.Milliseconds()) / 1000
}
