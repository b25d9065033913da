package localtable

import (
	"bytes"
	"encoding/hex"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

func wideNumber(t testing.TB, s string) sinks.Value {
	t.Helper()
	n, err := int128.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return sinks.Num(n)
}

// everyKind is an item with a value of every kind.
func everyKind(t testing.TB) sinks.Item {
	return sinks.Item{
		"pk": sinks.Str("p"), "sk": sinks.Str("s"),
		"b": sinks.Bytes([]byte{0, 255}), "empty": sinks.Str(""), "l": sinks.Strings([]string{"x", "", "é"}), "l0": sinks.Strings(nil),
		"n": sinks.Int(-300), "s": sinks.Str("text"), "wide": wideNumber(t, "-99999999999999999999999999999999999999"), "b0": sinks.Bytes(nil),
	}
}

func TestItemBytesStayWhatTheyAre(t *testing.T) {
	// Files written by earlier footfalls hold these bytes. A change of them is a new version.
	const want = "0108" + // version, count
		"0162" + "04" + "0200ff" + // b
		"026230" + "04" + "00" + // b0
		"05656d707479" + "01" + "00" + // empty
		"016c" + "05" + "03" + "0178" + "00" + "02c3a9" + // l
		"026c30" + "05" + "00" + // l0
		"016e" + "02" + "d704" + // n: -300 as a zigzag varint
		"0173" + "01" + "0474657874" + // s
		"0477696465" + "03" + "27" + "2d3939393939393939393939393939393939393939393939393939393939393939393939393939" // wide
	it := everyKind(t)
	b := AppendItem(nil, it)
	if got := hex.EncodeToString(b); got != want {
		t.Errorf("AppendItem =\n%s, want\n%s", got, want)
	}
	back, err := ReadItem(it.Key(), b)
	if err != nil || !maps.EqualFunc(back, it, sinks.Value.Equal) {
		t.Errorf("ReadItem = %v, %v, want %v", back, err, it)
	}
}

func TestDamagedItemIsAnError(t *testing.T) {
	k := sinks.Key{PK: "p", SK: "s"}
	whole := AppendItem(nil, everyKind(t))
	for n := range whole {
		if it, err := ReadItem(k, whole[:n]); err == nil {
			t.Errorf("ReadItem of %d bytes of %d = %v, want an error", n, len(whole), it)
		}
	}
	for name, b := range map[string][]byte{
		"another version":   append([]byte{2}, whole[1:]...),
		"a byte too many":   append(bytes.Clone(whole), 0),
		"an unknown kind":   {1, 1, 1, 'a', 9},
		"a name twice":      {1, 2, 1, 'a', 2, 0, 1, 'a', 2, 0},
		"an endless count":  {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01},
		"an endless list":   {1, 1, 1, 'a', 5, 0xff, 0xff, 0xff, 0xff, 0x0f},
		"an endless string": {1, 1, 1, 'a', 1, 0xff, 0xff, 0xff, 0xff, 0x0f},
	} {
		it, err := ReadItem(k, b)
		if d, ok := errors.AsType[*sinks.DamagedError](err); !ok || d.Key != k || !errors.Is(err, sinks.ErrUndecodable) {
			t.Errorf("%s: ReadItem = %v, %v, want an error that names the item and what to do", name, it, err)
		}
	}
}

// FuzzReadItem: whatever the bytes, reading ends without a panic, and what it accepts is written as it was read.
func FuzzReadItem(f *testing.F) {
	f.Add(AppendItem(nil, everyKind(f)))
	f.Add([]byte{1, 0})
	f.Add([]byte{1, 1, 1, 'a', 5, 2, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		k := sinks.Key{PK: "p", SK: "s"}
		it, err := ReadItem(k, b)
		if err != nil {
			return
		}
		again, err := ReadItem(k, AppendItem(nil, it))
		if err != nil || !maps.EqualFunc(again, it, sinks.Value.Equal) {
			t.Errorf("read %v, written and read again %v, %v", it, again, err)
		}
	})
}

// FuzzReadCursor: whatever the text, reading ends without a panic, and what it accepts says what was read.
func FuzzReadCursor(f *testing.F) {
	f.Add(Cursor{"sk"}.text(sinks.Query{PK: "p"}), false)
	f.Add(Cursor{"1", "pk", "sk"}.text(sinks.Query{PK: "p", Index: sinks.GSI1}), true)
	f.Add("", false)
	f.Fuzz(func(t *testing.T, after string, index bool) {
		q := sinks.Query{PK: "p", After: after}
		if index {
			q.Index = sinks.GSI1
		}
		c, err := readCursor(q)
		if err != nil {
			return
		}
		q.After = c.text(q)
		if again, err := readCursor(q); err != nil || !slices.Equal(again, c) {
			t.Errorf("%q was read as %q, and written and read again as %q, %v", after, c, again, err)
		}
	})
}

func TestCursorBelongsToItsQuery(t *testing.T) {
	q := sinks.Query{PK: "p", From: "a", To: "b", Limit: 5}
	q.After = Cursor{"sk"}.text(q)
	q.Limit = 7 // The limit may change from page to page.
	if c, err := readCursor(q); err != nil || len(c) != 1 || c[0] != "sk" {
		t.Fatalf("ReadCursor = %q, %v, want sk", c, err)
	}
	for name, change := range map[string]func(q *sinks.Query){
		"index":         func(q *sinks.Query) { q.Index = sinks.GSI1 },
		"partition key": func(q *sinks.Query) { q.PK = "q" },
		"direction":     func(q *sinks.Query) { q.Desc = true },
		"bound":         func(q *sinks.Query) { q.To = "c" },
		"prefix":        func(q *sinks.Query) { q.From, q.To, q.Prefix = "", "", "a" },
		"shifted bound": func(q *sinks.Query) { q.From, q.To = "ab", "" },
		"a cut cursor":  func(q *sinks.Query) { q.After = q.After[:len(q.After)-2] },
		"a long cursor": func(q *sinks.Query) { q.After += "AAAA" },
		"no cursor":     func(q *sinks.Query) { q.After = "AAAA" },
	} {
		other := q
		change(&other)
		if c, err := readCursor(other); err != errCursor {
			t.Errorf("another %s: ReadCursor = %q, %v, want that it is not this query's", name, c, err)
		}
	}
}
