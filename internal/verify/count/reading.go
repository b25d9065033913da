package count

import (
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sketch"
)

// Reading is what the log says of a page view, that of its session whose record is the last: what a page's row has of it is derived
// each time.
type Reading struct {
	Visit
	Hour int64 // in which it is counted

	followed  bool  // the session has had an event after it in the log
	untilNext int64 // how long after it that was, in ms; 0 or less: not later
	spoken    bool  // an event of engagement has said how long it was read
	spokenMs  int64 // the sum of what they said
	Deepest   int64 // that they said, in percent; -1: none did
}

// Next takes the session's next record in the log in.
func (p *Reading) Next(e *event.Event) {
	if !p.followed {
		p.followed, p.untilNext = true, e.Timestamp-p.At
	}
	if e.URL != nil && PageOf(e) != p.Page {
		return
	}
	said := e.Engagement()
	if said.TimeMs >= 0 {
		p.spoken = true
		p.spokenMs += said.TimeMs
	}
	p.Deepest = max(p.Deepest, said.Scroll)
}

// longestToNext is the greatest time to a next event that counts, in ms.
const longestToNext = 30 * MinuteMs

// Counts is what the page's row has of it.
func (p *Reading) Counts() (k sketch.Attention) {
	switch {
	case p.Page == "":
		return k
	case p.spoken:
		k.Timed, k.TimeMs = 1, p.spokenMs
	case p.followed && p.untilNext > 0:
		k.Timed, k.TimeMs = 1, min(p.untilNext, longestToNext)
	}
	if p.Deepest >= 0 {
		k.Scrolled, k.Depth = 1, p.Deepest
	}
	return k
}

// State is how the session's item has it.
func (p *Reading) State() (o state.OpenPage) {
	if p.Page == "" {
		return o
	}
	o.Page, o.At, o.Pos = p.Page, p.At, p.Position
	o.Shift = int32(p.Hour - Floor(p.At, HourMs))
	o.Scroll = uint8(p.Deepest + 1)
	switch {
	case p.spoken:
		o.Timing = state.Engaged
	case p.followed && p.untilNext > 0:
		o.Timing, o.TimeMs = state.ToNext, int32(p.Counts().TimeMs)
	case p.followed:
		o.Timing = state.NotLater
	}
	return o
}
