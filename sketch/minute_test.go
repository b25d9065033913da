package sketch

import (
	"bytes"
	"fmt"
	"testing"
)

// TestMinuteIsItsSketches feeds a Minute, which has room of its own, and sketches without any, from nothing to more than fits.
func TestMinuteIsItsSketches(t *testing.T) {
	for _, pages := range []int{0, 1, 2, 50} {
		var m Minute
		for range 2 { // It is as new after Reset.
			m.Reset(pages)
			if w := m.Weight(); w != 0 {
				t.Errorf("%d pages: an empty minute weighs %d beside itself, want 0", pages, w)
			}
			visitors, top := NewMinute(), NewTop(pages)
			for i := range 200 {
				if !bytes.Equal(bytesOf(t, &m.Visitors), bytesOf(t, visitors)) || !bytes.Equal(bytesOf(t, &m.Pages), bytesOf(t, top)) {
					t.Fatalf("%d pages: the bytes differ after %d events", pages, i)
				}
				visitor, page := uint64(i/2)*0x9e3779b97f4a7c15, fmt.Sprint("/page-", i%60)
				m.Visitors.Add(visitor)
				visitors.Add(visitor)
				m.Pages.AddString(page)
				top.AddString(page)
			}
			if w, own := m.Weight(), visitors.Weight()+top.Weight(); w <= 0 || w >= own {
				t.Errorf("%d pages: a minute weighs %d beside itself, want less than its sketches, %d", pages, w, own)
			}
		}
	}
}

// TestMinuteOfOneEventAllocatesNothing: that is what most minutes of small sites have.
func TestMinuteOfOneEventAllocatesNothing(t *testing.T) {
	m := new(Minute)
	if n := testing.AllocsPerRun(100, func() {
		m.Reset(50)
		m.Visitors.Add(12345678)
		m.Pages.AddString("/")
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

func bytesOf(t *testing.T, s interface{ AppendBinary([]byte) ([]byte, error) }) []byte {
	t.Helper()
	b, err := s.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
