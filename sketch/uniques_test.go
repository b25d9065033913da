package sketch

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/axiomhq/hyperloglog"
)

// kinds are the kinds of sketches, for tests that hold for all.
var kinds = []struct {
	name  string
	make  func() *Uniques
	exact int
}{
	{"hour", NewHour, HourExact},
	{"minute", NewMinute, MinuteExact},
	{"row", NewRow, RowExact},
}

func hashes(seed uint64, n int) []uint64 {
	r := rand.New(rand.NewPCG(seed, 1))
	h := make([]uint64, n)
	for i := range h {
		h[i] = r.Uint64()
	}
	return h
}

func sketchOf(empty *Uniques, hashes []uint64) *Uniques {
	for _, h := range hashes {
		empty.Add(h)
	}
	return empty
}

func encode(t testing.TB, u *Uniques) []byte {
	t.Helper()
	b, err := u.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decode(t testing.TB, b []byte) *Uniques {
	t.Helper()
	var u Uniques
	if err := u.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return &u
}

func TestCountIsExactUpToTheLimit(t *testing.T) {
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			u := k.make()
			all := hashes(1, k.exact)
			all[k.exact/2] = 0 // a hash like any other
			for i, h := range all {
				if !u.Add(h) || u.Add(h) {
					t.Fatalf("hash %d: Add must report a change the first time only", i)
				}
				if u.Estimate() != uint64(i+1) || u.Entries() != i+1 {
					t.Fatalf("after %d hashes: estimate %d, entries %d", i+1, u.Estimate(), u.Entries())
				}
			}
			for _, h := range all {
				if u.Add(h) {
					t.Fatal("a full exact set changed by a hash that it has")
				}
			}
			if !u.Add(12345) || u.Entries() != -1 {
				t.Errorf("one hash more: entries %d, want -1", u.Entries())
			}
		})
	}
}

func TestRegistersAreThoseOfAxiomhq(t *testing.T) {
	crafted := []uint64{0, 1, 1 << 49, 1 << 50, 1 << 53, 1<<54 - 1, 1 << 54, math.MaxUint64, math.MaxUint64 - 1, 1 << 63}
	for _, k := range kinds {
		for _, n := range []int{k.exact + 1, k.exact * 3, 8000, 20_000, 300_000} {
			t.Run(fmt.Sprintf("%s of %d", k.name, n), func(t *testing.T) {
				all := append(hashes(uint64(n), n), crafted...)
				u := sketchOf(k.make(), all)
				want, err := hyperloglog.NewSketch(uint8(u.Precision()), false)
				if err != nil {
					t.Fatal(err)
				}
				for _, h := range all {
					want.InsertHash(h)
				}
				wantBytes, err := want.MarshalBinary()
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(u.appendDense(nil), wantBytes) {
					t.Error("the dense bytes are not those that axiomhq marshals")
				}
				if u.Estimate() != want.Estimate() {
					t.Errorf("estimate %d, axiomhq's is %d", u.Estimate(), want.Estimate())
				}
				got, err := u.HyperLogLog().MarshalBinary()
				if err != nil || !bytes.Equal(got, wantBytes) {
					t.Errorf("axiomhq reads other registers, error %v", err)
				}
				if k.name == "row" {
					return // Its bytes are its own.
				}
				back := decode(t, seal(append([]byte{version, byte(u.Precision()), formRegisters}, wantBytes...), 0))
				if !back.Equal(u) {
					t.Error("what axiomhq marshals is read as another sketch")
				}
			})
		}
	}
}

// The estimator's sums are taken in another order than axiomhq's: over many fillings the integers must not show it.
func TestEstimateIsThatOfAxiomhq(t *testing.T) {
	for _, k := range kinds {
		u := k.make()
		r := rand.New(rand.NewPCG(2, uint64(k.exact)))
		for n := 0; n < 400; n++ {
			for range 1 + r.IntN(4*k.exact) {
				u.Add(r.Uint64())
			}
			if u.Entries() >= 0 {
				continue
			}
			if got, want := u.Estimate(), u.HyperLogLog().Estimate(); got != want {
				t.Fatalf("%s, round %d: estimate %d, axiomhq's is %d", k.name, n, got, want)
			}
		}
	}
}

