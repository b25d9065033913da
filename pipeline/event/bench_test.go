package event

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
)

// trackedRecords are events as internal/bench publishes them: the optional userId is in one record of five, and every field that the
// scanner expects next is another one then. Extra, if any, is added to the properties.
func trackedRecords(n int, users bool, extra string) [][]byte {
	r := rand.New(rand.NewPCG(3, 4))
	id := func() string {
		return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", r.Uint32(), r.IntN(1<<16), r.IntN(1<<12), r.IntN(1<<12), r.Int64N(1<<48))
	}
	records := make([][]byte, n)
	for i := range records {
		b := fmt.Appendf(nil, `{"siteId":"site-%d","type":"page_view","timestamp":"2026-05-12T%02d:%02d:%02d.%03dZ","id":"%s","visitorId":"%s","sessionId":"%s"`,
			r.IntN(100), r.IntN(24), r.IntN(60), r.IntN(60), r.IntN(1000), id(), id(), id())
		if users && r.IntN(5) == 0 {
			b = fmt.Appendf(b, `,"userId":"user-%d"`, r.IntN(10_000))
		}
		records[i] = fmt.Appendf(b, `,"url":"https://www.site-%d.example/articles/page-%d?utm_source=newsletter","referrer":"https://www.google.com/",`+
			`"title":"The title of page %d","userAgent":"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0","country":"DE",`+
			`"city":"city-%d","device":"desktop","browser":"Firefox","os":"Linux","properties":{"plan":"free","scroll":%d%s}}`,
			r.IntN(100), r.IntN(1000), r.IntN(1000), r.IntN(400), r.IntN(100), extra)
	}
	return records
}

// spaced spells JSON as json.dumps of Python does, with a space after each comma and colon.
func spaced(records [][]byte) [][]byte {
	for i, value := range records {
		var out []byte
		inside := false
		for _, c := range value {
			out = append(out, c)
			if c == '"' {
				inside = !inside
			}
			if !inside && (c == ',' || c == ':') {
				out = append(out, ' ')
			}
		}
		records[i] = out
	}
	return records
}

// slashed spells JSON as json_encode of PHP does, with a backslash before each slash.
func slashed(records [][]byte) [][]byte {
	for i, value := range records {
		records[i] = bytes.ReplaceAll(value, []byte("/"), []byte(`\/`))
	}
	return records
}

// wikipediaEdits are the first lines of the real data as `produce` maps them.
func wikipediaEdits(tb testing.TB, n int) [][]byte {
	zipped := realdata.Read(tb, "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz")
	unzipped, err := gzip.NewReader(bytes.NewReader(zipped))
	if err != nil {
		tb.Fatal(err)
	}
	lines := bufio.NewScanner(unzipped)
	records := make([][]byte, n)
	for i := range records {
		if !lines.Scan() {
			tb.Fatalf("%d lines: %v", i, lines.Err())
		}
		var edit struct{ Channel, Page, Time, User string }
		if err := json.Unmarshal(lines.Bytes(), &edit); err != nil {
			tb.Fatal(err)
		}
		text := func(s string) []byte {
			q, _ := json.Marshal(s)
			return q
		}
		records[i] = fmt.Appendf(nil, `{"siteId":%s,"type":"edit","timestamp":%s,"visitorId":%s,"url":%s,"properties":%s}`, text(edit.Channel),
			text(edit.Time), text(edit.User), text("/wiki/"+strings.ReplaceAll(edit.Page, " ", "_")), lines.Bytes())
	}
	return records
}

type shape struct {
	name    string
	records func() [][]byte
}

// shapes are what producers write.
func shapes(tb testing.TB, n int) []shape {
	return []shape{
		{"bench", func() [][]byte { return trackedRecords(n, true, "") }},
		{"no_userId", func() [][]byte { return trackedRecords(n, false, "") }},
		{"properties", func() [][]byte {
			return trackedRecords(n, true, `,"cart":[{"sku":"a-17","price":12.5},{"sku":"b-4","price":99}],"beta":true,"from":null`)
		}},
		{"wikiticker", func() [][]byte { return wikipediaEdits(tb, n) }},
		{"spaces", func() [][]byte { return spaced(trackedRecords(n, true, "")) }},
		{"escapes", func() [][]byte { return slashed(trackedRecords(n, true, "")) }},
		{"typical", func() [][]byte { return typicalRecords(n) }},
	}
}

// BenchmarkShapes decodes chunks of records as an intake does.
func BenchmarkShapes(b *testing.B) {
	const chunk = 256
	for _, shape := range shapes(b, 1024) {
		b.Run(shape.name, func(b *testing.B) {
			records, size := shape.records(), 0
			for _, value := range records {
				size += len(value)
			}
			d, events := NewDecoder(), make([]Event, chunk)
			b.SetBytes(int64(size / len(records)))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if reason, detail := d.Decode(records[i%len(records)], &events[i%chunk]); reason != Accepted {
					b.Fatal(reason, detail)
				}
				if d.Hold(); i%chunk == chunk-1 {
					d.Release()
				}
			}
		})
	}
}
