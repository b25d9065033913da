package aggregate

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/footfall/footfall/pipeline/state"
)

// Most sessions in memory wait for an event that never comes. Once the last step that touched a session has settled, it rests: its state
// is kept as the bytes that its item has, without texts that other sessions have, too. The next record of the session wakes it. That is
// an eviction without a read: what a session forgets while it rests is what it would also forget if it were read from the table.
//
//	flags, a byte
//	swept, erased            two uvarints
//	visitor, user            two lengths, uvarints, with their texts
//	which dimensions of First have a value, a uvarint with a bit for each; the numbers of these values, uvarints
//	how many pages there are, a byte; their numbers, uvarints
//	state.Session without First, against the zero Session; a page of it is a byte, its place among the pages
const (
	restStale = 1 << iota
	restInTable
	restNewVisitor
	restNewUser
	restUnlisted
)

// flags are those of a session that rests.
func (x *awake) flags() (flags byte) {
	for _, f := range [...]struct {
		is   bool
		flag byte
	}{
		{x.stale, restStale}, {x.inTable, restInTable}, {x.newVisitor, restNewVisitor}, {x.newUser, restNewUser},
		{x.unlisted, restUnlisted},
	} {
		if f.is {
			flags |= f.flag
		}
	}
	return flags
}

// pagesOf are the pages that a state has.
func pagesOf(s *state.Session) [3]*string {
	return [...]*string{&s.Entry.Page, &s.Exit.Page, &s.Open.Page}
}

// appendRest appends the bytes of a session that rests.
func (x *awake) appendRest(b []byte, texts *numbered) []byte {
	b = append(b, x.flags())
	b = binary.AppendUvarint(b, uint64(x.swept))
	b = binary.AppendUvarint(b, uint64(x.erased))
	for _, id := range [...]string{x.visitor, x.user} {
		b = binary.AppendUvarint(b, uint64(len(id)))
		b = append(b, id...)
	}
	rest := x.Cur
	if rest.First = nil; x.Cur.First == nil {
		b = binary.AppendUvarint(b, 0)
	} else {
		b = texts.appendValues(b, x.Cur.First)
	}
	b = texts.appendPages(b, &rest)
	return rest.AppendBinary(b, &state.Session{})
}

// appendValues appends which values there are, and their numbers.
func (t *numbered) appendValues(b []byte, v *values) []byte {
	have := uint64(0)
	for d := range v {
		if v[d] != "" {
			have |= 1 << d
		}
	}
	b = binary.AppendUvarint(b, have)
	for d := range v {
		if v[d] != "" {
			b = binary.AppendUvarint(b, t.number(v[d]))
		}
	}
	return b
}

// appendPages appends the numbers of the state's pages, and puts their places in the place of the pages.
func (t *numbered) appendPages(b []byte, s *state.Session) []byte {
	at := len(b)
	b = append(b, 0)
	var pages [3]string
	for _, page := range pagesOf(s) {
		if *page == "" {
			continue
		}
		n := byte(0)
		for n < b[at] && pages[n] != *page {
			n++
		}
		if n == b[at] {
			pages[n] = *page
			b[at]++
			b = binary.AppendUvarint(b, t.number(*page))
		}
		*page = places[n : n+1]
	}
	return b
}

const places = "\x00\x01\x02"

// PutToRest implements memory.Restful.
func (x *session) PutToRest() (freed int) {
	if x.awake == nil || x.unbookedIn != nil {
		return 0
	}
	var room [1024]byte
	s := x.site.sessions
	texts := &s.texts
	was, known := x.bytes, texts.bytes
	x.rest = s.memory.rests.Text(x.appendRest(room[:0], texts))
	s.memory.awake.give(x.awake)
	x.awake = nil
	x.bytes = int32(x.room())
	return int(was-x.bytes) - (texts.bytes - known)
}

// wake reads the state of a session that rests.
func (s *sessions) wake(x *session) {
	known := s.texts.bytes
	x.awake = s.memory.awake.take()
	s.memory.room = x.awake.readRest(x.rest, &s.texts, s.memory.room)
	x.rest = ""
	s.spellKey(x)
	x.weighFirst()
	s.kept.Weigh(&x.bytes, x.room())
	s.kept.Grow(s.texts.bytes - known)
}

// readRest reads what appendRest has written into a zero awake, and gives back the numbers. The room is for the bytes of the state, and for
// those of the next one.
func (x *awake) readRest(rest string, texts *numbered, room []byte) []byte {
	r := restReader(rest)
	flags := r.byte()
	x.stale, x.inTable, x.unlisted = flags&restStale != 0, flags&restInTable != 0, flags&restUnlisted != 0
	x.newVisitor, x.newUser = flags&restNewVisitor != 0, flags&restNewUser != 0
	x.swept, x.erased = int64(r.number()), int64(r.number())
	x.visitor, x.user = r.text(), r.text()
	says, pages := r.takeTexts(texts, &x.first)
	var err error
	room = append(room[:0], r...)
	if x.Cur, err = state.DecodeSession(room, &state.Session{}); err != nil {
		panic(fmt.Sprintf("our own session does not decode: %v", err))
	}
	if says {
		x.Cur.First = &x.first
	}
	for _, page := range pagesOf(&x.Cur) {
		if *page != "" {
			*page = pages[(*page)[0]]
		}
	}
	return room
}

// forgetRest gives back the numbers of a session that is dropped while it rests.
func forgetRest(rest string, texts *numbered) {
	r := restReader(rest)
	r.byte()
	r.number()
	r.number()
	r.text()
	r.text()
	var first values
	r.takeTexts(texts, &first)
}

// takeTexts reads the texts that have numbers: the values, if there are any, and the pages.
func (r *restReader) takeTexts(texts *numbered, first *values) (says bool, pages [3]string) {
	have := r.number()
	says = have != 0
	for ; have != 0; have &= have - 1 {
		first[bits.TrailingZeros64(have)] = texts.take(r.number())
	}
	for i := range r.byte() {
		pages[i] = texts.take(r.number())
	}
	return says, pages
}

// restReader reads what appendRest has written.
type restReader string

func (r *restReader) byte() byte {
	b := (*r)[0]
	*r = (*r)[1:]
	return b
}

func (r *restReader) number() (n uint64) {
	for shift := 0; ; shift += 7 {
		b := r.byte()
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
}

func (r *restReader) text() string {
	n := r.number()
	text := (*r)[:n]
	*r = (*r)[n:]
	return string(text)
}
