package passing

import (
	"slices"

	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// Sums are the sums of what passes filters.
type Sums struct {
	eventSums
	Visitors *sketch.Uniques
	sessionSums
	conversionSums
}

// conversionSums are the sums over the conversions of sessions.
type conversionSums struct {
	Conversions, Converted int64
	Worth                  int128.Int // in millionths
	Missed                 int64      // sessions that pass all filters but those of the form goal=ID
}

// NewSums makes sums of nothing. Visitors are exact up to 1,024.
func NewSums() *Sums { return &Sums{Visitors: sketch.NewHour()} }

// Nothing reports whether nothing passes the filters.
func (s *Sums) Nothing() bool { return s.Events == 0 && s.Sessions == 0 }

// add counts an event.
func (s *Sums) add(e countedEvent) {
	s.eventSums.add(e)
	s.Visitors.Add(e.visitor)
}

// sessionSums are the sums over sessions.
type sessionSums struct{ Sessions, Bounces, Engaged, DurationMs int64 }

// change takes back what a session was, and adds what it is.
func (s *sessionSums) change(before, after sessionSums) {
	s.Sessions += after.Sessions - before.Sessions
	s.Bounces += after.Bounces - before.Bounces
	s.Engaged += after.Engaged - before.Engaged
	s.DurationMs += after.DurationMs - before.DurationMs
}

// A countedEvent is what an event adds to sums.
type countedEvent struct {
	pageView, valued bool
	valueMicros      int128.Int
	visitor          uint64
}

// eventSums are the sums over events.
type eventSums struct {
	PageViews, Events, Values int64
	ValueMicros               int128.Int
}

// add counts an event.
func (s *eventSums) add(e countedEvent) {
	s.Events++
	if e.pageView {
		s.PageViews++
	}
	if e.valued {
		s.Values++
		s.ValueMicros = s.ValueMicros.Plus(e.valueMicros)
	}
}

// passedSums are the sums over the events of a session that pass.
type passedSums struct {
	eventSums
	visitors []uint64
}

// fewVisitors is among how many visitors of a session an event's own is looked for. Few sessions have more than one.
const fewVisitors = 8

func (p *passedSums) add(e countedEvent) {
	p.eventSums.add(e)
	if len(p.visitors) > fewVisitors || !slices.Contains(p.visitors, e.visitor) {
		p.visitors = append(p.visitors, e.visitor)
	}
}

// plus adds what has passed of a session.
func (s *Sums) plus(p *passedSums) {
	s.PageViews += p.PageViews
	s.Events += p.Events
	s.Values += p.Values
	s.ValueMicros = s.ValueMicros.Plus(p.ValueMicros)
	for _, visitor := range p.visitors {
		s.Visitors.Add(visitor)
	}
}
