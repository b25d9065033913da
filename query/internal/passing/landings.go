package passing

import (
	"fmt"
	"slices"

	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

// The entry page of a session is that of its first page view with a url, its exit page that of the last, and any event may be the one
// that reaches a goal. So a session and its events wait, if filters ask for these, until it has viewed a page, or has ended.

// MaxWaitingEvents bounds the events that wait. On the heap each takes 72 to 134 bytes, as measured, and 16 more for each dimension of
// rows: 4 million take 290 to 540 MB, and 1.1 GB with 8 lists. Tests lower it.
var MaxWaitingEvents = 4_000_000

// hitEvents is as how many of them an event counts that waits for a funnel, where it takes 132 bytes and the id of its visitor, as
// measured, besides what it takes while it waits for its session.
const hitEvents = 2

// landings are what filters by the entry and exit pages and the goals of sessions share.
type landings struct {
	atEnd   bool // there is a filter by the exit page or a goal, so a session is decided about when it has ended
	waiting int  // events
}

// newLandings returns nil if no filter is by what whole sessions have.
func newLandings(dimensions []Dimension) *landings {
	if !slices.ContainsFunc(dimensions, Dimension.OfWhole) {
		return nil
	}
	return &landings{atEnd: slices.ContainsFunc(dimensions, func(d Dimension) bool {
		return d.whole == filters.ExitDimension || d.whole == filters.GoalDimension
	})}
}

// view has a page view decide about its session. Without a filter by the exit page or a goal, the first one says all.
func (f *filterScan) view(s *filterSession, it sinks.Item) {
	p := s.pages
	if p == nil || it["type"].Str() != pageViewType || it["url"].Kind() == sinks.None {
		return
	}
	p.exit, p.hidesExit = f.texts.keep(pageOf(it)), f.hides(it)
	if !p.viewed {
		p.viewed, p.entry, p.hidesEntry = true, p.exit, p.hidesExit
	}
	if s.landing != nil && !f.landings.atEnd {
		f.settle(s)
	}
}

// hides reports whether a page view does not pass the locked filters by its own values.
func (f *filterScan) hides(it sinks.Item) bool {
	for i, c := range f.conditions {
		d := f.dimensions[i]
		if f.locked[i] && !d.ofSource() && !d.OfWhole() && !c.Matches(f.values.own(it, d)) {
			return true
		}
	}
	return false
}

// wait keeps an event until its session is decided about.
func (f *filterScan) wait(l *landing, it sinks.Item, at int64, values []string) error {
	w := waitingEvent{countedEvent: countedOf(it, f.hasher), at: at, values: f.texts.keepAll(values)}
	if f.passing != nil {
		w.n = f.passing.Next(it, false)
	}
	l.waiting = append(l.waiting, w)
	f.landings.waiting++
	return f.room()
}

// room refuses the question if more is kept than may be.
func (f *filterScan) room() error {
	waiting, each := 0, 1
	if f.landings != nil {
		waiting = f.landings.waiting
	}
	if f.passing != nil {
		waiting, each = waiting+f.passing.Waits()*hitEvents, 1+hitEvents
	}
	if waiting <= MaxWaitingEvents {
		return nil
	}
	return &ranges.ParamError{Param: "where", Remedy: fmt.Sprintf("more than %d events would have to be kept until the exit pages "+
		"or goals of their sessions are known: ask for a shorter range", MaxWaitingEvents/each)}
}

// settle decides about a session by what is known of its entry and exit pages and its goals, and counts it and what has waited.
func (f *filterScan) settle(s *filterSession) {
	l := s.landing
	if l == nil {
		return
	}
	s.landing = nil
	f.landings.waiting -= len(l.waiting)
	passes, eligible := f.passesWhole(s)
	if f.passing != nil {
		for _, w := range l.waiting {
			f.passing.Decide(w.n, passes)
		}
	}
	if !passes {
		if eligible && s.selected && f.span.Has(s.start) && f.asked.Missed != nil {
			for _, i := range f.wholeRows {
				l.opening[i] = s.pages.of(f.rows[i])
			}
			f.asked.Missed(l.opening)
		}
		s.selected, s.source = false, false
		return
	}
	if s.selected && f.span.Has(s.start) {
		s.counted = f.into(s.start, l.opening)
		for _, sums := range s.counted {
			sums.change(sessionSums{}, s.sums())
		}
	}
	for _, w := range l.waiting {
		f.count(s, w.at, w.values, w.countedEvent)
	}
}

// passesWhole reports whether a session passes the filters by its entry and exit page and its goals. It is eligible if it passes all but
// those of the form goal=ID.
func (f *filterScan) passesWhole(s *filterSession) (all, eligible bool) {
	all = true
	for i, c := range f.conditions {
		passes := true
		switch f.dimensions[i].whole {
		case filters.EntryDimension, filters.ExitDimension:
			page := s.pages.visible(f.dimensions[i])
			if f.locked[i] {
				page = s.pages.of(f.dimensions[i])
			}
			passes = c.Matches(page)
		case filters.GoalDimension:
			passes = c.MatchesAny(func(id string) bool { return f.goals.converts(s, id) })
		}
		if !passes && !c.Converts() {
			return false, false
		}
		all = all && passes
	}
	return all, true
}
