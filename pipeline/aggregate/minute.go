package aggregate

import (
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// siteMinute names a minute. All sites share one map of them: a small site has each minute for one event or two, and a map of its own
// would grow with nearly every event.
type siteMinute struct {
	site  *Site
	start int64
}

// minute returns the minute of an instant.
func (f *Realtime) minute(s *Site, t int64) *minute {
	start := t - t%event.MinuteMs
	if s.last.minute != nil && s.last.minute.start == start {
		return s.last.minute
	}
	k := siteMinute{s, start}
	m := f.minutes[k]
	if m == nil {
		m = f.fresh.Take()
		m.of, m.site, m.start = f, s, start
		f.minutes[k] = m
		s.minutes++
	}
	s.last.minute = m
	return m
}

// Fill implements Filler. Where the item carries the very step that is being accumulated, this is a redo and the item is the state after
// the step: the whole of the step skips it.
func (m *minute) Fill(it sinks.Item) error {
	if it == nil {
		return nil
	}
	if it[m.of.Mark].Int() == m.of.step {
		m.skip = m.of.step
	}
	return m.of.readMinute(it, m)
}

// minuteCounters is how many attributes additions appends at most.
const minuteCounters = 4

// additions appends the counters that change.
func (m *minute) additions(add []sinks.Attr) []sinks.Attr {
	for _, c := range [minuteCounters]struct {
		name string
		n    int64
	}{{sinks.AttrEvents, m.events}, {sinks.AttrPageViews, m.pageViews}, {sinks.AttrBotEvents, m.botEvents},
		{sinks.AttrBotPageViews, m.botPageViews}} {
		if c.n > 0 {
			add = append(add, sinks.Attr{Name: c.name, Value: sinks.Int(c.n)})
		}
	}
	return add
}

func (m *minute) LastStep() int64 { return m.step }

func (m *minute) Drop() (bytes int) {
	delete(m.of.minutes, siteMinute{m.site, m.start})
	m.site.minutes--
	if m.site.last.minute == m {
		m.site.last.minute = nil
	}
	return int(m.bytes)
}

// readMinute reads a realtime minute.
func (f *Realtime) readMinute(it sinks.Item, m *minute) error {
	var part damage.Faults
	part.Mark(it, f.Mark)
	part.Binary(it, sinks.AttrVisitors, m.Visitors.UnmarshalBinary)
	part.Binary(it, sinks.AttrPages, m.Pages.UnmarshalBinary)
	part.Kinds(sinks.EntityRealtime, f.TP, it) // The counters: what was added to them is lost, too.
	if len(part.Attrs) == 0 {
		return nil
	}
	return f.Damaged(part.BadPart(sinks.EntityRealtime, m.site.ID, m.key, it,
		map[string]sinks.Value{sinks.AttrVisitors: damage.EmptyMinute, sinks.AttrPages: damage.EmptyPages}))
}

// Realtime is the fold of the realtime lane: the minutes of each site. A minute's visitors and pages are
// second-kind state: they decide nothing but themselves.
type Realtime struct {
	Place
	step    int64
	rules   sites.View
	touched []*minute // by the accumulating step, in the order of first touch
	minutes map[siteMinute]*minute
	fresh   arena.Slab[minute]
	keys    sinks.Speller
	kept    arena.Cohorts
}
