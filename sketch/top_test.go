package sketch

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// naiveTop is Top's rules told step by step, with a scan for the least row.
type naiveTop struct {
	capacity     int
	rows         []Row
	floor, other uint64
}

func (n *naiveTop) add(value string) {
	i := slices.IndexFunc(n.rows, func(r Row) bool { return r.Value == value })
	if i < 0 {
		if len(n.rows) == n.capacity {
			least := slices.MinFunc(n.rows, func(a, b Row) int {
				return cmp.Or(cmp.Compare(a.Count+a.Error, b.Count+b.Error), cmp.Compare(a.Value, b.Value))
			})
			n.floor = max(n.floor, least.Count+least.Error)
			n.other += least.Count
			n.rows = slices.DeleteFunc(n.rows, func(r Row) bool { return r == least })
		}
		n.rows = append(n.rows, Row{Value: value, Error: n.floor})
		i = len(n.rows) - 1
	}
	n.rows[i].Count++
}

// words draws from a vocabulary in which the first words are frequent, as pages are.
func words(seed uint64, n, vocabulary int) []string {
	z := rand.NewZipf(rand.New(rand.NewPCG(seed, 2)), 1.1, 3, uint64(vocabulary-1))
	w := make([]string, n)
	for i := range w {
		w[i] = fmt.Sprintf("/wiki/%03d", z.Uint64())
	}
	return w
}

func topOf(rows int, words []string) *Top {
	t := NewTop(rows)
	for _, w := range words {
		t.Add([]byte(w))
	}
	return t
}

func encodeTop(t testing.TB, top *Top) []byte {
	t.Helper()
	b, err := top.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func decodeTopBytes(t testing.TB, b []byte) *Top {
	t.Helper()
	var top Top
	if err := top.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	return &top
}

// After every Add the state is that of the rules told step by step, also when it has just been through bytes.
func TestTopFollowsTheRules(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		capacity := 1 + r.IntN(12)
		top, naive := NewTop(capacity), naiveTop{capacity: capacity}
		for i, w := range words(seed, 1500, 2+r.IntN(60)) {
			top.Add([]byte(w))
			naive.add(w)
			if r.IntN(50) == 0 {
				top = decodeTopBytes(t, encodeTop(t, top))
			}
			want := slices.Clone(naive.rows)
			slices.SortFunc(want, byRank)
			if got := top.Rows(); !slices.Equal(got, want) || top.Floor() != naive.floor || top.Other() != naive.other {
				t.Fatalf("seed %d, Add %d of %q: rows %v, floor %d, other %d, want %v, %d, %d",
					seed, i, w, got, top.Floor(), top.Other(), want, naive.floor, naive.other)
			}
		}
	}
}

// The counts of the rows and Other add up to the number of Adds, and each value was seen as often as its row says.
func TestTopTotalsAreExactAndBoundsHold(t *testing.T) {
	for _, capacity := range []int{1, 7, 50, 512} {
		all := words(uint64(capacity), 20_000, 2000)
		top := topOf(capacity, all)
		seen := map[string]uint64{}
		for _, w := range all {
			seen[w]++
		}
		total := top.Other()
		for _, r := range top.Rows() {
			total += r.Count
			if n := seen[r.Value]; n < r.Count || n > r.Rank() {
				t.Errorf("%d rows: %s was seen %d times, its row says %d to %d", capacity, r.Value, n, r.Count, r.Rank())
			}
			delete(seen, r.Value)
		}
		if total != uint64(len(all)) {
			t.Errorf("%d rows: counts and other are %d, want %d", capacity, total, len(all))
		}
		for w, n := range seen {
			if n > top.Floor() {
				t.Errorf("%d rows: %s has no row, but was seen %d times, more than the floor %d", capacity, w, n, top.Floor())
			}
			if n > uint64(len(all)/capacity) {
				t.Errorf("%d rows: %s was seen %d times, more than Adds/rows, and has no row", capacity, w, n)
			}
		}
	}
}

func TestTopIsExactWhileThereIsRoom(t *testing.T) {
	top := NewTop(3)
	for _, v := range []string{"b", "a", "", "b", "b", "a"} {
		top.Add([]byte(v))
	}
	want := []Row{{"b", 3, 0}, {"a", 2, 0}, {"", 1, 0}}
	if got := top.Rows(); !slices.Equal(got, want) || top.Floor() != 0 || top.Other() != 0 {
		t.Errorf("rows %v, floor %d, other %d, want %v and zeros", got, top.Floor(), top.Other(), want)
	}
}

