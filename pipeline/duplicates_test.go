package pipeline

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// The window against its definition: a map of where each event was last.
func TestDuplicatesAreThoseOfTheWindow(t *testing.T) {
	for _, window := range []int64{0, 1, 2, 63, 64, 300, 5000} {
		rng := rand.New(rand.NewPCG(uint64(window), 1))
		d := newDuplicates(window)
		last := make(map[string]int64)
		found := 0
		for offset := int64(1000); offset < 60_000; offset += 1 + rng.Int64N(3) { // Control records leave gaps.
			site := fmt.Sprint("site-", rng.IntN(3))
			id := fmt.Sprint("id-", rng.Int64N(2*window+10))
			want := int64(0)
			if at, ok := last[site+" "+id]; ok && offset-at <= window {
				want = offset - at
				found++
			}
			last[site+" "+id] = offset
			if got := d.see([]byte(site), []byte(id), offset); got != want {
				t.Fatalf("window %d, offset %d: %s of %s is %d after its last sighting, want %d", window, offset, id, site, got, want)
			}
		}
		if window > 0 && found == 0 {
			t.Errorf("window %d: nothing repeated", window)
		}
	}
}

func TestNoTwoIdentitiesRunTogether(t *testing.T) {
	d := newDuplicates(100)
	d.see([]byte("a"), []byte("bc"), 1)
	if n := d.see([]byte("ab"), []byte("c"), 2); n != 0 {
		t.Errorf("event c of site ab is taken for event bc of site a, %d before", n)
	}
}

func TestWindowOfDuplicatesIsBounded(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	d := newDuplicates(checkpoint.DefaultDuplicates)
	site, id := []byte("site"), make([]byte, 0, 32)
	for i := range int64(3 * checkpoint.DefaultDuplicates) {
		id = fmt.Appendf(id[:0], "%d", i)
		d.see(site, id, i)
	}
	if n := (heap() - before) / checkpoint.DefaultDuplicates; n > 40 {
		t.Errorf("%d bytes an entry, want at most 40", n)
	}
	if n := testing.AllocsPerRun(100, func() { d.see(site, id, d.at(d.next-1).offset+1) }); n != 0 {
		t.Errorf("%v allocations an event", n)
	}
	runtime.KeepAlive(d)
}

func BenchmarkDuplicates(b *testing.B) {
	d := newDuplicates(checkpoint.DefaultDuplicates)
	site, id := []byte("shop.example"), make([]byte, 0, 32)
	b.ReportAllocs()
	for offset := int64(0); b.Loop(); offset++ {
		id = fmt.Appendf(id[:0], "%016x", offset)
		d.see(site, id, offset)
	}
}
