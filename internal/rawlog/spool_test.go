package rawlog

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestSpoolSorts: records come in the order of their offsets, from any offset on, and each offset once.
func TestSpoolSorts(t *testing.T) {
	s, err := newSpool("events", map[int32]Span{1: {0, 1000}, 2: {0, 2000}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(2000) {
		if i == 700 {
			continue
		}
		for p := int32(1); p <= 2; p++ {
			if err := s.put(p, int64(i)/int64(3-p), int64(i), fmt.Append(nil, i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.sort(); err != nil {
		t.Fatal(err)
	}
	if s.Events[1] != 1000 || s.Events[2] != 1999 || s.Events[3] != 0 {
		t.Errorf("events: %v", s.Events)
	}
	if n, err := s.Below(t.Context(), 2, 800); n != 799 || err != nil {
		t.Errorf("below 800 are %d, %v", n, err)
	}
	next := int64(600)
	for r, err := range s.Records(t.Context(), 2, next) {
		if next == 700 {
			next++
		}
		if err != nil || r.Offset != next || r.Topic != "events" || r.Partition != 2 || string(r.Value) != fmt.Sprint(next) ||
			r.Timestamp.UnixMilli() != next {
			t.Fatalf("record %+v, %v; want offset %d", r, err, next)
		}
		next++
	}
	if next != 2000 {
		t.Errorf("records end at %d", next)
	}
	s.Close()
	s.Records(t.Context(), 2, 0)(func(_ *kgo.Record, err error) bool {
		if err == nil || errors.Is(err, t.Context().Err()) {
			t.Error("a closed spool has records")
		}
		return false
	})
}

func BenchmarkSpool(b *testing.B) {
	s, err := newSpool("events", nil)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	value := make([]byte, 400)
	for i := 0; b.Loop(); i++ {
		if err := s.put(int32(i%4), rand.Int64(), 0, value); err != nil {
			b.Fatal(err)
		}
	}
	if err := s.sort(); err != nil {
		b.Fatal(err)
	}
}
