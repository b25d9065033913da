package sketch

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks/int128"
)

// fed returns a breakdown that has seen so many records.
func fed(b *Breakdown, seed uint64, values, people, records int) *Breakdown {
	return fedWithin(b, MaxBreakdownBytes, seed, values, people, records)
}

// fedWithin is fed with another limit of bytes.
func fedWithin(b *Breakdown, limit int, seed uint64, values, people, records int) *Breakdown {
	source := newTraffic(seed, values, people)
	source.limit = limit
	for range records {
		for _, c := range source.record() {
			c.to(b)
		}
	}
	return b
}

func TestBreakdownBytesStayReadable(t *testing.T) {
	for _, c := range []struct {
		file string
		b    *Breakdown
	}{
		{"breakdown-empty.hex", NewBreakdown(DefaultRows)},
		{"breakdown-full.hex", fedWithin(NewBreakdown(12), 2000, 1, 30, 150, 300)},
	} {
		got := encodeBreakdown(t, c.b)
		want := golden(t, c.file, got)
		if string(got) != string(want) {
			t.Errorf("%s: other bytes are written now: %d, then %d", c.file, len(got), len(want))
		}
		if back := decodeBreakdownBytes(t, want); !back.Equal(c.b) {
			t.Errorf("%s: read as another breakdown: %q", c.file, back.Differ(c.b, 3))
		}
	}
}

func TestBreakdownRoundTripKeepsTheState(t *testing.T) {
	every := NewBreakdown(3)
	for _, d := range Dimensions() {
		events(every, d, 1<<60-10, "", "\x00", strings.Repeat("y", 5000), "\xff", "\xff\xfe")
	}
	bookings := NewBreakdown(3)
	book(t, bookings, "", 1, 5)
	takenBack := bookings.Clone()
	book(t, takenBack, "", 1, -5)
	if string(encodeBreakdown(t, takenBack)) != string(encodeBreakdown(t, NewBreakdown(3))) {
		t.Error("what was booked and taken back has left something in the bytes")
	}
	value := func(v int64) *Breakdown {
		b := NewBreakdown(1)
		b.Event(EventName, "x", 1, Hit{HasValue: true, Value: v})
		return b
	}
	for name, b := range map[string]*Breakdown{
		"empty":                {},
		"of the most rows":     NewBreakdown(MaxRows),
		"without rows":         fed(NewBreakdown(0), 1, 30, 40, 200),
		"with room":            fed(NewBreakdown(100), 2, 60, 90, 500),
		"full":                 fedWithin(NewBreakdown(50), 20_000, 3, 200, 300, 3000),
		"of many visitors":     fed(NewBreakdown(5), 4, 40, 1<<20, 10_000),
		"of every dimension":   every,
		"of bookings alone":    bookings,
		"of what was taken":    takenBack,
		"of negative values":   value(-5),
		"of a value that is 0": value(0),
	} {
		bytes := append([]byte("before"), encodeBreakdown(t, b)...)
		if again, err := b.AppendBinary([]byte("before")); err != nil || string(again) != string(bytes) {
			t.Errorf("%s: appending to something gives other bytes", name)
		}
		back := decodeBreakdownBytes(t, bytes[len("before"):])
		clear(bytes) // The breakdown must keep nothing of it.
		if !back.Equal(b) || back.Size() != b.Size() {
			t.Errorf("%s: size %d comes back as %d, %q", name, b.Size(), back.Size(), back.Differ(b, 3))
		}
		if n := len(encodeBreakdown(t, back)); n > back.Size() {
			t.Errorf("%s: %d bytes of size %d", name, n, back.Size())
		}
		fed(b, 9, 300, 500, 200)
		fed(back, 9, 300, 500, 200)
		if !back.Equal(b) || back.Size() != b.Size() {
			t.Errorf("%s: counting on ends differently: %q", name, back.Differ(b, 3))
		}
	}
}

