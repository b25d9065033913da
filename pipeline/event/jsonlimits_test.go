package event

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestRecordsAtTheirLimitsAreDecoded(t *testing.T) {
	large := recordWith()
	large = append(large, bytes.Repeat([]byte(" "), MaxRecordBytes-len(large))...)
	arrays := strings.Repeat("[", 63) + strings.Repeat("]", 63)
	for name, value := range map[string][]byte{"64 KiB": large, "64 deep": recordWith("x", arrays), "1,000 keys": recordOfKeys(1_000),
		"1,000 keys, known ones last": knownLast(1_000),
		"1,000 keys of objects":       recordOfObjects(1_000), "1,000 colons in a text": recordWith("x", quoted(strings.Repeat(`:{[\":`, 1_000)))} {
		if _, reason, detail := decodeBothWays(t, value); reason != Accepted {
			t.Errorf("%s: %s (%s)", name, reason, detail)
		}
	}
	for name, c := range map[string]struct {
		value  []byte
		detail string
	}{
		"65 deep":                     {recordWith("x", "["+arrays+"]"), "nested more than 64 deep"},
		"65 deep, and then broken":    {append(recordWith("x", "["+arrays+"]"), '{'), "nested more than 64 deep"},
		"9,990 deep":                  {recordWith("x", strings.Repeat("[", 9_990)+strings.Repeat("]", 9_990)), "nested more than 64 deep"},
		"1,001 keys":                  {recordOfKeys(1_001), "more than 1000 keys"},
		"1,001 keys, known ones last": {knownLast(1_001), "more than 1000 keys"},
		"1,001 keys of objects":       {recordOfObjects(1_001), "more than 1000 keys"},
		"an array of depth 65":        {[]byte("[" + "[" + arrays + "]" + "]"), "nested more than 64 deep"},
	} {
		if _, reason, detail := decodeBothWays(t, c.value); reason != BadJSON || !strings.Contains(detail, c.detail) {
			t.Errorf("%s: %s (%s), want %s with %q", name, reason, detail, BadJSON, c.detail)
		}
	}
}

// recordOfKeys is a valid record with n keys.
func recordOfKeys(n int) []byte {
	value := recordWith()
	for i := bytes.Count(value, []byte(`":`)); i < n; i++ {
		value = append(value[:len(value)-1], fmt.Sprintf(`,"k%d":%d}`, i, i)...)
	}
	return value
}

// knownLast is a record with n keys, of which those come last that a scanner may expect.
func knownLast(n int) []byte {
	value := []byte(`{"siteId":"shop",`)
	for i := range n - 4 {
		value = fmt.Appendf(value, `"k%d":%d,`, i, i)
	}
	return append(value, `"type":"page_view","timestamp":"2026-05-12T14:03:07.250Z","visitorId":"v1"}                `...)
}

// recordOfObjects is a valid record with n keys, most of them in many small objects, as the scanner takes them.
func recordOfObjects(n int) []byte {
	n -= bytes.Count(recordWith(), []byte(`":`)) + 1
	return recordWith("x", "["+strings.Repeat(`{"a":0},`, n-1)+`{"a":0}]`)
}

// FuzzLimits holds the limits to what package jsontext counts, in any text that is JSON.
func FuzzLimits(f *testing.F) {
	f.Add([]byte(`{"a":[{"b:{":"\\\":["}]}`))
	f.Add(recordOfObjects(1_001))
	f.Add([]byte(strings.Repeat("[", 65) + strings.Repeat("]", 65)))
	f.Fuzz(func(t *testing.T, text []byte) {
		d := jsontext.NewDecoder(bytes.NewReader(text))
		depth, keys := 0, 0
		for {
			k := d.PeekKind()
			if in, n := d.StackIndex(d.StackDepth()); in == jsontext.KindBeginObject && n%2 == 0 && k == jsontext.KindString {
				keys++
			}
			if _, err := d.ReadToken(); err == io.EOF {
				break
			} else if err != nil {
				return
			}
			depth = max(depth, d.StackDepth())
		}
		if over := overLimits(text) != ""; over != (depth > maxRecordDepth || keys > maxRecordKeys) {
			t.Errorf("%q: beyond the limits: %v, with %d keys, %d deep", text, over, keys, depth)
		}
	})
}

// BenchmarkDecodeHostile measures the most expensive known records of 64 KiB: at most 0.5 ms each on a quiet machine.
func BenchmarkDecodeHostile(b *testing.B) {
	const room = MaxRecordBytes - 400
	for name, value := range map[string][]byte{
		"nested 9,990 deep":    recordWith("x", strings.Repeat("[", 9_990)+strings.Repeat("]", 9_990)),
		"6,900 unknown keys":   recordOfKeys(6_900)[:MaxRecordBytes-8_000],
		"1,000 unknown keys":   recordOfKeys(1_000),
		"1,000 long keys":      recordWith("x", "{"+longKeys(960, 60)+"}"),
		"numbers":              recordWith("x", "["+strings.Repeat("1,", room/2)+"1]"),
		"arrays":               recordWith("x", "["+strings.Repeat("[],", room/3)+"1]"),
		"an escaped text":      recordWith("title", quoted(strings.Repeat(`\u00e9`, room/6))),
		"an escaped text of x": recordWith("x", quoted(strings.Repeat(`\u00e9`, room/6))),
		"an escaped key":       recordWith(strings.Repeat(`\u00e9`, room/6), "1"),
		"an escaped key, cut":  recordWith(strings.Repeat(`\u00e9`, room/6), "1")[:room],
		"an escaped key twice": recordWith(strings.Repeat(`\u00e9`, room/6-10), "1", "k", "1", "k", "1"),
		"long keys, cut":       recordWith("x", "{"+longKeys(960, 60)+"}")[:room],
		"long keys twice":      recordWith("x", "{"+longKeys(900, 60)+","+longKeys(1, 60)+"}"),
		"long keys, deep":      recordWith("x", strings.Repeat("[", 60)+"{"+longKeys(960, 60)+"}"+strings.Repeat("]", 60)),
		"keys of one print":    recordWith("x", "["+strings.Repeat("{"+alikeKeys(maxCompared, 50)+"},", 30)+"{}]"),
		"a long number":        recordWith("value", strings.Repeat("7", room)),
		"non-ASCII text":       recordWith("title", quoted(strings.Repeat("é", room/2))),
	} {
		b.Run(name, func(b *testing.B) {
			d := NewDecoder()
			var e Event
			for b.Loop() {
				d.Decode(value, &e)
			}
		})
	}
}

func longKeys(n, size int) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"%0*d":1`, size, i)
	}
	return strings.Join(keys, ",")
}

// alikeKeys differ in their middle only: they have one print.
func alikeKeys(n, size int) string {
	keys := make([]string, n)
	for i := range keys {
		keys[i] = fmt.Sprintf(`"%s%0*d%[1]s":1`, strings.Repeat("x", 8), size-16, i)
	}
	return strings.Join(keys, ",")
}
