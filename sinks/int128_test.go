package sinks

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// edges are where arithmetic of two words goes wrong, if it does.
func edges(t *testing.T) []Int128 {
	t.Helper()
	var all []Int128
	for _, s := range []string{"0", "1", "-1", "9", "-9", "10", "-10", "99", "100", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "18446744073709551615", "18446744073709551616", "-18446744073709551616", "99999999999999999999999999999999999999",
		"-99999999999999999999999999999999999999", "170141183460469231731687303715884105727", "-170141183460469231731687303715884105728"} {
		n, err := ParseInt128(s)
		if err != nil {
			t.Fatalf("ParseInt128(%q) = %v", s, err)
		}
		if n.String() != s {
			t.Errorf("%q was read and written as %q", s, n)
		}
		all = append(all, n)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		all = append(all, Int128{int64(r.Uint64()) >> r.IntN(64), r.Uint64()}, Int128From(int64(r.Uint64())>>r.IntN(64)))
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

func TestInt128IsAWholeNumber(t *testing.T) {
	all := edges(t)
	for _, a := range all {
		if got, want := a.Neg().big(), wrapped(new(big.Int).Neg(a.big())); got.Cmp(want) != 0 {
			t.Errorf("-(%s) = %s, want %s", a, got, want)
		}
		if back, err := ParseInt128(a.String()); err != nil || back != a {
			t.Errorf("%s was read back as %s, %v", a, back, err)
		}
		rest, pairs := new(big.Int).Abs(a.big()), 0
		for hundred, pair := big.NewInt(100), new(big.Int); rest.Sign() > 0; {
			if rest.DivMod(rest, hundred, pair); pairs > 0 || pair.Sign() > 0 {
				pairs++
			}
		}
		if got := a.pairs(); got != pairs {
			t.Errorf("%s has %d pairs of digits, want %d", a, got, pairs)
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
			if got, want := a.Less(b), a.big().Cmp(b.big()) < 0; got != want {
				t.Errorf("%s < %s is %v, want %v", a, b, got, want)
			}
		}
	}
}

func TestParseInt128RefusesOtherNumbers(t *testing.T) {
	for _, s := range []string{"", " 1", "1 ", "1.0", "1e3", "0x10", "1_000", "one", "--1", "170141183460469231731687303715884105728",
		"-170141183460469231731687303715884105729", "99999999999999999999.5"} {
		if n, err := ParseInt128(s); err == nil {
			t.Errorf("ParseInt128(%q) = %s, want an error", s, n)
		}
	}
}
