package int128

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// edges are where arithmetic of two words goes wrong, if it does.
func edges(t *testing.T) []Int {
	t.Helper()
	var all []Int
	for _, s := range []string{"0", "1", "-1", "9", "-9", "10", "-10", "99", "100", "9223372036854775807", "9223372036854775808",
		"-9223372036854775808",
		"-9223372036854775809", "18446744073709551615", "18446744073709551616", "-18446744073709551616", "99999999999999999999999999999999999999",
		"-99999999999999999999999999999999999999", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"} {
		n, err := Parse(s)
		if err != nil {
			t.Fatalf("Parse(%q) = %v", s, err)
		}
		if n.String() != s {
			t.Errorf("%q was read and written as %q", s, n)
		}
		all = append(all, n)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		all = append(all, Int{int64(r.Uint64()) >> r.IntN(64), r.Uint64()}, From(int64(r.Uint64())>>r.IntN(64)))
	}
	return all
}

// wrapped brings a number into the range of 128 bits, as two's complement does.
func wrapped(n *big.Int) *big.Int {
	mod := new(big.Int).Lsh(big.NewInt(1), 128)
	n = new(big.Int).Mod(n, mod)
	if n.BitLen() > 127 {
		n.Sub(n, mod)
	}
	return n
}

func TestIntIsAWholeNumber(t *testing.T) {
	all := edges(t)
	for _, a := range all {
		if got, want := a.Neg().big(), wrapped(new(big.Int).Neg(a.big())); got.Cmp(want) != 0 {
			t.Errorf("-(%s) = %s, want %s", a, got, want)
		}
		if back, err := Parse(a.String()); err != nil || back != a {
			t.Errorf("%s was read back as %s, %v", a, back, err)
		}
		if back := Unzigzag(a.Zigzag()); back != a {
			t.Errorf("%s comes back from its zigzag as %s", a, back)
		}
		want := int64(math.MaxInt64)
		if a.big().IsInt64() {
			want = a.big().Int64()
		} else if a.big().Sign() < 0 {
			want = math.MinInt64
		}
		if got := a.Int64(); got != want {
			t.Errorf("%s as int64 = %d, want %d", a, got, want)
		}
		if f, _ := new(big.Float).SetInt(a.big()).Float64(); a.Float64() != f {
			t.Errorf("%s as float64 = %v, want %v", a, a.Float64(), f)
		}
		for _, b := range all {
			if got, want := a.Plus(b).big(), wrapped(new(big.Int).Add(a.big(), b.big())); got.Cmp(want) != 0 {
				t.Errorf("%s + %s = %s, want %s", a, b, got, want)
			}
			if got, want := a.Compare(b), a.big().Cmp(b.big()); got != want {
				t.Errorf("%s compared with %s is %d, want %d", a, b, got, want)
			}
		}
	}
}

func TestParseRefusesOtherNumbers(t *testing.T) {
	for _, s := range []string{"", " 1", "1 ", "1.0", "1e3", "0x10", "1_000", "one", "--1", "170141183460469231731687303715884105728",
		"-170141183460469231731687303715884105729", "99999999999999999999.5"} {
		if n, err := Parse(s); err == nil {
			t.Errorf("Parse(%q) = %s, want an error", s, n)
		}
	}
}

func TestZigzagIsSmallNearZero(t *testing.T) {
	if hi, lo := From(-3).Zigzag(); hi != 0 || lo != 5 {
		t.Errorf("-3 is written as %d, %d, want 0, 5", hi, lo)
	}
}

// TestSumDoesNotDependOnItsParts adds up numbers whose sums pass 64 bits.
func TestSumDoesNotDependOnItsParts(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	edges := []int64{0, 1, -1, 1<<63 - 1, -1 << 63, 1e15, -1e15}
	s, want := Int{}, new(big.Int)
	for range 20_000 {
		n := edges[r.IntN(len(edges))]
		if r.IntN(2) == 0 {
			n = r.Int64() - r.Int64()
		}
		s = s.Plus(From(n))
		want.Add(want, big.NewInt(n))
		if s.String() != want.String() {
			t.Fatalf("the sum is %s, want %s", s, want)
		}
	}
}
