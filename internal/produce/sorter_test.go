package produce

import (
	"strings"
	"testing"
	"time"
)

// The text of the held lines is bounded, whatever their number: lines are as long as producers make them.
func TestHeldLinesAreBounded(t *testing.T) {
	s := &sorter{most: DefaultSortLines}
	text := []byte(strings.Repeat("x", maxLineBytes)) // The same for all: only its length counts.
	for i := range int64(10 * maxSortBytes / maxLineBytes) {
		if !s.full() {
			s.hold(heldLine{time.UnixMilli(i), i, Place{Line: i}, nil, text})
		} else {
			s.take()
		}
		if s.bytes > maxSortBytes+maxLineBytes+heldOverhead {
			t.Fatalf("%d bytes are held", s.bytes)
		}
	}
	if !s.bound || len(s.lines) < maxSortBytes/maxLineBytes-2 {
		t.Errorf("%d lines are held, bound %t", len(s.lines), s.bound)
	}
	for len(s.lines) > 0 {
		s.take()
	}
	if s.bytes != 0 {
		t.Errorf("%d bytes are left of no line", s.bytes)
	}
}
