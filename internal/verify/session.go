package verify

import (
	"slices"
	"unicode/utf8"

	"github.com/footfall/footfall/pipeline/event"
)

// session is what one partition knows of a session.
type session struct {
	site, id, visitor, user      string // visitor and user: "" unknown
	openedAt, startedAt, endedAt int64
	pageViews, events            int64
	hour, day                    int64 // buckets of startedAt under the rules of the step that moved it there
	interactive                  bool
	listed                       int64 // the day from which on no list by visitor has it any more, listedForEver: none; 0: it was never listed
	erased                       bool  // it identifies no person
	midway                       bool  // a record of a person has erased it, and not whom it was known by
	entry, exit                  visit
	reading                      reading // the zero value is none

	reached []uint64 // numbers of goals, in the order in which it reached them
	worth   int64    // what its conversions are worth, in millionths

	first  texts // what its earliest event says in each dimension, but for the page
	rush   rush
	booked int64 // position of the record of its earliest event; notBooked: it is in no breakdown
}

const notBooked = -1

// visit is a page view with a url; the zero value is none.
type visit struct {
	page         string
	at, position int64
}

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (s *session) Clone() *session {
	if s == nil {
		return nil
	}
	o := *s
	o.rush.paces = slices.Clone(s.rush.paces)
	return &o
}

// see takes the session's next record in.
func (s *session) see(r *record) {
	e := r.event
	if e.Timestamp < s.startedAt && s.booked != notBooked {
		s.booked = r.position
	}
	if e.Timestamp < s.startedAt {
		s.hour, s.day = r.hour, r.day
	}
	if r.settings.Breakdowns == 0 {
		s.booked, s.reading = notBooked, reading{}
	}
	s.startedAt, s.endedAt = min(s.startedAt, e.Timestamp), max(s.endedAt, e.Timestamp)
	s.events++
	if !e.IsPageView() {
		s.interactive = s.interactive || !slices.Contains(r.settings.NonInteractive, string(e.Type))
		return
	}
	s.pageViews++
	page := pageOf(e)
	if page == "" || s.erased {
		return
	}
	v := visit{page, e.Timestamp, r.position}
	if s.entry.page == "" || v.at < s.entry.at || v.at == s.entry.at && v.position < s.entry.position {
		s.entry = v
	}
	if s.exit.page == "" || v.at > s.exit.at || v.at == s.exit.at && v.position > s.exit.position {
		s.exit = v
	}
}

func (s *session) durationMs() int64 { return s.endedAt - s.startedAt }
func (s *session) bounce() bool      { return s.pageViews <= 1 && !s.interactive }
func (s *session) engaged() bool     { return s.durationMs() >= 10_000 || s.pageViews >= 2 }

// maxPageBytes is where pages are cut in sessions and realtime minutes.
const maxPageBytes = 200

// pageOf returns the page of an event, cut on a rune boundary; "" without a url.
func pageOf(e *event.Event) string {
	page := e.Page()
	if len(page) > maxPageBytes {
		n := maxPageBytes
		for n > 0 && !utf8.RuneStart(page[n]) {
			n--
		}
		page = page[:n]
	}
	return string(page)
}
