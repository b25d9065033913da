package pipeline

import (
	"fmt"

	"github.com/footfall/footfall/internal/plant"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// realtimeFold is the fold of the realtime lane: the minutes of each site. A minute's visitors and pages are
// second-kind state: they decide nothing but themselves.
type realtimeFold struct {
	place
	step     int64
	settings *checkpoint.Settings
	rules    sites.View
	minutes  []*minute // touched by the accumulating step, in the order of first touch
	kept     cohorts
}

func newRealtime(at place) *realtimeFold {
	return &realtimeFold{place: at, kept: cohorts{keep: at.keep, max: at.max}}
}

const (
	// RealtimePages is how many pages a realtime minute has a row for.
	RealtimePages = 50
	minuteBytes   = 2500
	minuteWeight  = 5 // sessions that a minute counts for where what is kept in memory is bounded
)

func (f *realtimeFold) at(now int64) { f.now = now }

func (f *realtimeFold) begin(step int64, s *checkpoint.Settings) { f.step, f.settings = step, s }

// under takes the rules for the sites' own lists of bots. Minutes are those of UTC everywhere.
func (f *realtimeFold) under(v sites.View) { f.rules = v }

// current reports whether the event is recent enough, by its record's own timestamp, for realtime minutes.
func (f *realtimeFold) current(r *input) bool {
	return r.time-r.event.Timestamp <= checkpoint.RealtimeWindow.Milliseconds()
}

// prepare asks for nothing.
func (f *realtimeFold) prepare(*input, asker) {}

func (f *realtimeFold) want(r *input, l asker) {
	r.minute = nil
	if !f.current(r) {
		return
	}
	s := f.sites.of(r)
	if !s.minuteRuled.known || s.minuteRuled.rev != f.rules.Rev {
		s.minuteRuled = ruled{Rules: f.rules.Site(s.id), rev: f.rules.Rev, known: true}
	}
	if !s.minuteRuled.Realtime() {
		return
	}
	m := s.minute(r.event.Timestamp)
	if !m.asked {
		m.asked = true
		f.kept.live += minuteWeight
		f.kept.weigh(&m.bytes, minuteRoom)
		f.askMinute(m, l)
	}
	r.minute = m
}

func (f *realtimeFold) loaded(asker) error { return nil }

// askMinute reads a minute's item. Where it carries the very step that is being accumulated, this is a redo and
// the item is the state after the step: the whole of the step skips it.
func (f *realtimeFold) askMinute(m *minute, l asker) {
	m.visitors, m.pages = sketch.NewMinute(), sketch.NewTop(RealtimePages)
	key := f.keys.Realtime(m.site.id, m.start, f.tp)
	l.ask(key, func(it sinks.Item) error {
		if it == nil {
			return nil
		}
		if it[f.mark].Int() == f.step && !plant.MinuteTwice {
			m.skip = f.step
		}
		return f.readMinute(key, it, m)
	})
}

func (f *realtimeFold) add(r *input) {
	m := r.minute
	if m == nil {
		return
	}
	if m.step != f.step {
		m.step = f.step
		f.minutes = append(f.minutes, m)
	}
	if m.skip == f.step {
		return
	}
	if f.listed(r, f.settings, m.site.minuteRuled.Rules) != NotBot {
		m.botEvents++
		if r.event.IsPageView() {
			m.botPageViews++
		}
		if plant.BotVisits {
			m.visitors.Add(r.visitor)
		}
		return
	}
	m.events++
	m.visitors.Add(r.visitor)
	if r.event.IsPageView() {
		m.pageViews++
	}
	if r.page != "" {
		m.pages.AddString(r.page)
	}
}

func (f *realtimeFold) size() (items, bytes int) { return len(f.minutes), len(f.minutes) * minuteBytes }

func (f *realtimeFold) cut(now int64) plan {
	p := plan{writes: make([]write, 0, len(f.minutes))}
	g, room := guardOf(f.mark, f.step), attrs{}
	touched := make([]cached, 0, len(f.minutes))
	for _, m := range f.minutes {
		touched = append(touched, m)
		f.kept.weigh(&m.bytes, minuteRoom+m.visitors.Weight()+m.pages.Weight())
		if m.skip == f.step {
			continue
		}
		add := m.additions(room.room(4))
		m.events, m.pageViews, m.botEvents, m.botPageViews = 0, 0, 0, 0
		ttl := expires(m.start+event.MinuteMs+checkpoint.RealtimeTTL.Milliseconds(), 0)
		if ttl.passed(now) {
			p.counts.expire(sinks.EntityRealtime)
			continue
		}
		visitors, err1 := m.visitors.AppendBinary(nil)
		pages, err2 := m.pages.AppendBinary(nil)
		if err1 != nil || err2 != nil {
			panic(fmt.Sprintf("our own sketch does not encode: %v %v", err1, err2))
		}
		p.parts += len(visitors) + len(pages)
		p.writes = append(p.writes, guarded(sinks.EntityRealtime, f.keys.Realtime(m.site.id, m.start, f.tp),
			g, add, ttl.attr(append(room.room(6), sinks.Attr{Name: sinks.AttrVisitors, Value: sinks.Bytes(visitors)},
				sinks.Attr{Name: sinks.AttrPages, Value: sinks.Bytes(pages)}))))
	}
	f.kept.add(f.step, touched)
	f.minutes = nil
	return p
}

// additions appends the counters that change.
func (m *minute) additions(add []sinks.Attr) []sinks.Attr {
	for _, c := range [...]struct {
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

func (f *realtimeFold) states() int { return f.kept.live }

func (f *realtimeFold) brought() int { return 0 }

func (f *realtimeFold) held() int { return f.kept.held() }

func (f *realtimeFold) release(settled int64, need int) (freed int) {
	return f.kept.release(settled, need)
}

func (f *realtimeFold) settled(step int64) { f.kept.settled(step) }

func (m *minute) lastStep() int64 { return m.step }

func (m *minute) drop() (weight, bytes int) {
	delete(m.site.minutes, m.start)
	if m.site.lastMinute == m {
		m.site.lastMinute = nil
	}
	return minuteWeight, int(m.bytes)
}
