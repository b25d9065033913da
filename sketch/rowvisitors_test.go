package sketch

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// After each hash the visitors take as many bytes as add says, and as few as their form allows.
func TestRowVisitorsKnowTheirBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 50))
	v, known := newRowVisitors(), 1
	for n := range 6000 {
		h := r.Uint64()
		if n%20 == 0 {
			h = h>>54<<54 | h&(1<<40-1) // Its register becomes 15 at least.
		}
		known += v.add(h)
		if n > 2000 && n%50 > 0 {
			continue
		}
		counted := rowVisitors{u: v.u}
		counted.count()
		b := counted.append(nil)
		if got := len(b); got != known || got != v.bytes() {
			t.Fatalf("after %d hashes: %d bytes, bytes says %d, adding up what add returned gives %d", n+1, got, v.bytes(), known)
		}
		if string(v.append(nil)) != string(b) {
			t.Fatalf("after %d hashes: other bytes than those of registers that are counted anew", n+1)
		}
	}
	if known < 513+200 || known > 513+300 {
		t.Errorf("%d bytes in the end, want 513 and those of some 260 high registers", known)
	}
}

// Raised by a hash at a time or merged from parts, a row's visitors are those of the whole, and so are their bytes.
func TestRowVisitorsMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 51))
	for _, n := range []int{0, 1, 60, 64, 65, 66, 200, 300, 400, 30_000} {
		whole := newRowVisitors()
		parts := []rowVisitors{newRowVisitors(), newRowVisitors(), newRowVisitors()}
		for range n {
			h := r.Uint64()
			whole.add(h)
			parts[r.IntN(3)].add(h)
		}
		for i := range parts[1:] {
			parts[0].merge(&parts[i+1])
		}
		if got := parts[0]; !got.u.Equal(&whole.u) || got.filled != whole.filled || got.tall != whole.tall {
			t.Errorf("%d hashes merge to %d registers, %d of them tall, want %d and %d",
				n, got.filled, got.tall, whole.filled, whole.tall)
		}
	}
}

func TestRowVisitorsAreWrittenInOneForm(t *testing.T) {
	body := func(head byte, rest ...byte) string { return string(append([]byte{traits[rowly].mark, head}, rest...)) }
	pairs := func(n int) (b []byte) {
		for i := range n {
			b = append(b, byte(i>>2), byte(i<<6|1))
		}
		return b
	}
	filled := func(n int, half byte) []byte { return append(slices.Repeat([]byte{half}, n), make([]byte, 512-n)...) }
	own := func(n int, b byte) []byte { return append(filled(128, 0x1f), slices.Repeat([]byte{b}, n)...) }
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"255 registers one by one":           {body(headFew, append([]byte{255}, pairs(255)...)...), true},
		"256 registers as half bytes":        {body(headHalf, filled(128, 0x11)...), true},
		"255 registers as half bytes":        {body(headHalf, append(filled(127, 0x11), 0)...), false},
		"no register one by one":             {body(headFew, 0), false},
		"a register that is 0":               {body(headFew, 1, 0, 0), false},
		"a register twice":                   {body(headFew, 2, 0, 1, 0, 1), false},
		"registers not ascending":            {body(headFew, 2, 0, 0x41, 0, 1), false},
		"a register too high, one by one":    {body(headFew, 1, 0, 56), false},
		"the highest register":               {body(headFew, 1, 0, 55), true},
		"registers cut off":                  {body(headFew, 2, 0, 1), false},
		"half bytes cut off":                 {body(headHalf, filled(128, 0x11)[:511]...), false},
		"a byte of its own":                  {body(headHalf, own(128, 15)...), true},
		"a byte of its own that is too low":  {body(headHalf, own(128, 14)...), false},
		"a byte of its own that is too high": {body(headHalf, own(128, 56)...), false},
		"a byte of its own that is missing":  {body(headHalf, own(127, 15)...), false},
		"another head":                       {body(67), false},
		"hashes cut off":                     {body(2, 1, 2, 3, 4, 5, 6, 7, 8), false},
		"hashes not ascending":               {body(2, []byte("22222222"+"11111111")...), false},
		"bytes left over":                    {body(0, 0), false},
		"no head":                            {string(traits[rowly].mark), false},
	} {
		u := sketchOf(NewHour(), hashes(52, 3))
		before := u.Clone()
		switch err := u.UnmarshalBinary(sealed(c.body)); {
		case c.ok && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.ok && string(encode(t, u)) != string(sealed(c.body)):
			t.Errorf("%s: written in another form", name)
		case !c.ok && err == nil:
			t.Errorf("%s: accepted", name)
		case !c.ok && (!u.Equal(before) || !strings.HasPrefix(err.Error(), "sketch of uniques: ")):
			t.Errorf("%s: the receiver changed, or error %q does not say what was read", name, err)
		}
	}
}
