package sketch

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// After each hash the visitors take as many bytes as add says, and as few as their form allows.
func TestRowVisitorsKnowTheirBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(50, 50))
	v, known := newRowVisitors(), 1
	for n := range 20_000 {
		h := r.Uint64()
		if n%64 == 0 {
			h = h>>52<<52 | h&(1<<38-1) // Its register becomes 15 at least.
		}
		known += v.add(h, nil)
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
	if known < 2049+250 || known > 2049+350 {
		t.Errorf("%d bytes in the end, want 2,049 and those of some 300 high registers", known)
	}
}

// Raised by a hash at a time or merged from parts, a row's visitors are those of the whole, and so are their bytes.
func TestRowVisitorsMerge(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 51))
	for _, n := range []int{0, 1, 60, 64, 65, 66, 200, 300, 400, 850, 3000, 30_000} {
		whole := newRowVisitors()
		parts := []rowVisitors{newRowVisitors(), newRowVisitors(), newRowVisitors()}
		for range n {
			h := r.Uint64()
			whole.add(h, nil)
			parts[r.IntN(3)].add(h, nil)
		}
		for i := range parts[1:] {
			parts[0].merge(&parts[i+1])
		}
		if got := parts[0]; !got.u.Equal(&whole.u) || got.filled != whole.filled || got.tall != whole.tall || got.sum != whole.sum {
			t.Errorf("%d hashes merge to %d registers, %d of them tall, of sum %d, want %d, %d and %d",
				n, got.filled, got.tall, got.sum, whole.filled, whole.tall, whole.sum)
		}
	}
}

// rowBody are the bytes of a row's visitors without version and CRC: the head, and bits such as "110 01", which zeros fill up.
func rowBody(head byte, rest string, digits ...string) string {
	w := bitWriter{to: append([]byte{traits[rowly].mark, head}, rest...)}
	for _, d := range strings.Join(digits, "") {
		if d != ' ' {
			w.put(uint64(d-'0'), 1)
		}
	}
	return string(w.end())
}

