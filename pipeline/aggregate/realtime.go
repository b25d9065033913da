package aggregate

import (
	"fmt"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Realtime is the fold of the realtime lane: the minutes of each site. A minute's visitors and pages are
// second-kind state: they decide nothing but themselves.
type Realtime struct {
	Place
	step     int64
	settings *checkpoint.Settings
	rules    sites.View
	minutes  []*minute // touched by the accumulating step, in the order of first touch
	kept     cohorts
}

func NewRealtime(at Place) *Realtime {
	return &Realtime{Place: at, kept: cohorts{keep: at.Keep, max: at.Max}}
}

const (
	// RealtimePages is how many pages a realtime minute has a row for.
	RealtimePages = 50
	minuteBytes   = 2500
)

func (f *Realtime) At(now int64) { f.now = now }

func (f *Realtime) Begin(step int64, s *checkpoint.Settings) { f.step, f.settings = step, s }

// Under takes the rules for the sites' own lists of bots. Minutes are those of UTC everywhere.
func (f *Realtime) Under(v sites.View) { f.rules = v }

// current reports whether the event is recent enough, by its record's own timestamp, for realtime minutes.
func (f *Realtime) current(r *Input) bool {
	return r.Time-r.Event.Timestamp <= checkpoint.RealtimeWindow.Milliseconds()
}

// Prepare asks for nothing.
func (f *Realtime) Prepare(*Input, Asker) {}

func (f *Realtime) Want(r *Input, l Asker) {
	r.minute = nil
	if !f.current(r) {
		return
	}
	s := f.Sites.Of(r)
	if !s.minuteRuled.known || s.minuteRuled.rev != f.rules.Rev {
		s.minuteRuled = ruled{Rules: f.rules.Site(s.ID), rev: f.rules.Rev, known: true}
	}
	if !s.minuteRuled.Realtime() || s.minuteRuled.excludes(r) {
		return
	}
	m := s.minute(r.Event.Timestamp)
	if !m.asked {
		m.asked = true
		f.kept.weigh(&m.bytes, minuteRoom)
		f.askMinute(m, l)
	}
	r.minute = m
}

func (f *Realtime) Loaded(Asker) error { return nil }

// askMinute reads a minute's item. Where it carries the very step that is being accumulated, this is a redo and
// the item is the state after the step: the whole of the step skips it.
func (f *Realtime) askMinute(m *minute, l Asker) {
	m.visitors, m.pages = *sketch.NewMinute(), *sketch.NewTop(RealtimePages)
	m.key = f.Keys.Realtime(m.site.ID, m.start, f.TP)
	l.Ask(m.key, FillFunc(func(it sinks.Item) error {
		if it == nil {
			return nil
		}
		if it[f.Mark].Int() == f.step {
			m.skip = f.step
		}
		return f.readMinute(it, m)
	}))
}

func (f *Realtime) Add(r *Input) {
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
		if r.Event.IsPageView() {
			m.botPageViews++
		}
		return
	}
	m.events++
	m.visitors.Add(r.Visitor)
	if r.Event.IsPageView() {
		m.pageViews++
	}
	if r.Page != "" {
		m.pages.AddString(r.Page)
	}
}

func (f *Realtime) Size() (items, bytes int) { return len(f.minutes), len(f.minutes) * minuteBytes }

func (f *Realtime) Cut(now int64) Plan {
	p := Plan{Writes: make([]Write, 0, len(f.minutes))}
	g, room := guardOf(f.Mark, f.step), attrs{}
	touched := make([]cached, 0, len(f.minutes))
	for _, m := range f.minutes {
		touched = append(touched, m)
		f.kept.weigh(&m.bytes, minuteRoom+m.visitors.Weight()+m.pages.Weight())
		if m.skip == f.step {
			continue
		}
		add := m.additions(room.room(4))
		m.events, m.pageViews, m.botEvents, m.botPageViews = 0, 0, 0, 0
		ttl := Expires(m.start+event.MinuteMs+checkpoint.RealtimeTTL.Milliseconds(), 0)
		if ttl.Passed(now) {
			p.Counts.expire(sinks.EntityRealtime)
			continue
		}
		visitors, err1 := m.visitors.AppendBinary(nil)
		pages, err2 := m.pages.AppendBinary(nil)
		if err1 != nil || err2 != nil {
			panic(fmt.Sprintf("our own sketch does not encode: %v %v", err1, err2))
		}
		p.parts += len(visitors) + len(pages)
		set := append(room.room(6), sinks.Attr{Name: sinks.AttrVisitors, Value: sinks.Bytes(visitors)},
			sinks.Attr{Name: sinks.AttrPages, Value: sinks.Bytes(pages)})
		p.Writes = append(p.Writes, guarded(sinks.EntityRealtime, m.key, g, add, ttl.attr(set)))
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

func (f *Realtime) States() int { return f.kept.live }

func (f *Realtime) Brought() int { return 0 }

func (f *Realtime) Held() int { return f.kept.held() }

func (f *Realtime) Release(settled int64, need int) (freed int) {
	return f.kept.release(settled, need)
}

func (f *Realtime) Settled(step int64) { f.kept.settled(step) }

func (m *minute) lastStep() int64 { return m.step }

func (m *minute) drop() (bytes int) {
	delete(m.site.minutes, m.start)
	if m.site.lastMinute == m {
		m.site.lastMinute = nil
	}
	return int(m.bytes)
}