// A page with one visitor takes little more than its spelling and the visitor's hash.
func TestBreakdownBytesAreFew(t *testing.T) {
	b := NewBreakdown(DefaultRows)
	for i := range DefaultRows {
		events(b, Page, int64(1e9+i), fmt.Sprintf("/section-%02d/article-%06d", i%20, i*7919%1_000_000))
	}
	n := len(encodeBreakdown(t, b)) / DefaultRows
	t.Logf("%d bytes a row, size %d", n, b.Size()/DefaultRows)
	if n > 30 {
		t.Errorf("%d bytes a row, want at most 30", n)
	}
}

func TestBreakdownDamagedBytesAreRefused(t *testing.T) {
	receiver := NewBreakdown(5)
	events(receiver, Page, 1, "kept")
	before := receiver.Clone()
	refused := func(t *testing.T, name string, b []byte) {
		t.Helper()
		if err := receiver.UnmarshalBinary(b); err == nil {
			t.Errorf("%s: accepted", name)
		} else if !strings.HasPrefix(err.Error(), "breakdown: ") {
			t.Errorf("%s: error %q does not say what was read", name, err)
		}
		if !receiver.Equal(before) || receiver.Size() != before.Size() {
			t.Fatalf("%s: the receiver changed", name)
		}
	}
	good := encodeBreakdown(t, fed(NewBreakdown(3), 1, 20, 20, 30))
	for bit := range 8 * len(good) {
		b := slices.Clone(good)
		b[bit/8] ^= 1 << (bit % 8)
		refused(t, "one bit flipped", b)
	}
	for n := range good {
		refused(t, "cut", good[:n])
	}

	// A breakdown of pages: capacity 2, floor 0, nothing in other, and what follows.
	page := func(rows string) string { return "B\x02\x01\x01\x00\x00\x00\x00" + rows }
	event := func(rows string) string { return "B\x02\x01\x0f\x00\x00\x00\x00" + rows }
	hash := "\x01\x00\x00\x00\x00\x00\x00\x00\x05"
	if row := "\x01\x00\x01a\x01\x01\x01" + hash + "\x07"; receiver.Clone().UnmarshalBinary(sealed(page(row))) != nil {
		t.Fatal("what all of these begin with is refused itself")
	}
	a, b := "\x00\x01a\x01\x00"+hash+"\x07", "\x00\x01b\x01\x00"+hash+"\x07"
	for name, body := range map[string]string{
		"nothing":                     "",
		"another mark":                "T\x02\x00\x00\x00",
		"no numbers":                  "B",
		"capacity above the largest":  "B\x81\x80\x04\x00",
		"117 dimensions":              "B\x02\x75",
		"a dimension too high":        "B\x02\x01\x74\x01\x01\x00" + hash + "\x00",
		"a dimension cut off":         "B\x02\x01",
		"a dimension that is empty":   page("\x00"),
		"dimensions not in order":     "B\x02\x02\x01\x01\x01\x00" + hash + "\x00\x00\x01\x01\x00" + hash + "\x00",
		"a dimension twice":           "B\x02\x02\x01\x01\x01\x00" + hash + "\x00\x01\x01\x01\x00" + hash + "\x00",
		"floor without other":         "B\x02\x01\x01\x01\x00\x00\x00\x00",
		"floor above other":           "B\x02\x01\x01\x02\x01\x00" + hash + "\x00",
		"other that has an error":     "B\x02\x01\x01\x01\x01\x80\x01" + hash + "\x00",
		"more rows than there can be": page("\x81\x80\x04" + a + b),
		"a row without events":        page("\x01\x00\x01a\x00\x00\x00\x07"),
		"error above the floor":       page("\x01\x00\x01a\x01\x80\x01" + hash + "\x07"),
		"rank below the floor":        "B\x02\x01\x01\x02\x02\x00" + hash + "\x01\x00\x01a\x01\x00" + hash + "\x07",
		"a number that is there is 0": page("\x01\x00\x01a\x01\x01\x00" + hash + "\x07"),
		"page views above events":     page("\x01\x00\x01a\x01\x01\x02" + hash + "\x07"),
		"values of pages":             page("\x01\x00\x01a\x01\x40\x10\x01\x00\x02\x02\x02" + hash + "\x07"),
		"values above events":         event("\x01\x00\x01a\x01\x40\x10\x02\x00\x02\x02\x02" + hash + "\x07"),
		"least above greatest":        event("\x01\x00\x01a\x01\x40\x10\x01\x00\x02\x04\x02" + hash + "\x07"),
		"more, which is nothing":      page("\x01\x00\x01a\x01\x40\x00" + hash + "\x07"),
		"conversions of a city":       "B\x02\x01\x0b\x00\x00\x00\x00\x01\x00\x01a\x01\x40\x20\x01" + hash + "\x07",
		"a worth of nothing":          page("\x01\x00\x01a\x01\x40\x80\x00\x00" + hash + "\x07"),
		"times of named events":       event("\x01\x00\x01a\x01\x40\x01\x01" + hash + "\x07"),
		"no times":                    page("\x01\x00\x01a\x01\x40\x01\x00" + hash + "\x07"),
		"no visitors":                 page("\x01\x00\x01a\x01\x00\x00\x07"),
		"more visitors than events":   page("\x01\x00\x01a\x01\x00\x02" + "11111111" + "22222222" + "\x07"),
		"registers of 64 events":      page("\x01\x00\x01a\x40\x00\x41\x01\x00\x01\x07"),
		"admitted at 2^61":            page("\x01\x00\x01a\x01\x00" + hash + "\x80\x80\x80\x80\x80\x80\x80\x80\x20"),
		"values not ascending":        page("\x02" + b + a),
		"a value twice":               page("\x02" + a + "\x01\x00\x01\x00" + hash + "\x07"),
		"a row cut off":               page("\x01\x00\x01a\x01\x00" + hash),
		"bytes left over":             page("\x01\x00\x01a\x01\x00" + hash + "\x07\x00"),
	} {
		refused(t, name, sealed(body))
	}
	refused(t, "version 2", seal([]byte("\x02B\x02\x00"), 0))
	refused(t, "a top", encodeTop(t, NewTop(3)))
}