func TestTopEvictsTheLeastByBytesOfEquals(t *testing.T) {
	top := topOf(3, []string{"c", "a", "b", "d"})
	want := []Row{{"d", 1, 1}, {"b", 1, 0}, {"c", 1, 0}}
	if got := top.Rows(); !slices.Equal(got, want) || top.Floor() != 1 || top.Other() != 1 {
		t.Errorf("rows %v, floor %d, other %d, want %v, 1 and 1", got, top.Floor(), top.Other(), want)
	}
}

func TestTopWithoutRowsCountsOther(t *testing.T) {
	var top Top
	for range 3 {
		top.Add([]byte("x"))
	}
	if len(top.Rows()) != 0 || top.Other() != 3 || top.Floor() != 3 {
		t.Errorf("rows %v, other %d, floor %d, want none, 3 and 3", top.Rows(), top.Other(), top.Floor())
	}
	if !decodeTopBytes(t, encodeTop(t, &top)).Equal(&top) {
		t.Error("another top comes back")
	}
}

func TestTopOfImpossibleSizePanics(t *testing.T) {
	for _, rows := range []int{-1, MaxRows + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a top of %d rows was made", rows)
				}
			}()
			NewTop(rows)
		}()
	}
}

func TestTopKeepsNoReferenceToValues(t *testing.T) {
	top := NewTop(2)
	value := []byte("first")
	top.Add(value)
	copy(value, "other")
	if got := top.Rows()[0].Value; got != "first" {
		t.Errorf("the row's value became %q with the caller's buffer", got)
	}
}

func TestTopCloneSharesNothing(t *testing.T) {
	all := words(4, 2000, 100)
	for _, n := range []int{0, 5, 2000} {
		top := topOf(20, all[:n])
		c := top.Clone()
		if !c.Equal(top) {
			t.Fatalf("the clone after %d Adds is not equal", n)
		}
		for _, w := range words(5, 500, 300) {
			c.Add([]byte(w))
		}
		if !top.Equal(topOf(20, all[:n])) {
			t.Errorf("adding to the clone changed the top of %d Adds", n)
		}
	}
}

func TestTopEqualSeesEveryDifference(t *testing.T) {
	base := topOf(3, []string{"a", "b", "c", "d"})
	for name, o := range map[string]*Top{
		"another capacity":    topOf(4, []string{"a", "b", "c", "d"}),
		"another count":       topOf(3, []string{"a", "b", "c", "d", "d"}),
		"another value":       topOf(3, []string{"a", "b", "c", "e"}),
		"a row less":          topOf(3, []string{"a", "b"}),
		"another error":       topOf(3, []string{"d", "b", "c"}),
		"another other":       {capacity: 3, index: base.index, rows: base.rows, floor: base.floor, other: base.other + 1},
		"another floor":       {capacity: 3, index: base.index, rows: base.rows, floor: base.floor + 1, other: base.other},
		"nothing but numbers": {capacity: 3, floor: base.floor, other: base.other},
	} {
		if base.Equal(o) || o.Equal(base) {
			t.Errorf("%s: equal", name)
		}
	}
	if !base.Equal(topOf(3, []string{"c", "b", "a", "d"})) {
		t.Error("the same rows in other places are not equal")
	}
}

// Readers see the parts of several partitions: what they merge bounds each value as the rows of one part do.
func TestMergedTopsBoundEveryValue(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for round := range 40 {
		all := words(uint64(round), 5000, 300)
		parts := make([]*Top, 1+r.IntN(5))
		for i := range parts {
			parts[i] = NewTop(10 + r.IntN(30))
		}
		seen := map[string]uint64{}
		for _, w := range all {
			parts[r.IntN(len(parts))].Add([]byte(w))
			seen[w]++
		}
		merged := MergeTops(0, parts...)
		total := uint64(0)
		for _, p := range parts {
			total += p.Other()
		}
		for _, m := range merged {
			total += m.Count
			if n := seen[m.Value]; n < m.Count || n > m.Rank() {
				t.Fatalf("round %d: %s was seen %d times, the merged row says %d to %d", round, m.Value, n, m.Count, m.Rank())
			}
		}
		if total != uint64(len(all)) {
			t.Fatalf("round %d: counts and others are %d, want %d", round, total, len(all))
		}
		r.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		if again := MergeTops(0, parts...); !slices.Equal(again, merged) {
			t.Fatalf("round %d: another order of parts merges to other rows", round)
		}
		if few := MergeTops(5, parts...); !slices.Equal(few, merged[:5]) {
			t.Fatalf("round %d: five rows are %v, want %v", round, few, merged[:5])
		}
	}
}