func TestHyperLogLogOfAnExactSet(t *testing.T) {
	all := hashes(3, 100)
	want, err := hyperloglog.NewSketch(HourPrecision, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range all {
		want.InsertHash(h)
	}
	u := sketchOf(NewHour(), all)
	if got := u.HyperLogLog().Estimate(); got != want.Estimate() {
		t.Errorf("estimate %d, want %d", got, want.Estimate())
	}
	if u.Entries() != 100 {
		t.Errorf("the sketch itself has %d entries now, want 100", u.Entries())
	}
}

func TestEstimateNeverTurnsNegative(t *testing.T) {
	for _, k := range kinds {
		u := k.make()
		u.toRegisters()
		u.widen()
		for i := range u.regs {
			u.regs[i] = byte(65 - u.Precision())
		}
		got := u.Estimate()
		if got != maxEstimate || int64(got) < 0 {
			t.Errorf("%s with all registers full: estimate %d, want %d", k.name, got, uint64(maxEstimate))
		}
	}
}

// The figure of uniques at p = 14: exact to 1,024, then p95 at most 1.8 %.
func TestErrorIsWithinTheStatedBound(t *testing.T) {
	const trials = 200
	checkpoints := []int{1_024, 2_000, 8_000, 20_000, 100_000}
	errs := make(map[int][]float64)
	for trial := range trials {
		r := rand.New(rand.NewPCG(uint64(trial), 4))
		u := NewHour()
		n := 0
		for _, upTo := range checkpoints {
			for ; n < upTo; n++ {
				u.Add(r.Uint64())
			}
			errs[upTo] = append(errs[upTo], math.Abs(float64(u.Estimate())-float64(n))/float64(n))
		}
	}
	for _, n := range checkpoints {
		e := errs[n]
		slices.Sort(e)
		p95, worst := e[trials*95/100], e[trials-1]
		t.Logf("%7d: p95 %.2f %%, largest %.2f %%", n, 100*p95, 100*worst)
		if n <= HourExact && worst != 0 {
			t.Errorf("%d hashes: error %.2f %%, want 0", n, 100*worst)
		}
		if p95 > 0.018 || worst > 0.04 {
			t.Errorf("%d hashes: p95 %.2f %%, largest %.2f %%, want at most 1.8 %% and 4 %%", n, 100*p95, 100*worst)
		}
	}
}

// Whatever the order, the overlap and the way in which a set of hashes is split, merged and written and read in
// between, the state and the bytes are the same.
func TestMergeInAnyOrderAgrees(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for _, k := range kinds {
		for round := range 150 {
			n := r.IntN(3 * k.exact)
			if round%3 == 0 {
				n = k.exact - 2 + r.IntN(5) // about the switch to registers
			}
			all := hashes(r.Uint64(), n)
			whole := sketchOf(k.make(), all)
			parts := make([]*Uniques, 1+r.IntN(6))
			for i := range parts {
				parts[i] = k.make()
			}
			for _, h := range all {
				parts[r.IntN(len(parts))].Add(h)
				parts[r.IntN(len(parts))].Add(h)
			}
			for order := range 3 {
				r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
				merged := k.make()
				for _, p := range append(parts, parts[0]) { // one of them twice
					if r.IntN(2) == 0 {
						p = decode(t, encode(t, p))
					}
					if err := merged.Merge(p); err != nil {
						t.Fatal(err)
					}
				}
				if !merged.Equal(whole) || !bytes.Equal(encode(t, merged), encode(t, whole)) {
					t.Fatalf("%s, round %d, order %d: %d hashes in %d parts merge to another state", k.name, round, order, n, len(parts))
				}
			}
		}
	}
}

func TestMergeWithItselfChangesNothing(t *testing.T) {
	for _, k := range kinds {
		for _, n := range []int{0, 5, k.exact, k.exact + 1} {
			u := sketchOf(k.make(), hashes(6, n))
			before := u.Clone()
			if err := u.Merge(u); err != nil || !u.Equal(before) {
				t.Errorf("%s of %d: changed, or error %v", k.name, n, err)
			}
		}
	}
}

func TestMergeRefusesAnotherKind(t *testing.T) {
	for _, n := range []int{3, 2000} {
		u := sketchOf(NewHour(), hashes(7, n))
		before := u.Clone()
		if err := u.Merge(sketchOf(NewMinute(), hashes(8, n))); err == nil {
			t.Error("a minute's sketch was merged into an hour's")
		}
		if err := NewMinute().Merge(sketchOf(NewRow(), hashes(8, n))); err == nil {
			t.Error("a row's sketch was merged into a minute's, whose exact set is larger")
		}
		if !u.Equal(before) {
			t.Error("a refused merge changed the sketch")
		}
	}
}

func TestMergeLeavesItsArgument(t *testing.T) {
	for _, n := range []int{3, 2000} {
		o := sketchOf(NewHour(), hashes(9, n))
		before := o.Clone()
		u := NewHour()
		if err := u.Merge(o); err != nil {
			t.Fatal(err)
		}
		sketchOf(u, hashes(10, 5000))
		if !o.Equal(before) {
			t.Errorf("merging a sketch of %d and adding to the union changed it", n)
		}
	}
}

func TestCloneSharesNothing(t *testing.T) {
	for _, n := range []int{0, 3, 2000} {
		u := sketchOf(NewHour(), hashes(11, n))
		c := u.Clone()
		if !c.Equal(u) {
			t.Fatalf("the clone of a sketch of %d is not equal", n)
		}
		sketchOf(c, hashes(12, 3000))
		if again := sketchOf(NewHour(), hashes(11, n)); !u.Equal(again) {
			t.Errorf("adding to the clone changed a sketch of %d", n)
		}
	}
}

func TestDifferCountsWhatDiffers(t *testing.T) {
	a := hashes(13, 1200)
	dense := sketchOf(NewHour(), a)
	other := dense.Clone()
	other.regs[7]++
	other.regs[9000]++
	for _, c := range []struct {
		name              string
		u, o              *Uniques
		hashes, registers int
	}{
		{"nothing", sketchOf(NewHour(), a[:50]), sketchOf(NewHour(), a[:50]), 0, 0},
		{"both empty", NewHour(), NewHour(), 0, 0},
		{"hashes on both sides", sketchOf(NewHour(), a[:50]), sketchOf(NewHour(), a[48:60]), 58, 0},
		{"the hash 0", sketchOf(NewHour(), []uint64{0}), NewHour(), 1, 0},
		{"two registers", dense, other, 0, 2},
		{"precisions", NewHour(), NewMinute(), 0, 1 << HourPrecision},
		{"kinds", NewRow(), NewMinute(), 0, 1 << RowPrecision},
	} {
		for range 2 {
			h, r := c.u.Differ(c.o)
			if h != c.hashes || r != c.registers {
				t.Errorf("%s: %d hashes, %d registers, want %d and %d", c.name, h, r, c.hashes, c.registers)
			}
			if c.u.Equal(c.o) != (h+r == 0) {
				t.Errorf("%s: Equal and Differ disagree", c.name)
			}
			c.u, c.o = c.o, c.u
		}
	}

	t.Run("an exact set and registers", func(t *testing.T) {
		exact := sketchOf(NewHour(), a[:1024])
		dense := exact.Clone()
		dense.toRegisters()
		if h, r := exact.Differ(dense); h != 0 || r != 1 {
			t.Errorf("the same hashes in another form: %d hashes, %d registers, want 0 and 1", h, r)
		}
		if exact.Equal(dense) || dense.Equal(exact) {
			t.Error("an exact set equals registers")
		}
		filled := 0
		for _, r := range dense.regs {
			if r > 0 {
				filled++
			}
		}
		if h, r := dense.Differ(NewHour()); h != 0 || r != filled {
			t.Errorf("registers and an empty set: %d hashes, %d registers, want 0 and %d", h, r, filled)
		}
	})
}

func TestZeroValueIsAnEmptyHour(t *testing.T) {
	var u Uniques
	if !u.Equal(NewHour()) || u.Estimate() != 0 || u.Precision() != HourPrecision {
		t.Errorf("the zero value has precision %d and estimate %d", u.Precision(), u.Estimate())
	}
	if !u.Add(1) || u.Estimate() != 1 {
		t.Error("the zero value does not count")
	}
}

func TestAddDoesNotAllocateInSteadyState(t *testing.T) {
	for _, n := range []int{10, 1000, 5000} {
		all := hashes(14, n)
		u := sketchOf(NewHour(), all)
		i := 0
		if got := testing.AllocsPerRun(2*n, func() { u.Add(all[i%n]); i++ }); got != 0 {
			t.Errorf("hashes that %d visitors have already: %v allocations an Add, want 0", n, got)
		}
	}
	u := sketchOf(NewHour(), hashes(15, 2000))
	r := rand.New(rand.NewPCG(16, 16))
	if got := testing.AllocsPerRun(1000, func() { u.Add(r.Uint64()) }); got != 0 {
		t.Errorf("new hashes into registers: %v allocations an Add, want 0", got)
	}
}

// The memory figures: at most 17 KB a sketch above 1,024 visitors, and 0.4 KB at 10.
func TestMemoryPerSketch(t *testing.T) {
	for _, c := range []struct{ visitors, most int }{
		{10, 400}, {100, 2200}, {1024, 17 << 10}, {1025, 17 << 10}, {100_000, 17 << 10},
	} {
		held := make([]*Uniques, min(2000, 2_000_000/c.visitors))
		before := heap()
		for i := range held {
			r := rand.New(rand.NewPCG(17, uint64(i)))
			held[i] = NewHour()
			for range c.visitors {
				held[i].Add(r.Uint64())
			}
		}
		each := int(heap()-before) / len(held)
		t.Logf("%6d visitors: %5d bytes", c.visitors, each)
		if each > c.most {
			t.Errorf("%d visitors: %d bytes a sketch, want at most %d", c.visitors, each, c.most)
		}
		runtime.KeepAlive(held)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
