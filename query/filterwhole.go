package query

import (
	"slices"

	"github.com/footfall/footfall/sinks/int128"
)

// Rows by the entry or exit page count sessions, and their events that pass, once a session has ended. What has passed of it until then is
// added up, so that its events need not be kept.

// sessionPages are the entry and exit page of a session, as far as they are known.
type sessionPages struct {
	viewed                bool
	hidesEntry, hidesExit bool // its view does not pass the locked filters
	entry, exit           string
}

// visible returns the page that a dimension means; "": there is none, or locked filters hide it.
func (p *sessionPages) visible(d filterDimension) string {
	if d.whole == ExitDimension && p.hidesExit || d.whole == EntryDimension && p.hidesEntry {
		return ""
	}
	return p.of(d)
}

// of returns the page that a dimension means.
func (p *sessionPages) of(d filterDimension) string {
	if d.whole == ExitDimension {
		return p.exit
	}
	return p.entry
}

// eventSums are the sums over events.
type eventSums struct {
	pageViews, events, values int64
	valueMicros               int128.Int
}

// add counts an event.
func (s *eventSums) add(e countedEvent) {
	s.events++
	if e.pageView {
		s.pageViews++
	}
	if e.valued {
		s.values++
		s.valueMicros = s.valueMicros.Plus(e.valueMicros)
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
func (s *filterSums) plus(p *passedSums) {
	s.pageViews += p.pageViews
	s.events += p.events
	s.values += p.values
	s.valueMicros = s.valueMicros.Plus(p.valueMicros)
	for _, visitor := range p.visitors {
		s.visitors.Add(visitor)
	}
}

// wholeSums returns where a session counts that has ended, in rows by the entry or exit page.
func (f *filterScan) wholeSums(s *filterSession) (all []*filterSums) {
	for _, i := range f.wholeRows {
		if sums := f.whole(i, s.pages.visible(f.rows[i])); sums != nil {
			all = append(all, sums)
		}
	}
	return all
}

// endWhole counts a session that has ended, and its events that pass, in rows by the entry or exit page.
func (f *filterScan) endWhole(s *filterSession) {
	if s.passed == nil || s.passed.events == 0 && s.counted == nil {
		return
	}
	whole := f.wholeSums(s)
	for _, sums := range whole {
		sums.plus(s.passed)
		if s.counted != nil {
			sums.change(sessionSums{}, s.sums())
		}
	}
	if s.counted != nil {
		s.counted = append(slices.Clip(s.counted), whole...)
	}
}

// count counts an event that passes. s is its session; nil: it has none.
func (f *filterScan) count(s *filterSession, at int64, values []string, e countedEvent) {
	for _, sums := range f.into(at, values) {
		sums.add(e)
	}
	switch {
	case s == nil:
		for _, i := range f.wholeRows {
			if sums := f.whole(i, ""); sums != nil {
				sums.add(e)
			}
		}
	case s.passed != nil:
		s.passed.add(e)
	}
}

// texts keeps one copy of each text.
type texts map[string]string

// keep returns a text that shares no memory with the item that it is from.
func (t texts) keep(text string) string {
	own, ok := t[text]
	if !ok {
		own = string([]byte(text))
		t[own] = own
	}
	return own
}

// keepAll is keep for several.
func (t texts) keepAll(all []string) []string {
	kept := make([]string, len(all))
	for i, text := range all {
		kept[i] = t.keep(text)
	}
	return kept
}
