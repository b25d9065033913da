package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// MaxVisits is how many visits of a visitor are remembered.
const MaxVisits = 8

// Visit is a session that no producer named, in the state of its visitor.
type Visit struct {
	Pos         int64 // position of its first record in offset order; the visit is named after it
	Start, Last int64 // least and greatest event time, milliseconds
}

// Visitor is the state of the visits of a visitor whose events have no sessionId: the third kind of state,
// since it decides to which session an event belongs. A visit is never joined with another, nor split, whatever comes
// later: that would take sessions back that others have seen. So visits of a visitor may come to overlap.
//
// The zero Visitor is that of a visitor who has not been seen. States are compared by ==.
type Visitor struct {
	Erased int64 // up to which event time the visitor was erased when their visits started over; 0: never erased

	N     int              // of Spans, how many there are
	Spans [MaxVisits]Visit // the first N, in the order of their last updates in the log
}

// Visits returns the visits that are remembered, the one updated longest ago in the log first.
func (s *Visitor) Visits() []Visit { return s.Spans[:s.N] }

// Last is the greatest event time of all visits that are remembered; 0 without one.
func (s *Visitor) Last() (t int64) {
	for _, v := range s.Visits() {
		t = max(t, v.Last)
	}
	return t
}

// The bytes of a Visitor: a version byte; of version 2, which is that of visitors who were erased, a varint, until when;
// then for each visit varints: position and start, each less that of the visit before, and last less start. Equal states
// have equal bytes.
const (
	visitorVersion = 1
	erasedVersion  = 2
)

// AppendBinary appends the state's bytes.
func (s *Visitor) AppendBinary(b []byte) []byte {
	if s.Erased != 0 {
		b = binary.AppendVarint(append(b, erasedVersion), s.Erased)
	} else {
		b = append(b, visitorVersion)
	}
	var before Visit
	for _, v := range s.Visits() {
		b = binary.AppendVarint(b, v.Pos-before.Pos)
		b = binary.AppendVarint(b, v.Start-before.Start)
		b = binary.AppendVarint(b, v.Last-v.Start)
		before = v
	}
	return b
}

var errVisitor = errors.New("not the visits of a visitor")

// DecodeVisitor reads the bytes of a visitor item's cur or prev.
func DecodeVisitor(b []byte) (Visitor, error) {
	var s Visitor
	if len(b) == 0 || b[0] != visitorVersion && b[0] != erasedVersion {
		return s, fmt.Errorf("%w: version byte missing or unknown in %x", errVisitor, b[:min(len(b), 1)])
	}
	r := varints{b: b[1:]}
	if b[0] == erasedVersion {
		s.Erased = r.next()
		r.bad = r.bad || s.Erased == 0
	}
	var v Visit
	for !r.bad && len(r.b) > 0 && s.N < MaxVisits {
		v.Pos += r.next()
		v.Start += r.next()
		v.Last = v.Start + r.next()
		named := func(o Visit) bool { return o.Pos == v.Pos }
		if v.Pos < 0 || v.Last < v.Start || slices.ContainsFunc(s.Visits(), named) {
			r.bad = true
			break
		}
		s.Spans[s.N] = v
		s.N++
	}
	if r.bad || len(r.b) > 0 {
		return Visitor{}, fmt.Errorf("%w: %x", errVisitor, b)
	}
	return s, nil
}
