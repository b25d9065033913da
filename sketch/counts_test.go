package sketch

import (
	"encoding/binary"
	"testing"
)

// Counting up, what growth returns adds up to the bytes of the number. Other numbers are measured as they are written.
func TestBytesOfNumbersAreKnown(t *testing.T) {
	sum := 0
	for n := int64(1); n < 1<<22; n++ {
		if sum += growth(n); sum != optionalBytes(n) {
			t.Fatalf("counting up to %d adds up to %d bytes, want %d", n, sum, optionalBytes(n))
		}
	}
	for shift := range 64 {
		for _, n := range []uint64{1<<shift - 1, 1 << shift, 1<<shift + 1} {
			if got, want := uvarintBytes(n), len(binary.AppendUvarint(nil, n)); got != want {
				t.Errorf("%d takes %d bytes, want %d", n, got, want)
			}
			if got, want := varintBytes(int64(n)), len(binary.AppendVarint(nil, int64(n))); got != want {
				t.Errorf("%d takes %d bytes with its sign, want %d", int64(n), got, want)
			}
		}
	}
	if optionalBytes(0) != 0 {
		t.Error("a number that is left out takes bytes")
	}
}
