package event

import (
	"math/big"
	"strconv"
	"strings"
	"testing"
)

func TestValues(t *testing.T) {
	zeros := strings.Repeat("0", 60_000)
	cases := []struct {
		number string
		want   int64
	}{
		{"0", 0}, {"-0", 0}, {"-0.000000000", 0}, {"0e999999999999999999999", 0}, {"0E-5", 0},
		{"1", 1_000_000}, {"-1", -1_000_000}, {"12.5", 12_500_000}, {"0.1", 100_000}, {"0.000001", 1}, {"-0.000001", -1},
		{"10.05", 10_050_000}, {"100", 100_000_000}, {"1000.0001", 1_000_000_100}, {"0.30000000000000", 300_000},
		{"999999999.999999", 999_999_999_999_999}, {"-999999999.999999", -999_999_999_999_999},
		{"1e3", 1_000_000_000}, {"1.5e-2", 15_000}, {"1E+2", 100_000_000}, {"123456e-6", 123_456}, {"0.0000001e1", 1}, {"1e-06", 1},
		{"9.99999999999999E8", 999_999_999_999_999}, {"100000000000e-11", 1_000_000}, {"1e008", 100_000_000_000_000},
		{"1" + zeros + "e-60000", 1_000_000}, {"0." + zeros + "1e60001", 1_000_000}, {"1." + zeros, 1_000_000},
	}
	for _, c := range cases {
		if got, ok := parseMillionths([]byte(c.number)); !ok || got != c.want {
			t.Errorf("%.40s is %d, %t, want %d", c.number, got, ok, c.want)
		}
	}
	for _, number := range []string{
		"1000000000", "-1000000000", "1e9", "999999999.9999991", "0.0000001", "1e-7", "12.3456789", "1e400", "-1e400", "1e-400",
		"9223372036854775808", "123456789012345678901234567890", "1e99999999999999999999", "1e-99999999999999999999", "5e-324",
		"0.1000000000000000055511151231257827", "1" + zeros, "0." + zeros + "1", "1" + zeros + "1e-60001", "1e18446744073709551616",
	} {
		if got, ok := parseMillionths([]byte(number)); ok {
			t.Errorf("%.40s is %d, want it refused", number, got)
		}
	}
}

// FuzzMillionths holds the parser to exact arithmetic.
func FuzzMillionths(f *testing.F) {
	for _, s := range []string{"0", "-12.50", "1e3", "1.5e-2", "999999999.999999", "0.00000010e1", "-0e5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) == 0 || scanNumber([]byte(s), 0) != len(s) {
			return
		}
		if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok {
			if n, err := strconv.Atoi(exponent); err != nil || n < -1000 || n > 1000 {
				return // too slow for big.Rat
			}
		}
		exact, ok := new(big.Rat).SetString(s)
		if !ok {
			t.Fatalf("%q is a number to the scanner, but not to package big", s)
		}
		exact.Mul(exact, big.NewRat(1e6, 1))
		want := exact.IsInt() && exact.Num().IsInt64() && -1e15 < exact.Num().Int64() && exact.Num().Int64() < 1e15
		got, ok := parseMillionths([]byte(s))
		if ok != want || ok && got != exact.Num().Int64() {
			t.Fatalf("%q is %d, %t, want %v, %t", s, got, ok, exact, want)
		}
	})
}
