package sketch

import (
	"encoding/hex"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares bytes with testdata/name, which holds them in hexadecimal: tables hold such bytes for years.
func golden(t *testing.T, name string, got []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(wrapped(hex.EncodeToString(got))), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := hex.DecodeString(strings.Join(strings.Fields(string(text)), ""))
	if err != nil {
		t.Fatal(err)
	}
	return want
}

func wrapped(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := min(96, len(s))
		b.WriteString(s[:n] + "\n")
		s = s[n:]
	}
	return b.String()
}

func TestBytesStayReadable(t *testing.T) {
	for _, c := range []struct {
		file string
		u    *Uniques
	}{
		{"uniques-empty.hex", NewHour()},
		{"uniques-exact.hex", sketchOf(NewHour(), append(hashes(20, 5), 0))},
		{"uniques-minute.hex", sketchOf(NewMinute(), hashes(21, 300))},
		{"uniques-hour.hex", sketchOf(NewHour(), hashes(22, 1500))},
		{"uniques-row-exact.hex", sketchOf(NewRow(), hashes(20, 5))},
		{"uniques-row-groups.hex", sketchOf(NewRow(), hashes(21, 70))},
		{"uniques-row-unary.hex", sketchOf(NewRow(), hashes(21, 1500))},
		{"uniques-row-half.hex", sketchOf(NewRow(), hashes(22, 20_000))},
	} {
		got := encode(t, c.u)
		want := golden(t, c.file, got)
		if string(got) != string(want) {
			t.Errorf("%s: other bytes are written now: %d, then %d", c.file, len(got), len(want))
		}
		if !decode(t, want).Equal(c.u) {
			t.Errorf("%s: read as another sketch", c.file)
		}
	}
}

func TestRoundTripKeepsTheState(t *testing.T) {
	for _, k := range kinds {
		for _, n := range []int{0, 1, 2, 16, 17, k.exact - 1, k.exact, k.exact + 1, 5000, 200_000} {
			u := sketchOf(k.make(), hashes(uint64(n), n))
			b := append([]byte("before"), encode(t, u)...)
			if again, err := u.AppendBinary([]byte("before")); err != nil || string(again) != string(b) {
				t.Errorf("%s of %d: appending to something gives other bytes", k.name, n)
			}
			back := decode(t, b[len("before"):])
			clear(b) // the sketch must keep nothing of it
			if !back.Equal(u) || back.Entries() != u.Entries() || back.Estimate() != u.Estimate() {
				t.Errorf("%s of %d: another state comes back", k.name, n)
			}
			more := hashes(99, 3000)
			if !sketchOf(back, more).Equal(sketchOf(u, more)) {
				t.Errorf("%s of %d: counting on ends differently", k.name, n)
			}
		}
	}
}

func TestEqualSketchesHaveEqualBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 23))
	for _, k := range kinds {
		for _, n := range []int{10, 100, k.exact, 5000} {
			all := hashes(uint64(n), n)
			first := encode(t, sketchOf(k.make(), all))
			for range 20 {
				r.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
				if got := encode(t, sketchOf(k.make(), all)); string(got) != string(first) {
					t.Fatalf("%s of %d: another order of Adds gives other bytes", k.name, n)
				}
			}
		}
	}
}

// A part of at most 16 entries rides in the hour's stats item, a realtime item keeps under 3 KB with its top rows, and
// a full hour fits in 7 write units.
func TestBytesAreFew(t *testing.T) {
	for _, c := range []struct {
		name string
		u    *Uniques
		most int
	}{
		{"16 entries", sketchOf(NewHour(), hashes(24, 16)), 16*8 + 7},
		{"a minute at its limit", sketchOf(NewMinute(), hashes(25, MinuteExact)), MinuteExact*8 + 7},
		{"a minute of registers", sketchOf(NewMinute(), hashes(26, 5000)), 420},
		{"an hour just dense", sketchOf(NewHour(), hashes(27, 1025)), 2_600},
		{"an hour of 1 M", sketchOf(NewHour(), hashes(28, 1_000_000)), 6_200},
	} {
		if n := len(encode(t, c.u)); n > c.most {
			t.Errorf("%s: %d bytes, want at most %d", c.name, n, c.most)
		}
	}
}

func TestRegistersThatDoNotCompressAreWrittenWhole(t *testing.T) {
	even := NewHour()
	even.toRegisters()
	for i := range even.regs {
		even.regs[i] = 3
	}
	spread := NewMinute()
	spread.toRegisters()
	for i := range spread.regs {
		spread.regs[i] = byte(i % 56)
	}
	for name, u := range map[string]*Uniques{"all equal": even, "evenly spread": spread} {
		b := encode(t, u)
		t.Logf("%s: form %d, %d bytes", name, b[2], len(b))
		if !decode(t, b).Equal(u) {
			t.Errorf("%s: another sketch comes back", name)
		}
		if name == "all equal" && b[2] != formRegisters {
			t.Errorf("%s: form %d, want %d", name, b[2], formRegisters)
		}
	}
}