func TestRowVisitorsAreWrittenInOneForm(t *testing.T) {
	times := strings.Repeat
	ones := func(n int) string { return times("1", n) }
	one := "\x0b" // one register above 0: two groups of 2^11
	// 1,023 registers of 1 lie in the first 256 groups of four.
	groups := times("10 00 10 01 10 10 10 11 0", 255) + "10 00 10 01 10 10 0" + times("0", 768)
	filled := func(n int, half byte) string { return times(string([]byte{half}), n) + times("\x00", 2048-n) }
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"a register in groups":                {rowBody(headGroups, one, "10 00000000101 0 0"), true},
		"the last register":                   {rowBody(headGroups, one, "0 110 11111111111 0"), true},
		"the highest register":                {rowBody(headGroups, one, ones(53), "0 00000000101 0 0"), true},
		"a register too high":                 {rowBody(headGroups, one, ones(54), "0 00000000101 0 0"), false},
		"a register of ones alone":            {rowBody(headGroups, one, ones(200)), false},
		"other groups":                        {rowBody(headGroups, "\x0a", "10 0000000101 0 0 0 0"), false},
		"groups larger than all":              {rowBody(headGroups, "\x0c", "10 000000000101 0"), false},
		"no register in groups":               {rowBody(headGroups, one, "0 0"), false},
		"a register twice":                    {rowBody(headGroups, "\x0a", "10 0000000101 10 0000000101 0 0 0 0"), false},
		"registers not ascending":             {rowBody(headGroups, "\x0a", "10 0000000101 10 0000000100 0 0 0 0"), false},
		"registers ascending":                 {rowBody(headGroups, "\x0a", "10 0000000101 10 0000000111 0 0 0 0"), true},
		"groups cut off":                      {rowBody(headGroups, one, "10 00000"), false},
		"the group's size cut off":            {rowBody(headGroups, ""), false},
		"bits after the last group":           {rowBody(headGroups, one, "10 00000000101 0 0 1"), false},
		"1,023 registers in groups":           {rowBody(headGroups, "\x02", groups), true},
		"1,023 registers in unary":            {rowBody(headUnary, "", times("10", 1023), times("0", 3073)), false},
		"1,024 registers in unary":            {rowBody(headUnary, "", times("10", 1024), times("0", 3072)), true},
		"1,024 registers as half bytes":       {rowBody(headHalf, filled(512, 0x11)), false},
		"unary cut off":                       {rowBody(headUnary, "", times("10", 1024), times("0", 3064)), false},
		"bits after the last register":        {rowBody(headUnary, "", times("10", 1023), "110", times("0", 3072), "1"), false},
		"unary that half bytes are less than": {rowBody(headUnary, "", times("11110", 4096)), false},
		"half bytes":                          {rowBody(headHalf, filled(2048, 0x44)), true},
		"half bytes that unary is less than":  {rowBody(headHalf, filled(2048, 0x22)), false},
		"half bytes cut off":                  {rowBody(headHalf, filled(2048, 0x44)[:2047]), false},
		"a byte of its own":                   {rowBody(headHalf, filled(2048, 0x4f)+times("\x0f", 2048)), true},
		"a byte of its own that is too low":   {rowBody(headHalf, filled(2048, 0x4f)+times("\x0e", 2048)), false},
		"a byte of its own that is too high":  {rowBody(headHalf, filled(2048, 0x4f)+times("\x36", 2048)), false},
		"a byte of its own that is missing":   {rowBody(headHalf, filled(2048, 0x4f)+times("\x0f", 2047)), false},
		"another head":                        {rowBody(68, ""), false},
		"hashes cut off":                      {rowBody(2, "12345678"), false},
		"hashes not ascending":                {rowBody(2, "2222222211111111"), false},
		"bytes left over":                     {rowBody(0, "0"), false},
		"no head":                             {string(traits[rowly].mark), false},
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

// The figures of a row's visitors: exact to 64, then a standard error of 1.63 %, 95 of 100 sets within 3.3 %. Of 4,000 sets the standard
// error is itself measured within 2 %, of the 500 larger ones within 5 %. While many registers are 0, errors are smaller.
func TestErrorOfRowsIsWithinTheStatedBound(t *testing.T) {
	const trials = 4000
	counts := []int{RowExact, RowExact + 1, 200, 1000, 3000, 5000, 10_000, 30_000}
	errs := make([][]float64, len(counts))
	for trial := range trials {
		r := rand.New(rand.NewPCG(uint64(trial), 53))
		u := NewRow()
		n := 0
		for i, upTo := range counts {
			if upTo > 3000 && trial >= trials/8 {
				break
			}
			for ; n < upTo; n++ {
				u.Add(r.Uint64())
			}
			errs[i] = append(errs[i], (float64(u.Estimate())-float64(n))/float64(n))
		}
	}
	for i, n := range counts {
		squares, sum := 0.0, 0.0
		for j, e := range errs[i] {
			squares, sum = squares+e*e, sum+e
			errs[i][j] = math.Abs(e)
		}
		slices.Sort(errs[i])
		trials := len(errs[i])
		standard, p95 := math.Sqrt(squares/float64(trials)), errs[i][trials*95/100]
		t.Logf("%6d visitors: standard error %.2f %%, p95 %.2f %%, mean %+.2f %%", n, 100*standard, 100*p95, 100*sum/float64(trials))
		if n <= RowExact && standard != 0 {
			t.Errorf("%d visitors: standard error %.2f %%, want 0", n, 100*standard)
		}
		if standard > 0.0163*1.05 || p95 > 0.033 {
			t.Errorf("%d visitors: standard error %.2f %%, p95 %.2f %%, want at most 1.63 %% and 3.3 %%", n, 100*standard, 100*p95)
		}
	}
}

// How many bytes a row's visitors take, as the comment of rowVisitors says.
func TestBytesOfRowVisitors(t *testing.T) {
	for _, c := range []struct{ visitors, most int }{{65, 90}, {300, 300}, {1000, 720}, {3000, 1250}, {10_000, 2050}, {100_000, 2080}} {
		v := newRowVisitors()
		for _, h := range hashes(54, c.visitors) {
			v.add(h, nil)
		}
		t.Logf("%6d visitors: %4d bytes, %4d in memory", c.visitors, v.bytes(), len(v.u.regs))
		if v.bytes() > c.most {
			t.Errorf("%d visitors: %d bytes, want at most %d", c.visitors, v.bytes(), c.most)
		}
	}
}

// TestVisitorLengthensRowByNineBytesAtMost adds visitors whose registers are as high as can be, and drawn ones, to a row: callers reserve
// room for a visitor before the row has it.
func TestVisitorLengthensRowByNineBytesAtMost(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, hash := range map[string]func(i uint64) uint64{
		"drawn":               func(uint64) uint64 { return rng.Uint64() },
		"high, each its own":  func(i uint64) uint64 { return i << (64 - RowPrecision) },
		"one register, rises": func(i uint64) uint64 { return 1 << (i % (64 - RowPrecision)) },
		"high among drawn ones": func(i uint64) uint64 {
			if i%5 > 0 {
				return rng.Uint64()
			}
			return rng.Uint64N(rowRegisters) << (64 - RowPrecision)
		},
	} {
		v := newRowVisitors()
		for i := range uint64(3 * rowRegisters) {
			if more := v.add(hash(i), nil); more > 9 {
				t.Fatalf("%s: visitor %d lengthens the row by %d bytes", name, i, more)
			}
		}
	}
}
