package state

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// Session is the state of a session: the third kind of state, since it decides what other items
// get. A session's item keeps two versions, after its last step and before it, so that a redo of the step can
// repeat what the step took away from the buckets and what it added.
//
// The zero Session is that of a session that has not been seen.
type Session struct {
	OpenedAt    int64 // event time of the first record in offset order, milliseconds; never moves
	StartedAt   int64 // least event time
	EndedAt     int64 // greatest event time
	PageViews   int64
	Events      int64     // all events, page views among them; 0: not seen yet
	Interactive bool      // an interactive event was seen
	Entry, Exit PageVisit // zero: no page view with a url was seen
	Open        OpenPage

	// Hour and Day are the buckets that the session lies in, those of StartedAt under the rules that chose them:
	// where the hour begins, and the day's name. What a correction takes back it takes from there, whatever the site's
	// zone is by then.
	Hour, Day int64

	// Booked is the position of the record that put the session into the breakdowns of the hour of StartedAt: that of its earliest
	// event, by event time and then by position. NotBooked: it lies in none.
	Booked int64

	// First is what that event says, under which the session is booked. It is never changed, but replaced. nil: it says nothing.
	First *Values

	// Flood is kept while the settings name a rate.
	Flood Flood

	// Reached are the goals that the session has reached.
	Reached Goals

	// Worth is the sum of the values of its conversions, in millionths. At most 128 goals are worth below 10^15 each.
	Worth int64

	// Listed is from which day on, in days since the epoch, no list by visitor has the session any more; ListedForEver: there is none;
	// 0: no list has had it. Its item does not live longer, unless rules that keep sessions for longer come between.
	Listed int32

	// Erased says that the session is one of a person whose data were erased: it keeps its numbers, has no pages, and lies in
	// no breakdown any more.
	Erased bool
}

// NotBooked says that a session lies in no breakdown: they were off when it was opened, or at an event of it since.
const NotBooked = -1

// ListedForEver says that lists by visitor have the session for ever.
const ListedForEver = -1

// Bounce reports whether the session has at most one page view and no interactive event.
func (s *Session) Bounce() bool { return s.Events > 0 && s.PageViews <= 1 && !s.Interactive }

// DurationMs is the time from the least to the greatest event time, in milliseconds.
func (s *Session) DurationMs() int64 { return s.EndedAt - s.StartedAt }

// Engaged reports whether the session lasted ten seconds or had two page views.
func (s *Session) Engaged() bool { return s.DurationMs() >= 10_000 || s.PageViews >= 2 }

// Equal reports whether two states are equal.
func (s Session) Equal(o Session) bool {
	first, other := s.First.orNothing(), o.First.orNothing()
	s.First, o.First = nil, nil
	return s == o && *first == *other
}

// The bytes of a Session are those of an item's cur or prev. A version byte; then, for a session that has been seen, a uvarint of flags and
// what is drawn in docs/internals/encodings.md: first what readers show, up to the values, then what only the pipeline needs (positions are
// among the former). An item's cur is encoded against the zero Session, and its prev against its cur: openedAt, booked, the entry's page
// and the values are differences to those of the base, so that most states before a step take some 20 bytes. Equal states of equal items
// have equal bytes.
const (
	sessionVersion = 7

	// MaxStateBytes is the longest without values: version, flags, fourteen varints, the flood, the goals, two lengths and
	// two pages, the open page.
	MaxStateBytes = 3 + 14*binary.MaxVarintLen64 + maxFloodBytes + 2 + maxGoalsBytes + 2*2 + 2*MaxPageBytes + maxOpenBytes

	flagInteractive = 1
	flagPages       = 2 // an entry and an exit follow
	flagValues      = 4 // values follow that are not the base's
	flagOpen        = 8 // an open page follows
	flagMinutes     = 16
	flagListed      = 32  // until when lists by visitor have it follows
	flagReached     = 64  // goals and Worth follow
	flagFlooded     = 128 // it is known from when it floods
	flagShifted     = 256 // how far the buckets are from those of startedAt in UTC follows
	flagErased      = 512 // it has no entry and is not booked
	allFlags        = 1023
)

// flags returns the flags of a session that has been seen.
func (s *Session) flags(base *Session) (flags uint64) {
	shiftHour, shiftDay := s.shifts()
	for _, f := range [...]struct {
		is   bool
		flag uint64
	}{
		{s.Interactive, flagInteractive}, {s.Entry.Page != "", flagPages}, {!s.Erased && s.First.differs(base.First), flagValues},
		{s.Open.Page != "", flagOpen}, {s.Flood.Len() > 0, flagMinutes}, {s.Erased, flagErased}, {s.Reached != "", flagReached},
		{s.Flood.Known, flagFlooded}, {s.Listed != 0, flagListed}, {shiftHour != 0 || shiftDay != 0, flagShifted},
	} {
		if f.is {
			flags |= f.flag
		}
	}
	return flags
}

// shifts returns how far the hour is from that of startedAt in UTC, in ms, and the day from that in UTC, in days.
func (s *Session) shifts() (hour, day int64) {
	return s.Hour - (s.StartedAt - s.StartedAt%event.HourMs), (s.Day - (s.StartedAt - s.StartedAt%event.DayMs)) / event.DayMs
}

