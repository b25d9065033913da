package duplicates

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// courses are record times, in milliseconds, of the n-th record.
var courses = []struct {
	name string
	at   func(rng *rand.Rand, n int64) int64
}{
	{"even", func(_ *rand.Rand, n int64) int64 { return 1e12 + n*20 }},
	{"all equal", func(_ *rand.Rand, n int64) int64 { return 1e12 }},
	{"with jumps", func(_ *rand.Rand, n int64) int64 { return 1e12 + n*5 + n/2000*60_000 }},
	{"with steps back", func(_ *rand.Rand, n int64) int64 { return 1e12 + n*20 - n/3000*90_000 }},
	{"by producers whose clocks differ", func(rng *rand.Rand, n int64) int64 { return 1e12 + n*20 + rng.Int64N(20_000) }},
	{"of which many are wrong", func(rng *rand.Rand, n int64) int64 {
		if rng.IntN(3) == 0 {
			return []int64{-5, 0, 1e9, 4e12, 1 << 60}[rng.IntN(5)]
		}
		return 1e12 + n*20
	}},
	{"of which most are wrong for a while", func(rng *rand.Rand, n int64) int64 {
		if n%5000 > 4000 {
			return 3e12 + n
		}
		return 1e12 + n*20
	}},
	{"at random", func(rng *rand.Rand, n int64) int64 { return 1e12 + rng.Int64N(100_000) }},
}

// The window against its definition, also of an owner that begins in the middle of the log.
func TestDuplicatesAreThoseOfTheWindow(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	windows := []checkpoint.Duplicates{{WindowMs: 1, Positions: 1}, {WindowMs: 100, Positions: 2}, {WindowMs: 1000, Positions: 64},
		{WindowMs: 20_000, Positions: 300}, {WindowMs: 20_000, Positions: 1024}, {WindowMs: 40_000, Positions: 10_000}}
	few := slow.Of(t, 2, len(windows)) // Others for each course.
	for i, course := range courses {
		t.Run(course.name, func(t *testing.T) {
			t.Parallel()
			for j := range few {
				of := windows[(i*few+j)%len(windows)]
				definition(t, of, course.at, 0)
				definition(t, of, course.at, 15_001)
			}
		})
	}
}

func definition(t *testing.T, of checkpoint.Duplicates, at func(*rand.Rand, int64) int64, floor int64) {
	rng := rand.New(rand.NewPCG(uint64(of.Positions), 1))
	var log testworld.Window
	type seen struct {
		offset, ms int64
		id         string
	}
	var all []seen
	last := make(map[string]int64)
	first := max(1000, floor)
	d := NewWindow([]checkpoint.Duplicates{of}, first, floor)
	var late *Window // of an owner that takes over now and then
	near, far := 0, 0
	for offset := first; offset < 30_000; offset += 1 + rng.Int64N(3) { // Control records leave gaps.
		if offset%7919 < 3 { // And skipped ones larger gaps.
			offset += rng.Int64N(2 * of.Positions)
		}
		ms, id := at(rng, offset), fmt.Sprint(rng.Int64N(min(of.Positions, 2000)+10))
		log.Add(offset, ms)
		d.Note(offset, ms)
		if late == nil || offset%4999 < 3 {
			begin := max(d.Edge, first)
			late = NewWindow([]checkpoint.Duplicates{of}, begin, floor)
			for _, s := range all {
				if s.offset >= begin {
					late.Note(s.offset, s.ms)
					late.See([]byte("site"), []byte(s.id), s.offset, s.ms)
				}
			}
		}
		late.Note(offset, ms)
		want := int64(0)
		if at, ok := last[id]; ok && log.Repeats(of, at, floor) {
			want = offset - at
		}
		for who, d := range map[string]*Window{"owner": d, "next owner": late} {
			if got := d.See([]byte("site"), []byte(id), offset, ms).Distance; got != want {
				t.Fatalf("%v, floor %d, %s, offset %d: %s is %d after its last sighting, want %d", of, floor, who, offset, id, got, want)
			}
		}
		if len(d.ring) > firstRing && int64(len(d.ring)) > of.Positions+of.Segment() {
			t.Fatalf("%v: a ring of %d sightings", of, len(d.ring))
		}
		last[id], all = offset, append(all, seen{offset, ms, id})
		switch {
		case want > (of.Near()+1)*of.Segment():
			far++
		case want > 0:
			near++
		}
	}
	if of.Positions >= 64 && near+far == 0 {
		t.Errorf("%v: nothing repeated", of)
	}
}

