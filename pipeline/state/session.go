// Package state holds what items keep of sessions, of visitors without session ids and of the arrivals of visitors, with the bytes of the
// first two. These states decide what other items receive, so their items keep two versions: after the last flush that touched them (cur),
// and before it (prev).
//
// There are no rules here. What an event does to a state is the pipeline's, and package verify has rules of its own.
package state

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/footfall/footfall/pipeline/event"
)

// MaxPageBytes is where a session or a realtime minute truncates a page's path, on a rune boundary.
const MaxPageBytes = 200

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

	// Erased says that the session is one of a person whose data were erased: it keeps its numbers, has no pages, and lies in
	// no breakdown any more.
	Erased bool
}

// NotBooked says that a session lies in no breakdown: they were off when it was opened, or at an event of it since.
const NotBooked = -1

// PageVisit is a page view of a session that is its first or its last.
type PageVisit struct {
	Page string // path, truncated to MaxPageBytes
	At   int64  // event time, milliseconds
	Pos  int64  // position of its record; decides between equal times
}

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

// The bytes of a Session: a version byte; then, for a session that has been seen, a byte of flags (1: interactive,
// 2: an entry and an exit follow, 4: minutes follow, 8: it is known from when it floods, 16: goals follow, 32: erased, which has
// no entry and is not booked, 64: values follow, 128: an open page follows); then varints: openedAt, startedAt and endedAt less openedAt,
// page views, events, booked; the flood (flood.go); how far the hour is from that of startedAt in UTC, in ms, and
// the day from that in UTC, in days; where goals follow, the length of Reached, its bytes, and Worth; then twice a visit (entry, exit):
// at less openedAt, position, and the page: 0 when it is the item's own attribute (entryPage, exitPage), which saves two of
// three copies, else its length and the page; the open page (openpage.go); where First differs from the item's own attributes, what
// differs (see values.go). So values are in the bytes only where a step has moved the session's start, of its state before that. Equal
// states of equal items have equal bytes.
const (
	sessionVersion = 5

	// MaxStateBytes is the longest without values: version, flags, thirteen varints, the flood, the goals, two lengths and
	// two pages, the open page.
	MaxStateBytes = 2 + 13*binary.MaxVarintLen64 + maxFloodBytes + 2 + maxGoalsBytes + 2*2 + 2*MaxPageBytes + maxOpenBytes

	flagInteractive = 1
	flagPages       = 2
	flagMinutes     = 4
	flagFlooded     = 8
	flagReached     = 16
	flagErased      = 32
	flagValues      = 64
	flagOpen        = 128
)

// AppendBinary encodes the state beside what the item's other attributes show.
func (s *Session) AppendBinary(b []byte, shown Shown) []byte {
	b = append(b, sessionVersion)
	if s.Events == 0 {
		return b
	}
	var flags byte
	if s.Interactive {
		flags |= flagInteractive
	}
	pages := s.Entry.Page != ""
	if pages {
		flags |= flagPages
	}
	if s.Flood.Len() > 0 {
		flags |= flagMinutes
	}
	if s.Flood.Known {
		flags |= flagFlooded
	}
	if s.Reached != "" {
		flags |= flagReached
	}
	if s.Erased {
		flags |= flagErased
	}
	values := !s.Erased && s.First.differs(shown.First)
	if values {
		flags |= flagValues
	}
	if s.Open.Page != "" {
		flags |= flagOpen
	}
	b = append(b, flags)
	b = binary.AppendVarint(b, s.OpenedAt)
	b = binary.AppendVarint(b, s.StartedAt-s.OpenedAt)
	b = binary.AppendVarint(b, s.EndedAt-s.OpenedAt)
	b = binary.AppendVarint(b, s.PageViews)
	b = binary.AppendVarint(b, s.Events)
	b = binary.AppendVarint(b, s.Booked)
	b = s.Flood.appendBinary(b, s.OpenedAt/event.MinuteMs)
	b = binary.AppendVarint(b, s.Hour-(s.StartedAt-s.StartedAt%event.HourMs))
	b = binary.AppendVarint(b, (s.Day-(s.StartedAt-s.StartedAt%event.DayMs))/event.DayMs)
	if s.Reached != "" {
		b = binary.AppendUvarint(b, uint64(len(s.Reached)))
		b = append(b, s.Reached...)
		b = binary.AppendVarint(b, s.Worth)
	}
	if pages {
		b = s.Entry.appendBinary(b, s.OpenedAt, shown.EntryPage)
		b = s.Exit.appendBinary(b, s.OpenedAt, shown.ExitPage)
	}
	if s.Open.Page != "" {
		b = s.Open.appendBinary(b, s.OpenedAt, &s.Exit)
	}
	if values {
		b = s.First.appendBinary(b, shown.First)
	}
	return b
}