func TestMergeTopsAddsTheFloorsOfThoseThatLackAValue(t *testing.T) {
	a := topOf(2, []string{"x", "x", "x", "p", "q", "q"}) // q replaced p: floor 1
	b := topOf(2, []string{"x", "y", "y", "y"})           // floor 0
	c := topOf(1, []string{"z", "z", "y"})                // y replaced z: floor 2
	got := MergeTops(0, a, b, c)
	want := []Row{{"x", 4, 2}, {"y", 4, 3}, {"q", 2, 3}}
	slices.SortFunc(want, byRank)
	if !slices.Equal(got, want) {
		t.Errorf("merged %v, want %v", got, want)
	}
	if rows := MergeTops(10); len(rows) != 0 {
		t.Errorf("no tops merge to %v", rows)
	}
}

func TestTopBytesStayReadable(t *testing.T) {
	for _, c := range []struct {
		file string
		top  *Top
	}{
		{"top-empty.hex", NewTop(50)},
		{"top-full.hex", topOf(8, words(7, 500, 40))},
	} {
		got := encodeTop(t, c.top)
		want := golden(t, c.file, got)
		if string(got) != string(want) {
			t.Errorf("%s: other bytes are written now: %d, then %d", c.file, len(got), len(want))
		}
		if !decodeTopBytes(t, want).Equal(c.top) {
			t.Errorf("%s: read as another top", c.file)
		}
	}
}

func TestTopRoundTripKeepsTheState(t *testing.T) {
	long := strings.Repeat("long/", 100)
	for name, top := range map[string]*Top{
		"empty":       NewTop(50),
		"with room":   topOf(50, words(8, 100, 20)),
		"full":        topOf(50, words(8, 10_000, 1000)),
		"largest":     topOf(MaxRows, words(8, 1000, 1000)),
		"odd values":  topOf(9, []string{"", "\x00", "\xff\xfe", "a", "aa", "a\x00", "日本", "日", strings.Repeat("y", 5000)}),
		"long shared": topOf(9, []string{long, long + "a", long + "b", long[:255], long[:254], long[:256]}),
	} {
		b := encodeTop(t, top)
		back := decodeTopBytes(t, b)
		if again := encodeTop(t, back); !back.Equal(top) || string(again) != string(b) {
			t.Errorf("%s: another state or other bytes come back", name)
		}
		for _, w := range words(9, 3000, 500) {
			top.Add([]byte(w))
			back.Add([]byte(w))
		}
		if !back.Equal(top) {
			t.Errorf("%s: counting on ends differently", name)
		}
	}
}

// A realtime minute's 50 pages of 30 bytes, with a sketch of visitors beside them, stay under 3 KB.
func TestTopBytesAreFew(t *testing.T) {
	top := NewTop(50)
	r := rand.New(rand.NewPCG(10, 10))
	for range 100_000 {
		top.Add(fmt.Appendf(nil, "/%c%08x/%08x-an-article", 'a'+r.IntN(26), r.Uint32(), r.Uint32()))
	}
	if n := len(encodeTop(t, top)); n > 2000 {
		t.Errorf("%d bytes for 50 rows of 30 bytes, want at most 2,000", n)
	}
}