// Where the beginning of a segment was skipped, the rest of it says nothing of its clock: an owner and a recount that has read all of
// the log go by that of the next segment.
func TestASegmentWhoseBeginningWasSkippedHasNoClock(t *testing.T) {
	of := checkpoint.Duplicates{WindowMs: 60_000, Positions: 1024}
	const start, again = 4, 400 // In the middle of a segment; further from it than what is in reach at any rate.
	if of.Segment() != 2*start || again/of.Segment() <= of.Near() || again/of.Segment() > of.Back() {
		t.Fatal("the test is void")
	}
	at := func(offset int64) int64 {
		switch offset / of.Segment() {
		case 0:
			return 1e12 + 60_000
		case 1:
			return 1e12
		}
		return 1e12 + 100_000 // Too far ahead of the second segment, and not of the first.
	}
	for floor, want := range map[int64]int64{0: again - start, start: 0} {
		var log testworld.Window
		d := NewWindow([]checkpoint.Duplicates{of}, start, floor)
		for offset := int64(start); offset < again; offset++ {
			log.Add(offset, at(offset))
			d.Note(offset, at(offset))
			if offset == start {
				d.See([]byte("site"), []byte("id"), offset, at(offset))
			}
		}
		log.Add(again, at(again))
		d.Note(again, at(again))
		if got := d.See([]byte("site"), []byte("id"), again, at(again)).Distance; got != want {
			t.Errorf("skipped below %d: the event was seen %d before, want %d", floor, got, want)
		}
		if got := log.Repeats(of, start, floor); got != (want > 0) {
			t.Errorf("skipped below %d: repeated by the definition: %v, want %v", floor, got, want > 0)
		}
	}
}

func TestNoTwoIdentitiesRunTogether(t *testing.T) {
	d := NewWindow([]checkpoint.Duplicates{checkpoint.DefaultDuplicates}, 0, 0)
	d.Note(1, 0)
	d.See([]byte("a"), []byte("bc"), 1, 0)
	d.Note(2, 0)
	if n := d.See([]byte("ab"), []byte("c"), 2, 0).Distance; n != 0 {
		t.Errorf("event c of site ab is taken for event bc of site a, %d before", n)
	}
}

// One event that is repeated without end does not lengthen the list of its hash.
func TestARepeatedEventTakesOnePlace(t *testing.T) {
	d := NewWindow([]checkpoint.Duplicates{checkpoint.DefaultDuplicates}, 0, 0)
	for i := range int64(10_000) {
		d.Note(i, 0)
		d.See([]byte("site"), []byte("id"), i, 0)
	}
	listed := 0
	for _, place := range d.heads {
		for ; place != 0; place = d.ring[(place-1)%uint32(len(d.ring))].before {
			listed++
		}
	}
	if listed != 1 {
		t.Errorf("%d sightings are listed, want 1", listed)
	}
}

func TestWindowOfDuplicatesIsBounded(t *testing.T) {
	slow.Unraced(t)
	if slow.Alone(t) {
		return
	}
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before := heap()
	of := checkpoint.DefaultDuplicates
	d := NewWindow([]checkpoint.Duplicates{of}, 0, 0)
	site, id := []byte("site"), make([]byte, 0, 32)
	for i := range 3 * of.Positions {
		id = fmt.Appendf(id[:0], "%d", i)
		d.Note(i, 0)
		d.See(site, id, i, 0)
	}
	if n := heap() - before; n > checkpoint.DuplicateBytes*of.Positions {
		t.Errorf("%d bytes for %d positions, want at most %d for each", n, of.Positions, checkpoint.DuplicateBytes)
	}
	if n := testing.AllocsPerRun(5000, func() { d.Note(d.last+1, 0); d.See(site, id, d.last+1, 0) }); n != 0 {
		t.Errorf("%v allocations an event", n)
	}
	runtime.KeepAlive(d)
}

// A partition that is calm keeps no more than a quarter of the positions.
func TestWindowOfACalmPartitionIsSmall(t *testing.T) {
	d := NewWindow([]checkpoint.Duplicates{checkpoint.DefaultDuplicates}, 0, 0)
	id := make([]byte, 0, 32)
	for i := range int64(200_000) {
		id = fmt.Appendf(id[:0], "%d", i)
		d.Note(i, i*40)
		d.See([]byte("site"), id, i, i*40)
	}
	if n := len(d.ring); n != 65_536 {
		t.Errorf("a ring of %d sightings at 25 events a second, want 65,536", n)
	}
}

