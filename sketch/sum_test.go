package sketch

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestSumIsAWholeNumberOf128Bits(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	edges := []int64{0, 1, -1, 1<<63 - 1, -1 << 63, 1e15, -1e15}
	s, want := Sum{}, new(big.Int)
	for range 20_000 {
		n := edges[r.IntN(len(edges))]
		if r.IntN(2) == 0 {
			n = r.Int64() - r.Int64()
		}
		s = s.Plus(SumOf(n))
		want.Add(want, big.NewInt(n))
		if s.String() != want.String() {
			t.Fatalf("the sum is %s, want %s", s, want)
		}
		if back := unzigzag(s.zigzag()); back != s {
			t.Fatalf("%s comes back as %s", s, back)
		}
	}
	if hi, lo := SumOf(-3).zigzag(); hi != 0 || lo != 5 {
		t.Errorf("-3 is written as %d, %d, want 0, 5", hi, lo)
	}
}