func TestTopDamagedBytesAreRefused(t *testing.T) {
	receiver := topOf(5, []string{"kept", "kept"})
	before := receiver.Clone()
	refused := func(t *testing.T, name string, b []byte) {
		t.Helper()
		if err := receiver.UnmarshalBinary(b); err == nil {
			t.Errorf("%s: accepted", name)
		} else if !strings.HasPrefix(err.Error(), "top: ") {
			t.Errorf("%s: error %q does not say what was read", name, err)
		}
		if !receiver.Equal(before) {
			t.Fatalf("%s: the receiver changed", name)
		}
	}
	good := encodeTop(t, topOf(4, words(11, 200, 30)))
	for bit := range 8 * len(good) {
		b := slices.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		refused(t, "one bit flipped", b)
	}
	for n := range good {
		refused(t, "cut", good[:n])
	}
	for name, body := range map[string]string{
		"nothing":                     "",
		"another mark":                "U\x02\x00\x00\x00",
		"no numbers":                  "T",
		"capacity above the largest":  "T\x81\x80\x04\x00\x00\x00",
		"a number of 2^61":            "T\x02\x80\x80\x80\x80\x80\x80\x80\x80\x20\x01\x00",
		"a number over 64 bits":       "T\x02\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x00\x00",
		"a number in too many bytes":  "T\x82\x00\x00\x00\x00",
		"more rows than the capacity": "T\x01\x00\x00\x02\x00\x01a\x01\x00\x00\x01b\x01\x00",
		"rows that are not there":     "T\x05\x00\x00\x05",
		"floor without other":         "T\x01\x01\x00\x01\x00\x01a\x01\x00",
		"evicted while there is room": "T\x02\x01\x01\x01\x00\x01a\x01\x00",
		"count 0":                     "T\x02\x00\x00\x01\x00\x01a\x00\x00",
		"error above the floor":       "T\x01\x01\x01\x01\x00\x01a\x01\x02",
		"values not ascending":        "T\x02\x00\x00\x02\x00\x01b\x01\x00\x00\x01a\x01\x00",
		"a value twice":               "T\x02\x00\x00\x02\x00\x01a\x01\x00\x01\x00\x01\x00",
		"shared with nothing":         "T\x02\x00\x00\x01\x01\x01a\x01\x00",
		"less shared than there is":   "T\x02\x00\x00\x02\x00\x01a\x01\x00\x00\x02ab\x01\x00",
		"a value cut off":             "T\x02\x00\x00\x01\x00\x05a\x01\x00",
		"a row cut off":               "T\x02\x00\x00\x01\x00\x01a\x01",
		"bytes left over":             "T\x02\x00\x00\x01\x00\x01a\x01\x00\x00",
	} {
		refused(t, name, seal(append([]byte{version}, body...), 0))
	}
	refused(t, "version 2", seal([]byte("\x02T\x02\x00\x00\x00"), 0))
	refused(t, "a sketch of uniques", encode(t, sketchOf(NewHour(), hashes(1, 3))))
}

func TestTopAddOfAPresentValueDoesNotAllocate(t *testing.T) {
	top := topOf(50, words(12, 10_000, 1000))
	value := []byte(top.Rows()[49].Value)
	if n := testing.AllocsPerRun(100, func() { top.Add(value) }); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// FuzzTopBytes decodes the bytes as they are and, so that the CRC hides nothing, as the body of sealed ones.
func FuzzTopBytes(f *testing.F) {
	for _, top := range []*Top{NewTop(0), NewTop(50), topOf(8, words(13, 500, 40)), topOf(3, []string{"", "ab", "abc"})} {
		b := encodeTop(f, top)
		f.Add(b)
		f.Add(b[1 : len(b)-crcBytes])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, seal(append([]byte{version}, data...), 0)} {
			top := topOf(2, []string{"a", "b", "c"})
			before := top.Clone()
			var err error
			// A row takes 4 bytes at least, and no more than 300 or so for itself, what it shares, and the index.
			if n := allocated(func() { err = top.UnmarshalBinary(b) }); n > 64<<10+256*uint64(len(b)) {
				t.Errorf("%d bytes allocated for %d", n, len(b))
			}
			if err != nil {
				if !top.Equal(before) {
					t.Errorf("the receiver changed although the bytes were refused: %v", err)
				}
				continue
			}
			// Nothing is spelled in two ways, so what was accepted is what would be written.
			if again := encodeTop(t, top); string(again) != string(b) {
				t.Errorf("% x is written as % x", b, again)
			}
			for _, w := range []string{"a", "new", "newer", "a"} {
				top.Add([]byte(w))
			}
			if !decodeTopBytes(t, encodeTop(t, top)).Equal(top) {
				t.Error("counting on and a round trip end in another state")
			}
		}
	})
}

// TestAddTimesIsAddSoOften: weights are repetitions.
func TestAddTimesIsAddSoOften(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, rows := range []int{0, 1, 3, 20} {
		once, each := NewTop(rows), NewTop(rows)
		for range 2000 {
			value, n := strconv.Itoa(int(rng.ExpFloat64()*5)), rng.Uint64N(4)
			once.AddTimes(value, n)
			for range n {
				each.AddString(value)
			}
		}
		if !once.Equal(each) {
			t.Errorf("%d rows: %v, floor %d and other %d; one by one %v, %d and %d", rows, once.Rows(), once.Floor(), once.Other(), each.Rows(),
				each.Floor(), each.Other())
		}
	}
}