// Every damage of one bit, every cut and every unknown form is refused, and the receiver stays what it was.
func TestDamagedBytesAreRefused(t *testing.T) {
	receiver := sketchOf(NewHour(), hashes(30, 40))
	before := receiver.Clone()
	refused := func(t *testing.T, name string, b []byte) {
		t.Helper()
		if err := receiver.UnmarshalBinary(b); err == nil {
			t.Errorf("%s: accepted", name)
		} else if !strings.HasPrefix(err.Error(), "sketch of uniques: ") {
			t.Errorf("%s: error %q does not say what was read", name, err)
		}
		if !receiver.Equal(before) {
			t.Fatalf("%s: the receiver changed", name)
		}
	}
	for _, u := range []*Uniques{sketchOf(NewHour(), hashes(31, 3)), sketchOf(NewMinute(), hashes(32, 500))} {
		good := encode(t, u)
		for bit := range 8 * len(good) {
			b := append([]byte(nil), good...)
			b[bit/8] ^= 1 << (bit % 8)
			refused(t, "one bit flipped", b)
		}
		for n := range good {
			refused(t, "cut", good[:n])
		}
		refused(t, "a byte more", append(append([]byte(nil), good...), 0))
	}

	dense := sketchOf(NewMinute(), hashes(33, 500))
	axiom := func(change func(b []byte) []byte) []byte {
		return append([]byte{MinutePrecision, formRegisters}, change(dense.appendDense(nil))...)
	}
	for name, body := range map[string][]byte{
		"no precision":                   {},
		"no form":                        {14},
		"precision 13":                   {13, formExact},
		"precision 0":                    {0, formExact},
		"form 3":                         {14, 3},
		"half a hash":                    {14, formExact, 1, 2, 3, 4},
		"hashes not ascending":           append([]byte{14, formExact}, "22222222"+"11111111"...),
		"a hash twice":                   append([]byte{14, formExact}, "11111111"+"11111111"...),
		"more hashes than the limit":     append([]byte{10, formExact}, ascending(MinuteExact+1)...),
		"registers of another precision": append([]byte{HourPrecision, formRegisters}, dense.appendDense(nil)...),
		"a register too few":             axiom(func(b []byte) []byte { return b[:len(b)-1] }),
		"a register too high":            axiom(func(b []byte) []byte { b[100] = 56; return b }),
		"axiomhq's first version":        axiom(func(b []byte) []byte { b[0] = 1; return b }),
		"packed nothing":                 {10, formHuff0},
		"packed rubbish":                 append([]byte{10, formHuff0}, ascending(20)...),
		"packed for another precision":   append([]byte{14}, encode(t, dense)[2:len(encode(t, dense))-crcBytes]...),
	} {
		refused(t, name, seal(append([]byte{version}, body...), 0))
	}
	refused(t, "version 2", seal(append([]byte{2}, encode(t, dense)[1:]...), 0))
	refused(t, "a top", func() []byte { b, _ := NewTop(3).AppendBinary(nil); return b }())
}

func ascending(hashes int) []byte {
	var b []byte
	for i := range hashes {
		b = append(b, 0, 0, 0, 0, 0, 0, 1, byte(i))
	}
	return b
}

// allocated returns how many bytes f allocates, with whatever else the process allocates meanwhile.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// sealed makes a body the bytes of a sketch, so that the CRC hides nothing.
func sealed(body string) []byte { return seal(append([]byte{version}, body...), 0) }

// FuzzUniquesBytes decodes the bytes as they are and, so that the CRC hides nothing, as the body of sealed ones.
func FuzzUniquesBytes(f *testing.F) {
	for _, k := range kinds {
		for _, n := range []int{0, 3, k.exact, k.exact + 1, 3 * k.exact} {
			b := encode(f, sketchOf(k.make(), hashes(40, n)))
			f.Add(b)
			f.Add(b[1 : len(b)-crcBytes])
		}
	}
	f.Add(append([]byte{MinutePrecision, formRegisters}, sketchOf(NewMinute(), hashes(41, 300)).appendDense(nil)...))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, b := range [][]byte{data, seal(append([]byte{version}, data...), 0)} {
			u := sketchOf(NewMinute(), []uint64{1, 2, 3})
			before := u.Clone()
			var err error
			if n := allocated(func() { err = u.UnmarshalBinary(b) }); n > 64<<10 {
				t.Errorf("%d bytes allocated for %d", n, len(b))
			}
			if err != nil {
				if !u.Equal(before) {
					t.Errorf("the receiver changed although the bytes were refused: %v", err)
				}
				continue
			}
			if u.Estimate() > maxEstimate {
				t.Errorf("estimate %d", u.Estimate())
			}
			again := encode(t, u)
			if !decode(t, again).Equal(u) || string(encode(t, decode(t, again))) != string(again) {
				t.Error("the round trip ends in another state")
			}
			union := u.Clone()
			if err := union.Merge(u); err != nil || !union.Equal(u) {
				t.Errorf("merging with itself: changed, or error %v", err)
			}
		}
	})
}
