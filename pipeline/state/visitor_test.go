package state

import (
	"bytes"
	"testing"
)

func FuzzVisitor(f *testing.F) {
	var s Visitor
	f.Add(s.AppendBinary(nil))
	for i := range int64(9) {
		if i < MaxVisits {
			s.Spans[i] = Visit{Pos: 100 + i*i, Start: i * 40 * 60_000, Last: i * 40 * 60_000}
			s.N++
		}
		f.Add(s.AppendBinary(nil))
	}
	s.Erased = 1_778_596_520_000
	f.Add(s.AppendBinary(nil))
	f.Add([]byte{visitorVersion, 0x80})
	f.Add([]byte{erasedVersion, 0})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := DecodeVisitor(b)
		if err != nil {
			if s != (Visitor{}) {
				t.Errorf("%x is no state, and yields %v", b, s.Visits())
			}
			return
		}
		again, err := DecodeVisitor(s.AppendBinary(nil))
		if err != nil || again != s {
			t.Errorf("%x: %v reads back as %v, %v", b, s.Visits(), again.Visits(), err)
		}
		if c := s.AppendBinary(nil); len(c) > len(b) || len(c) == len(b) && !bytes.Equal(c, b) {
			t.Errorf("%x is spelled %x again", b, c)
		}
	})
}
