package count

import (
	"slices"
)

// Session is what one partition knows of a session.
type Session struct {
	Site, ID, Visitor, User      string // visitor and user: "" unknown
	OpenedAt, StartedAt, EndedAt int64
	PageViews, Events            int64
	Hour, Day                    int64 // buckets of startedAt under the rules of the step that moved it there
	Interactive                  bool
	Listed                       int64 // the day from which on no list by visitor has it any more, listedForEver: none; 0: it was never listed
	Erased                       bool  // it identifies no person
	Midway                       bool  // a record of a person has erased it, and not whom it was known by
	Entry, Exit                  Visit
	Reading                      Reading // the zero value is none

	Reached []uint64 // numbers of goals, in the order in which it reached them
	Worth   int64    // what its conversions are worth, in millionths

	First  Texts // what its earliest event says in each dimension, but for the page
	Rush   rush
	Booked int64 // position of the record of its earliest event; notBooked: it is in no breakdown
}

const NotBooked = -1

// Clone returns a copy that shares nothing that changes; of nil, nil.
func (s *Session) Clone() *Session {
	if s == nil {
		return nil
	}
	o := *s
	o.Rush.paces = slices.Clone(s.Rush.paces)
	return &o
}

// See takes the session's next record in.
func (s *Session) See(r *Record) {
	e := r.Event
	if e.Timestamp < s.StartedAt && s.Booked != NotBooked {
		s.Booked = r.Position
	}
	if e.Timestamp < s.StartedAt {
		s.Hour, s.Day = r.Hour, r.Day
	}
	if r.Settings.Breakdowns == 0 {
		s.Booked, s.Reading = NotBooked, Reading{}
	}
	s.StartedAt, s.EndedAt = min(s.StartedAt, e.Timestamp), max(s.EndedAt, e.Timestamp)
	s.Events++
	if !e.IsPageView() {
		s.Interactive = s.Interactive || !slices.Contains(r.Settings.NonInteractive, string(e.Type))
		return
	}
	s.PageViews++
	page := PageOf(e)
	if page == "" || s.Erased {
		return
	}
	v := Visit{page, e.Timestamp, r.Position}
	if s.Entry.Page == "" || v.At < s.Entry.At || v.At == s.Entry.At && v.Position < s.Entry.Position {
		s.Entry = v
	}
	if s.Exit.Page == "" || v.At > s.Exit.At || v.At == s.Exit.At && v.Position > s.Exit.Position {
		s.Exit = v
	}
}

// DurationMs is how long the session has lasted, in milliseconds.
func (s *Session) DurationMs() int64 { return s.EndedAt - s.StartedAt }
func (s *Session) Bounce() bool      { return s.PageViews <= 1 && !s.Interactive }
func (s *Session) Engaged() bool     { return s.DurationMs() >= 10_000 || s.PageViews >= 2 }

// Erase removes what identifies a person from the session.
func (s *Session) Erase() {
	s.Erased, s.Booked, s.Listed = true, NotBooked, 0
	s.Visitor, s.User, s.Entry, s.Exit, s.First = "", "", Visit{}, Visit{}, Texts{}
	s.Reading = Reading{}
}

// Kept is the event time from which a session's item is kept: its end, or, once it is a bot, the last minute of that.
func (s *Session) Kept() int64 {
	if s.Rush.over {
		return max(s.EndedAt, s.Rush.until*MinuteMs)
	}
	return s.EndedAt
}
