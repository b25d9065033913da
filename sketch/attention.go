package sketch

import "unsafe"

// Attention is what is known of how page views of a page were read, or a change of it: negative numbers take back. A page's row alone
// has it.
type Attention struct {
	Timed    int64 // page views whose time on page is known
	TimeMs   int64 // of those, in milliseconds
	Scrolled int64 // page views whose scroll depth is known
	Depth    int64 // of those, the greatest of each, in percent
}

func (a *Attention) fields() [4]*int64 {
	return [...]*int64{&a.Timed, &a.TimeMs, &a.Scrolled, &a.Depth}
}

// plus returns a + o, and whether none of it is below 0 or above maxCount.
func (a Attention) plus(o Attention) (Attention, bool) {
	ok := true
	for i, n := range a.fields() {
		*n += *o.fields()[i]
		ok = ok && uint64(*n) <= maxCount // a's are from 0 to maxCount, so no sum can wrap around into that range.
	}
	return a, ok
}

// bytes returns how many bytes they take without the byte that says which they are.
func (a *Attention) bytes() (n int) {
	if a != nil {
		for _, field := range a.fields() {
			n += optionalBytes(*field)
		}
	}
	return n
}

// attentionsAtOnce is how many rows share an allocation for their attention.
const attentionsAtOnce = 8

// spare is attention that no row has.
type spare struct {
	fresh []Attention  // zero, for rows to come
	idle  []*Attention // zero, of rows that were evicted
}

// take returns a zero Attention for a row.
func (s *spare) take() *Attention {
	if last := len(s.idle) - 1; last >= 0 {
		a := s.idle[last]
		s.idle = s.idle[:last]
		return a
	}
	if len(s.fresh) == 0 {
		s.fresh = make([]Attention, attentionsAtOnce)
	}
	a := &s.fresh[0]
	s.fresh = s.fresh[1:]
	return a
}

// give takes back what nothing refers to any more; it may be nil.
func (s *spare) give(a *Attention) {
	if a != nil {
		*a = Attention{}
		s.idle = append(s.idle, a)
	}
}

// weight is about how many bytes it takes in memory.
func (s *spare) weight() int {
	const attentionRoom, pointer = int(unsafe.Sizeof(Attention{})), int(unsafe.Sizeof(uintptr(0)))
	return attentionRoom*(len(s.fresh)+len(s.idle)) + pointer*cap(s.idle)
}
