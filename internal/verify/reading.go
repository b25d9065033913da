package verify

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// reading is what the log says of a page view, that of its session whose record is the last: what a page's row has of it is derived
// each time.
type reading struct {
	visit
	hour int64 // in which it is counted

	followed  bool  // the session has had an event after it in the log
	untilNext int64 // how long after it that was, in ms; 0 or less: not later
	spoken    bool  // an event of engagement has said how long it was read
	spokenMs  int64 // the sum of what they said
	deepest   int64 // that they said, in percent; -1: none did
}

// next takes the session's next record in the log in.
func (p *reading) next(e *event.Event) {
	if !p.followed {
		p.followed, p.untilNext = true, e.Timestamp-p.at
	}
	if e.URL != nil && pageOf(e) != p.page {
		return
	}
	said := e.Engagement()
	if said.TimeMs >= 0 {
		p.spoken = true
		p.spokenMs += said.TimeMs
	}
	p.deepest = max(p.deepest, said.Scroll)
}

// longestToNext is the greatest time to a next event that counts, in ms.
const longestToNext = 30 * minuteMs

// counts is what the page's row has of it.
func (p *reading) counts() (k sketch.Attention) {
	switch {
	case p.page == "":
		return k
	case p.spoken:
		k.Timed, k.TimeMs = 1, p.spokenMs
	case p.followed && p.untilNext > 0:
		k.Timed, k.TimeMs = 1, min(p.untilNext, longestToNext)
	}
	if p.deepest >= 0 {
		k.Scrolled, k.Depth = 1, p.deepest
	}
	return k
}

// state is how the session's item has it.
func (p *reading) state() (o state.OpenPage) {
	if p.page == "" {
		return o
	}
	o.Page, o.At, o.Pos = p.page, p.at, p.position
	o.Shift = int32(p.hour - floor(p.at, hourMs))
	o.Scroll = uint8(p.deepest + 1)
	switch {
	case p.spoken:
		o.Timing = state.Engaged
	case p.followed && p.untilNext > 0:
		o.Timing, o.TimeMs = state.ToNext, int32(p.counts().TimeMs)
	case p.followed:
		o.Timing = state.NotLater
	}
	return o
}

// read takes out what the page view before the record had in its page's row, and puts in what it has to have by the record. It returns
// the breakdown; nil: there is none.
func (s *statsRecount) read(site *siteRecount, r *record, x *session) *breakdown {
	if x == nil || x.booked == notBooked {
		return nil
	}
	var b *breakdown
	if before := x.reading; before.page != "" {
		x.reading.next(r.event)
		if had, has := before.counts(), x.reading.counts(); had != has {
			b = s.breakdown(site, r, before.hour)
			change := sketch.Attention{Timed: has.Timed - had.Timed, TimeMs: has.TimeMs - had.TimeMs, Scrolled: has.Scrolled - had.Scrolled,
				Depth: has.Depth - had.Depth}
			b.short = !b.Attend(before.page, before.position, change) || b.short
		}
	}
	if page := pageOf(r.event); page != "" && r.event.IsPageView() {
		x.reading = reading{visit: visit{page, r.event.Timestamp, r.position}, hour: r.hour, deepest: -1}
	}
	return b
}
