package sketch

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dchest/siphash"
)

// referenceKey is the key of the test vectors in the appendix of the SipHash paper and its reference code.
var referenceKey = []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}

func newHasher(t testing.TB, key []byte) Hasher {
	t.Helper()
	h, err := NewHasher(key)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestHashIsSipHashOfTagAndID(t *testing.T) {
	h := newHasher(t, referenceKey)
	for _, c := range []struct {
		name string
		tag  byte
		id   []byte
		want uint64
	}{
		{"one byte", 0, nil, 0x74f839c593dc67fd},
		{"fifteen bytes", 0, []byte{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, 0xa129ca6149be45e5},
	} {
		if got := h.Visitor(c.tag, c.id); got != c.want {
			t.Errorf("%s: %016x, want %016x", c.name, got, c.want)
		}
	}
	for _, n := range []int{1, 62, 63, 64, 65, 255, 256, 257, 4096} { // about the ends of the buffers
		id := []byte(strings.Repeat("x", n))
		if got, want := h.Visitor('v', id), siphash.Hash(h.k0, h.k1, append([]byte("v"), id...)); got != want {
			t.Errorf("an id of %d bytes: %016x, want %016x", n, got, want)
		}
	}
}

func TestHashDependsOnKeyAndTag(t *testing.T) {
	a, b := newHasher(t, referenceKey), newHasher(t, bytes.Repeat([]byte{7}, HashKeyBytes))
	id := []byte("x")
	seen := map[uint64]string{}
	for name, hash := range map[string]uint64{
		"key a, visitor": a.Visitor('v', id), "key a, session": a.Visitor('s', id),
		"key b, visitor": b.Visitor('v', id), "key b, session": b.Visitor('s', id),
	} {
		if other, ok := seen[hash]; ok {
			t.Errorf("%s and %s have the same hash %016x", name, other, hash)
		}
		seen[hash] = name
	}
}

func TestHashKeyOfWrongLengthIsRefused(t *testing.T) {
	for _, n := range []int{0, 15, 17, 32} {
		if _, err := NewHasher(make([]byte, n)); err == nil || !strings.Contains(err.Error(), "16") {
			t.Errorf("a key of %d bytes: error %v, want one that names 16", n, err)
		}
	}
}

func TestHashDoesNotAllocate(t *testing.T) {
	h := newHasher(t, referenceKey)
	for _, size := range []int{1, 36, 63, 64, 256} {
		id := bytes.Repeat([]byte{'i'}, size)
		if n := testing.AllocsPerRun(100, func() { h.Visitor('v', id) }); n != 0 {
			t.Errorf("%v allocations for an id of %d bytes, want 0", n, size)
		}
	}
}

// TestPersonsAreToldApart: no two of kind, site and id can be spelled so that their hashes meet.
func TestPersonsAreToldApart(t *testing.T) {
	a, b := newHasher(t, referenceKey), newHasher(t, bytes.Repeat([]byte{7}, HashKeyBytes))
	seen := map[[16]byte]string{}
	for name, hash := range map[string][16]byte{
		"visitor": a.Person('V', []byte("site"), []byte("x")), "user": a.Person('U', []byte("site"), []byte("x")),
		"longer site": a.Person('V', []byte("sitex"), nil), "longer id": a.Person('V', []byte("sit"), []byte("ex")),
		"other key": b.Person('V', []byte("site"), []byte("x")), "other id": a.Person('V', []byte("site"), []byte("y")),
	} {
		if other, ok := seen[hash]; ok {
			t.Errorf("%s and %s have the same hash %x", name, other, hash)
		}
		seen[hash] = name
	}
	site, id := bytes.Repeat([]byte{'s'}, 128), bytes.Repeat([]byte{'i'}, 256)
	if n := testing.AllocsPerRun(100, func() { a.Person('V', site, id) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}