// The same events with the same repetitions, in 16 partitions or in one that holds as much: a repetition after 10 minutes is found at 50
// and at 2,000 events a second, one after 20 minutes at neither. A window that has not the room is shortened, and says so.
func TestVerdictsDoNotDependOnTheRate(t *testing.T) {
	slow.Unraced(t)
	t.Parallel()
	quarter := (15 * time.Minute).Milliseconds()
	for _, c := range []struct {
		name            string
		of              checkpoint.Duplicates
		rate            int64
		tenth, twentyth bool
		shortened       bool
	}{
		{"50 a second", checkpoint.DefaultDuplicates, 50, true, false, false},
		{"2,000 a second in 16 partitions", checkpoint.DefaultDuplicates, 125, true, false, false},
		{"2,000 a second, with the memory for it", checkpoint.Duplicates{WindowMs: quarter, Positions: 2_000_000}, 2000, true, false, false},
		{"2,000 a second, by default", checkpoint.DefaultDuplicates, 2000, false, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := NewWindow([]checkpoint.Duplicates{c.of}, 0, 0)
			see := func(offset int64, id string) int64 {
				ms := 1e12 + offset*1000/c.rate
				d.Note(offset, ms)
				return d.See([]byte("site"), []byte(id), offset, ms).Distance
			}
			begin := 60 * c.rate
			again := map[int64]string{begin: "x", begin + 1: "y", begin + 10*60*c.rate: "x", begin + 20*60*c.rate + 1: "y",
				begin + 20*60*c.rate + 2: "z", begin + 20*60*c.rate + 2 + 10*c.rate: "z"}
			id := make([]byte, 0, 32)
			for offset := range begin + 21*60*c.rate {
				if id, ok := again[offset]; ok {
					found := see(offset, id) > 0
					want := offset == begin+10*60*c.rate && c.tenth || offset == begin+20*60*c.rate+1 && c.twentyth ||
						offset == begin+20*60*c.rate+2+10*c.rate
					if found != want {
						t.Errorf("event %s after %ds: a repetition: %v, want %v", id, (offset-begin)/c.rate, found, want)
					}
					continue
				}
				d.Note(offset, 1e12+offset*1000/c.rate)
				if offset%8 == 0 { // The others have no id.
					id = fmt.Appendf(id[:0], "%x", offset)
					d.See([]byte("site"), id, offset, 1e12+offset*1000/c.rate)
				}
			}
			if got := d.reaches[0].shortened > 0; got != c.shortened {
				t.Errorf("shortened: %v, want %v", got, c.shortened)
			}
		})
	}
}

// A third of the record times is wrong. What the others repeat is found all the same.
func TestWrongRecordTimesMoveNothing(t *testing.T) {
	of := checkpoint.Duplicates{WindowMs: 60_000, Positions: 8192}
	const rate, apart = 50, 2500 // Further than what is in reach at any rate.
	if (of.Near()+1)*of.Segment() >= apart {
		t.Fatal("the test is void")
	}
	rng := rand.New(rand.NewPCG(3, 3))
	right := make([]bool, 20_000)
	d := NewWindow([]checkpoint.Duplicates{of}, 0, 0)
	for n := range int64(len(right)) {
		ms := int64(1e12) + n*1000/rate
		right[n] = rng.IntN(3) > 0
		if !right[n] {
			ms += []int64{-1e12, -1e8, 1e8, 1e12}[rng.IntN(4)]
		}
		d.Note(n, ms)
		found := d.See([]byte("site"), fmt.Append(nil, n%apart), n, ms).Distance
		if n >= apart && right[n] && right[n-apart] && found != apart {
			t.Fatalf("offset %d is %d after the last sighting of its event, want %d", n, found, apart)
		}
	}
}

func BenchmarkDuplicates(b *testing.B) {
	d := NewWindow([]checkpoint.Duplicates{checkpoint.DefaultDuplicates}, 0, 0)
	site, id := []byte("shop.example"), make([]byte, 0, 32)
	b.ReportAllocs()
	for offset := int64(0); b.Loop(); offset++ {
		id = fmt.Appendf(id[:0], "%016x", offset)
		d.Note(offset, offset)
		d.See(site, id, offset, offset)
	}
}
