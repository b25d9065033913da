package aggregate

import (
	"math"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/internal/arena"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

func NewRealtime(at Place) *Realtime {
	return &Realtime{Place: at, minutes: make(map[siteMinute]*minute), keys: sinks.NewSpeller(at.Keys, at.TP),
		kept: arena.Cohorts{Keep: at.Keep, Max: at.Max}}
}

// minuteBytes is about what the request of a minute takes.
const minuteBytes = 2500

func (f *Realtime) At(now int64) { f.now = now }

func (f *Realtime) Begin(step int64, s *checkpoint.Settings) {
	f.step = step
	f.under(s)
}

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
	if !s.minuteRuled.known || s.minuteRuled.of != f.rules.Ruled() {
		s.minuteRuled = ruled{Rules: f.rules.Site(s.ID), of: f.rules.Ruled(), known: true}
	}
	if !s.minuteRuled.Realtime() || s.minuteRuled.excludes(r) {
		return
	}
	m := f.minute(s, r.Event.Timestamp)
	if !m.asked {
		m.asked = true
		f.kept.Weigh(&m.bytes, minuteRoom)
		f.askMinute(m, l)
	}
	r.minute = m
}

func (f *Realtime) Loaded(Asker) error { return nil }

// askMinute reads a minute's item.
func (f *Realtime) askMinute(m *minute, l Asker) {
	m.Reset(damage.RealtimePages)
	m.key = f.keys.Realtime(m.site.ID, &m.site.names, m.start)
	l.Ask(m.key, m)
}

func (f *Realtime) Add(r *Input) {
	m := r.minute
	if m == nil {
		return
	}
	if m.step != f.step {
		m.step = f.step
		f.touched = append(f.touched, m)
	}
	if m.skip == f.step {
		return
	}
	if f.listed(r, m.site, m.site.minuteRuled.Rules) != NotBot {
		m.botEvents++
		if r.Event.IsPageView() {
			m.botPageViews++
		}
		return
	}
	m.events++
	m.Visitors.Add(r.Visitor)
	if r.Event.IsPageView() {
		m.pageViews++
	}
	if r.Page != "" {
		m.Pages.AddString(r.Page)
	}
}

func (f *Realtime) Size() (items, bytes int) { return len(f.touched), len(f.touched) * minuteBytes }

func (f *Realtime) Cut(now int64) plan.Plan {
	p := plan.Plan{Writes: make([]plan.Write, 0, len(f.touched))}
	g, room, sketches := plan.GuardOf(f.Mark, f.step), plan.Attrs{}, plan.Pieces{}
	touched := make([]arena.Cached, 0, len(f.touched))
	for _, m := range f.touched {
		touched = append(touched, m)
		f.kept.Weigh(&m.bytes, minuteRoom+m.Weight())
		if m.skip == f.step {
			continue
		}
		add := room.Took(m.additions(room.Room(minuteCounters)), 0)
		m.events, m.pageViews, m.botEvents, m.botPageViews = 0, 0, 0, 0
		ttl := plan.Expires(m.start+event.MinuteMs+checkpoint.RealtimeTTL.Milliseconds(), 0)
		if ttl.Passed(now) {
			p.Counts.Expire(sinks.EntityRealtime)
			continue
		}
		visitors, pages := sketches.Append(&m.Visitors), sketches.Append(&m.Pages)
		p.Parts += len(visitors) + len(pages)
		set := append(room.Room(3+plan.GuardAttrs), sinks.Attr{Name: sinks.AttrVisitors, Value: sinks.Bytes(visitors)},
			sinks.Attr{Name: sinks.AttrPages, Value: sinks.Bytes(pages)})
		p.Writes = append(p.Writes, plan.Guarded(sinks.EntityRealtime, m.key, g, add, ttl.Attr(set)))
	}
	f.kept.Add(f.step, touched)
	clear(f.touched)
	f.touched = f.touched[:0] // Its room serves the next step.
	return p
}

func (f *Realtime) States() int { return f.kept.Live }

func (f *Realtime) Brought() int { return 0 }

func (f *Realtime) Held() int { return f.kept.Held() }

func (f *Realtime) Release(settled int64, need int) (freed int) {
	return f.kept.Release(settled, need)
}

func (f *Realtime) Drop(settled int64) { f.kept.Release(settled, math.MaxInt) }

func (f *Realtime) Settled(step int64) { f.kept.Settled(step) }
