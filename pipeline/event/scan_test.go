package event

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// typicalRecords are events as a tracking script sends them: 11 fields and about 520 bytes.
func typicalRecords(n int) [][]byte {
	r := rand.New(rand.NewPCG(1, 2))
	records := make([][]byte, n)
	for i := range records {
		records[i] = fmt.Appendf(nil, `{"siteId":"site-%d","type":"page_view","timestamp":"2026-05-12T%02d:%02d:%02d.%03dZ","id":"%016x%016x",`+
			`"visitorId":"%016x%016x","sessionId":"%016x","url":"https://www.example.com/products/category-%d/item-%d?utm_source=newsletter",`+
			`"referrer":"https://www.google.com/","title":"Product %d - Example Shop",`+
			`"userAgent":"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)",`+
			`"properties":{"plan":"pro","price":%d.99,"items":[%d,2,3],"beta":true}}`,
			r.IntN(100), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(), r.Uint64(),
			r.IntN(20), r.IntN(5000), r.IntN(5000), r.IntN(100), r.IntN(9))
	}
	return records
}

func TestScannerTakesWhatProducersWrite(t *testing.T) {
	d := NewDecoder()
	records := slices.Concat(typicalRecords(100), trackedRecords(100, true, ""), slashed(typicalRecords(100)),
		spaced(trackedRecords(100, true, `,"a":[{"b":null},true]`)))
	many := strings.Repeat(`{"k":`, 60) + "{" + longKeys(500, 60) + "}" + strings.Repeat("}", 60)
	for _, x := range []string{`{"\u0061":1,"b":1}`, many, "{" + longKeys(990, 50) + "}"} {
		records = append(records, recordWith("x", x, "y\\u0041", "1"))
	}
	for _, e := range []string{`"caf\u00e9 \"x\" \/ \ud83d\ude00"`, `"é😀"`, "null", "5"} {
		records = append(records, recordWith("title", e, "extra", e, "properties", `{"a":`+e+`,"b":[`+e+`]}`))
	}
	records = append(records, []byte(" { \"siteId\" : \"s\" ,\r\n\t\"type\" : \"x\" , \"timestamp\" : 1.5e12 , \"sessionId\" : \"s\" } \n"))
	for _, value := range records {
		if !d.scan(value) {
			t.Errorf("handed over: %s", value)
		}
		if _, reason, detail := decodeBothWays(t, value); reason != Accepted {
			t.Errorf("%s: %s (%s)", value, reason, detail)
		}
	}
}

// TestKeysThatAnObjectHasTwice are few and many, escaped and not, and before and after an object that has the same.
func TestKeysThatAnObjectHasTwice(t *testing.T) {
	for _, n := range []int{0, 1, maxCompared - 1, maxCompared, maxCompared + 1, 300} {
		before := strings.TrimPrefix(","+longKeys(n, 10), ",")
		if n > 0 {
			before += ","
		}
		for key, same := range map[string]string{`"k"`: `"\u006b"`, `"k\n"`: `"k\u000a"`, `""`: `""`} {
			inner := "{" + before + key + `:1}`
			once := "{" + before + key + ":" + inner + `,"z":` + inner + "}"
			if _, reason, detail := decodeBothWays(t, recordWith("x", once)); reason != Accepted {
				t.Errorf("%d keys and %s: %s (%s)", n, key, reason, detail)
			}
			for _, twice := range []string{"{" + before + key + ":" + inner + `,"z":` + inner + "," + same + ":1}", "{" + before + key + ":{" +
				before + key + ":1," + same + ":1}}"} {
				if _, reason, detail := decodeBothWays(t, recordWith("x", twice)); reason != BadJSON ||
					!strings.Contains(detail, "duplicate object member name") {
					t.Errorf("%d keys, %s and %s: %s (%s)", n, key, same, reason, detail)
				}
			}
		}
	}
}

func TestScannerJudgesEveryByte(t *testing.T) {
	for c := range 256 {
		for at := range 18 {
			title := []byte("abcdefghijklmnopqr")
			title[at] = byte(c)
			decodeBothWays(t, recordWith("title", quoted(string(title))))
			if at < 17 { // and two that touch
				title[at+1] = byte(c) ^ 1
				decodeBothWays(t, recordWith("title", quoted(string(title)), "os", `"x"`))
			}
		}
	}
}

