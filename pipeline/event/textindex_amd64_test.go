package event

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestIndexFindsWhatTheScannerFinds compares the ends of strings from every byte on, in texts of every length around those of blocks.
func TestIndexFindsWhatTheScannerFinds(t *testing.T) {
	if !hasIndex {
		t.Skip("the processor has no instructions for the index")
	}
	r := rand.New(rand.NewPCG(7, 8))
	d := NewDecoder()
	var indexed int
	for n := range 4 * blockSize {
		for _, alphabet := range []string{"ab", `a"`, `abcdefghijklmnopqrstuvwxyz0123456789"`, "aé\"", "é\xff\"", `a"\`, "a\"\x1f"} {
			var text []byte
			for len(text) < n {
				text = append(text, alphabet[r.IntN(len(alphabet))])
			}
			d.begin()
			d.index.take(text)
			if allowed := bytes.IndexByte(text, 0x1f) < 0; d.index.holds != (allowed && n >= blockSize) {
				t.Fatalf("%q: holds %t", text, d.index.holds)
			}
			if !d.index.holds {
				continue
			}
			indexed++
			for i := range n + 1 {
				quote, escaped := d.stringEnd(text, i)
				if want, also := scanString(text, i); quote != want || quote >= 0 && escaped != also {
					t.Fatalf("%q from %d on: %d, %t, want %d, %t", text, i, quote, escaped, want, also)
				}
			}
		}
	}
	if indexed < 3*blockSize {
		t.Errorf("%d texts were indexed", indexed)
	}
}

func TestIndexIsOfThePresentRecord(t *testing.T) {
	d := NewDecoder()
	long := recordWith("title", quoted(string(bytes.Repeat([]byte("x"), 300))), "extra", `"y"`)
	d.Decode(long, new(Event))
	for n := range long {
		d.Decode(long, new(Event))
		var e, want Event
		reason, detail := d.Decode(long[:n], &e)
		if r, s := NewDecoder().Decode(long[:n], &want); r != reason || s != detail {
			t.Errorf("the first %d bytes after the whole: %s (%s), want %s (%s)", n, reason, detail, r, s)
		}
	}
	large := append(recordWith("x", `"`+string(bytes.Repeat([]byte("x"), MaxRecordBytes))), '"')[:MaxRecordBytes]
	if reason, _ := d.Decode(large, new(Event)); reason != BadJSON {
		t.Errorf("64 KiB that end in a string: %q", reason)
	}
}