// FuzzBreakdownBytes decodes the bytes as they are and, so that the CRC hides nothing, as the body of sealed ones.
func FuzzBreakdownBytes(f *testing.F) {
	registers := NewBreakdown(2)
	for i, h := range hashes(60, 500) {
		registers.Event(OS, []string{"few", "half bytes"}[min(i/80, 1)], 1, Hit{Visitor: h})
	}
	// Small ones: the fuzzer would spend its time to make others smaller.
	for _, b := range []*Breakdown{{}, NewBreakdown(50), fedWithin(NewBreakdown(3), 700, 13, 12, 20, 40), registers} {
		bytes := encodeBreakdown(f, b)
		f.Add(bytes)
		f.Add(bytes[1 : len(bytes)-crcBytes])
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, bytes := range [][]byte{data, sealed(string(data))} {
			b := NewBreakdown(2)
			events(b, Page, 1, "a", "b", "c")
			before := b.Clone()
			var err error
			// The dearest for its bytes is a row of few registers, 1.3 KB of at least 10 bytes.
			if n := allocated(func() { err = b.UnmarshalBinary(bytes) }); n > 64<<10+512*uint64(len(bytes)) {
				t.Errorf("%d bytes allocated for %d", n, len(bytes))
			}
			if err != nil {
				if !b.Equal(before) {
					t.Errorf("the receiver changed although the bytes were refused: %v", err)
				}
				continue
			}
			// Nothing is spelled in two ways, so what was accepted is what would be written.
			if again := encodeBreakdown(t, b); string(again) != string(bytes) || len(again) > b.Size() {
				t.Errorf("% x of size %d is written as % x", bytes, b.Size(), again)
			}
			events(b, EventName, 1, "a", "new", "newer", "a")
			b.Book(EventName, "a", 2, Booking{Sessions: 1})
			b.Attend("a", 2, Attention{Timed: 1, TimeMs: 300})
			b.Convert(Channel, "a", 2, Conversions{Sessions: 1, Worth: int128.From(-1)})
			b.Trim(MaxBreakdownBytes)
			if back := decodeBreakdownBytes(t, encodeBreakdown(t, b)); !back.Equal(b) || back.Size() != b.Size() {
				t.Errorf("counting on and a round trip end in another state: %q", back.Differ(b, 3))
			}
		}
	})
}
