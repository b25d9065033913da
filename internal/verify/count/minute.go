package count

import (
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sketch"
)

// PageRows is how many rows the pages of a realtime minute have.
const PageRows = 50

// Minute is what one partition knows of a minute of a site.
type Minute struct {
	PageViews, Events int64
	BotPageViews      int64
	BotEvents         int64
	Visitors          *sketch.Uniques
	Pages             *sketch.Top
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (m *Minute) Clone() *Minute {
	if m == nil {
		return nil
	}
	o := *m
	o.Visitors, o.Pages = m.Visitors.Clone(), m.Pages.Clone()
	return &o
}

// SiteMinutes are a site's minutes as one partition knows them.
type SiteMinutes struct {
	Live    map[int64]*Cell[*Minute]
	Expired map[int64]bool // had expired when they were recounted
}

// RealtimeTTL is when a minute expires, in seconds since the epoch.
func RealtimeTTL(start int64) int64 {
	return (start + MinuteMs + checkpoint.RealtimeTTL.Milliseconds()) / 1000
}