func TestDecodeDoesNotAllocate(t *testing.T) {
	const uuid = `"0b7e1c52-8f3a-4d1e-9c6b-5a2f8d7e4c31"` // Go converts up to 32 bytes to a string without allocating.
	records := slices.Concat(typicalRecords(16), trackedRecords(16, true, ""), slashed(typicalRecords(16)),
		spaced(trackedRecords(16, true, `,"a":[{"b":null},true]`)))
	records = append(records, recordWith("visitorId", uuid, "sessionId", uuid, "userId", uuid),
		recordWith("title", `"caf\u00e9"`, "value", "12.5", "timestamp", `"2026-05-12T14:03:07.123456789+05:30"`),
		recordWith("title", quoted(strings.Repeat("é", 400)), "id", "5", "extra", `{"a":"\u00e9"}`),
		recordWith("properties", `{"\u0061":1,"b":{"c":[1,2,{"d":"e"}]}}`),
		recordWith("x", "{"+longKeys(500, 60)+"}"))
	d := NewDecoder()
	var e Event
	allocs := testing.AllocsPerRun(100, func() {
		for _, value := range records {
			if reason, detail := d.Decode(value, &e); reason != Accepted {
				t.Fatal(reason, detail)
			}
			e.Page()
			ULID(e.SiteID, e.ID, Origin{Partition: 1, Offset: 2}, e.Timestamp)
		}
	})
	if allocs != 0 {
		t.Errorf("%v allocations for %d records, want none", allocs, len(records))
	}
	e.URL = []byte("https://shop.example")
	if allocs := testing.AllocsPerRun(100, func() { e.Page() }); allocs != 0 {
		t.Errorf("%v allocations of Page, want none", allocs)
	}
}

func TestDecoderForgetsTheRecordBefore(t *testing.T) {
	d := NewDecoder()
	var e Event
	full := []byte(`{"siteId":"a","type":"b","timestamp":1,"visitorId":"\u0076","value":1,"x":1,"title":"\u0061","properties":{"a":1}}`)
	if reason, detail := d.Decode(full, &e); reason != Accepted {
		t.Fatal(reason, detail)
	}
	title := e.Title
	for _, next := range []string{`{"siteId":"a","type":"b","timestamp":1}`, `{"siteId":"a","type":"b","visitorId":"v"}`,
		`{"siteId":"a","timestamp":1,"visitorId":"v"}`, `{"type":"b","timestamp":1,"visitorId":"v"}`, `{"siteId":"a","siteId":"b"}`, "",
		"nonsense"} {
		if reason, _ := d.Decode([]byte(next), &e); reason == Accepted || !reflect.DeepEqual(e, Event{}) {
			t.Errorf("%s after a full event: %q, %+v", next, reason, e)
		}
	}
	if cap(title) != len(title) {
		t.Error("an append to a field would write over the next one")
	}
	if reason, _ := d.Decode(full, &e); reason != Accepted || string(e.Title) != "a" || !e.HasValue {
		t.Errorf("the same record again: %q, %+v", reason, e)
	}
}

func TestHeldEventsOutliveTheNextDecode(t *testing.T) {
	d := NewDecoder()
	decode := func(title string) Event {
		var e Event
		if reason, detail := d.Decode(recordWith("title", title), &e); reason != Accepted {
			t.Fatal(reason, detail)
		}
		return e
	}
	for range 3 { // batches
		var held []Event
		for i := range 500 {
			held = append(held, decode(fmt.Sprintf(`"\u0061%d"`, i)))
			d.Hold()
		}
		decode(`"\u0062"`)
		for i, e := range held {
			if want := fmt.Sprintf("a%d", i); string(e.Title) != want {
				t.Fatalf("a held title is %q, want %q", e.Title, want)
			}
		}
		d.Release()
	}
	for range 80 { // a batch of hostile records, 4 MiB of escaped texts
		decode(`"\u0061` + strings.Repeat("x", 50_000) + `"`)
		d.Hold()
	}
	if cap(d.text) < 80*50_000 {
		t.Fatalf("%d bytes hold 80 texts of 50,000", cap(d.text))
	}
	d.Release()
	if cap(d.text) > 2<<20 {
		t.Errorf("%d bytes are kept after the batch", cap(d.text))
	}
}

func BenchmarkDecode(b *testing.B) {
	records := typicalRecords(1024)
	for _, way := range []struct {
		name   string
		decode func(*Decoder, []byte, *Event) (Reason, string)
	}{{"scanner", (*Decoder).Decode}, {"authority", (*Decoder).authority}} {
		b.Run(way.name, func(b *testing.B) {
			d := NewDecoder()
			var e Event
			b.ReportAllocs()
			b.SetBytes(int64(len(records[0])))
			i := 0
			for b.Loop() {
				if reason, detail := way.decode(d, records[i&1023], &e); reason != Accepted {
					b.Fatal(reason, detail)
				}
				i++
			}
		})
	}
}