func (v *PageVisit) appendBinary(b []byte, openedAt int64, attr string) []byte {
	b = binary.AppendVarint(b, v.At-openedAt)
	b = binary.AppendVarint(b, v.Pos)
	if v.Page == attr {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(v.Page)))
	return append(b, v.Page...)
}

var errSession = errors.New("not the state of a session")

// DecodeSession reads the bytes of a session item's cur or prev, given what the item's other attributes show.
func DecodeSession(b []byte, shown Shown) (Session, error) {
	var s Session
	if len(b) == 0 || b[0] != sessionVersion {
		return s, fmt.Errorf("%w: version byte missing or unknown in %x", errSession, b[:min(len(b), 1)])
	}
	if len(b) == 1 {
		return s, nil
	}
	flags := b[1]
	r := varints{b: b[2:]}
	s.Interactive, s.Erased = flags&flagInteractive != 0, flags&flagErased != 0
	s.OpenedAt = r.next()
	s.StartedAt = s.OpenedAt + r.next()
	s.EndedAt = s.OpenedAt + r.next()
	s.PageViews = r.next()
	s.Events = r.next()
	s.Booked = r.next()
	s.Flood = r.flood(s.OpenedAt/event.MinuteMs, flags&flagFlooded != 0, flags&flagMinutes != 0)
	s.Hour = s.StartedAt - s.StartedAt%event.HourMs + r.next()
	s.Day = s.StartedAt - s.StartedAt%event.DayMs + r.next()*event.DayMs
	if flags&flagReached != 0 {
		s.Reached = Goals(r.text(maxGoalsBytes))
		s.Worth = r.next()
		r.bad = r.bad || !s.Reached.valid()
	}
	if flags&flagPages != 0 {
		s.Entry = r.visit(s.OpenedAt, shown.EntryPage)
		s.Exit = r.visit(s.OpenedAt, shown.ExitPage)
	}
	if flags&flagOpen != 0 {
		s.Open = r.openPage(s.OpenedAt, &s.Exit)
		r.bad = r.bad || flags&flagPages == 0
	}
	switch {
	case flags&flagValues != 0:
		s.First = r.values(shown.First)
	case !s.Erased:
		s.First = shown.First
	}
	if r.bad || len(r.b) != 0 || s.Events <= 0 || s.Booked < NotBooked ||
		s.Erased && (flags&(flagPages|flagValues) != 0 || s.Booked != NotBooked) {
		return Session{}, fmt.Errorf("%w: %x", errSession, b)
	}
	return s, nil
}

// varints reads a sequence of varints and texts; bad is set once something is missing.
type varints struct {
	b   []byte
	bad bool
}

func (r *varints) next() int64 {
	n, size := binary.Varint(r.b)
	r.pass(size)
	return n
}

// pass leaves out the bytes of a number that was read; 0 or less: there was none, which reads as 0.
func (r *varints) pass(size int) {
	if size <= 0 {
		r.bad, r.b = true, nil
		return
	}
	r.b = r.b[size:]
}

func (r *varints) visit(openedAt int64, attr string) PageVisit {
	v := PageVisit{Page: attr, At: openedAt + r.next(), Pos: r.next()}
	if page := r.text(MaxPageBytes); page != "" {
		v.Page = page
	}
	return v
}

// text reads a length and as many bytes, at most most.
func (r *varints) text(most uint64) string {
	n, size := binary.Uvarint(r.b)
	if size <= 0 || n > most || n > uint64(len(r.b)-size) {
		r.bad, r.b = true, nil
		return ""
	}
	text := string(r.b[size : size+int(n)])
	r.b = r.b[size+int(n):]
	return text
}