// AppendBinary encodes the state against a base: of an item's cur the zero Session, of its prev the item's cur.
func (s *Session) AppendBinary(b []byte, base *Session) []byte {
	b = append(b, sessionVersion)
	if s.Events == 0 {
		return b
	}
	flags := s.flags(base)
	b = binary.AppendUvarint(b, flags)
	b = binary.AppendVarint(b, s.OpenedAt-base.OpenedAt)
	b = binary.AppendVarint(b, s.StartedAt-s.OpenedAt)
	b = binary.AppendVarint(b, s.EndedAt-s.OpenedAt)
	b = binary.AppendVarint(b, s.PageViews)
	b = binary.AppendVarint(b, s.Events)
	b = binary.AppendVarint(b, s.Booked-base.Booked)
	if flags&flagPages != 0 {
		b = s.Entry.appendBinary(b, &PageVisit{base.Entry.Page, s.OpenedAt, s.Booked})
		b = s.Exit.appendBinary(b, &PageVisit{s.Entry.Page, s.OpenedAt, s.Entry.Pos})
	}
	if flags&flagValues != 0 {
		b = s.First.appendBinary(b, base.First)
	}
	return s.appendRest(b, flags)
}

// appendRest appends what readers do not show.
func (s *Session) appendRest(b []byte, flags uint64) []byte {
	switch s.Listed {
	case 0:
	case ListedForEver:
		b = append(b, 0)
	default:
		b = binary.AppendUvarint(b, uint64(int64(s.Listed)-s.OpenedAt/event.DayMs))
	}
	b = s.Flood.appendBinary(b, s.OpenedAt/event.MinuteMs)
	if flags&flagShifted != 0 {
		hour, day := s.shifts()
		b = binary.AppendVarint(b, hour)
		b = binary.AppendVarint(b, day)
	}
	if flags&flagReached != 0 {
		b = binary.AppendUvarint(b, uint64(len(s.Reached)))
		b = append(b, s.Reached...)
		b = binary.AppendVarint(b, s.Worth)
	}
	if flags&flagOpen != 0 {
		b = s.Open.appendBinary(b, s.OpenedAt, &s.Exit)
	}
	return b
}

var errSession = errors.New("not the state of a session")

// SessionOf reads the state of a session's item after its last step.
func SessionOf(it sinks.Item) (Session, error) {
	return DecodeSession(it[sinks.AttrCur].Bytes(), &Session{})
}

// SessionBefore reads the state of a session's item before its last step. cur is the one after it. An item without prev is of a session
// that the step has seen first.
func SessionBefore(it sinks.Item, cur *Session) (Session, error) {
	v := it[sinks.AttrPrev]
	if v.Kind() == sinks.None {
		return Session{}, nil
	}
	return DecodeSession(v.Bytes(), cur)
}

// DecodeSession reads the bytes of a state, given the base that it was encoded against.
func DecodeSession(b []byte, base *Session) (Session, error) {
	var s Session
	if len(b) == 0 || b[0] != sessionVersion {
		return s, fmt.Errorf("%w: version byte missing or unknown in %x", errSession, b[:min(len(b), 1)])
	}
	if len(b) == 1 {
		return s, nil
	}
	r := varints{b: b[1:]}
	flags := r.unsigned()
	s.Interactive, s.Erased = flags&flagInteractive != 0, flags&flagErased != 0
	s.OpenedAt = base.OpenedAt + r.next()
	s.StartedAt = s.OpenedAt + r.next()
	s.EndedAt = s.OpenedAt + r.next()
	s.PageViews = r.next()
	s.Events = r.next()
	s.Booked = base.Booked + r.next()
	if flags&flagPages != 0 {
		s.Entry = r.visit(&PageVisit{base.Entry.Page, s.OpenedAt, s.Booked})
		s.Exit = r.visit(&PageVisit{s.Entry.Page, s.OpenedAt, s.Entry.Pos})
		r.bad = r.bad || s.Entry.Page == ""
	}
	switch {
	case flags&flagValues != 0:
		s.First = r.values(base.First)
	case !s.Erased:
		s.First = base.First
	}
	r.rest(&s, flags)
	if r.bad || len(r.b) != 0 || flags > allFlags || s.Events <= 0 || s.Booked < NotBooked ||
		s.Erased && (flags&(flagPages|flagValues) != 0 || s.Booked != NotBooked) {
		return Session{}, fmt.Errorf("%w: %x", errSession, b)
	}
	return s, nil
}

// rest reads what readers do not show.
func (r *varints) rest(s *Session, flags uint64) {
	if flags&flagListed != 0 {
		s.Listed = r.listed(s.OpenedAt / event.DayMs)
	}
	s.Flood = r.flood(s.OpenedAt/event.MinuteMs, flags&flagFlooded != 0, flags&flagMinutes != 0)
	s.Hour, s.Day = s.StartedAt-s.StartedAt%event.HourMs, s.StartedAt-s.StartedAt%event.DayMs
	if flags&flagShifted != 0 {
		s.Hour += r.next()
		s.Day += r.next() * event.DayMs
	}
	if flags&flagReached != 0 {
		s.Reached = Goals(r.text(maxGoalsBytes))
		s.Worth = r.next()
		r.bad = r.bad || !s.Reached.valid()
	}
	if flags&flagOpen != 0 {
		s.Open = r.openPage(s.OpenedAt, &s.Exit)
		r.bad = r.bad || flags&flagPages == 0
	}
}

// maxListedDays is beyond the year 9999.
const maxListedDays = 4_000_000

// listed reads until when lists have a session that was opened on a day.
func (r *varints) listed(day int64) int32 {
	n := r.unsigned()
	if r.bad = r.bad || n > maxListedDays; n == 0 {
		return ListedForEver
	}
	return int32(day + int64(n))
}
