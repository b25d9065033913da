package query_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// exported are the lines of an export, without the last end of line.
func exported(t *testing.T, w *world, p query.ExportEventsParams) (lines []string, x query.EventsExport) {
	t.Helper()
	var b bytes.Buffer
	x, err := w.ExportEvents(t.Context(), p, &b)
	if err != nil {
		t.Fatal(err)
	}
	if b.Len() > 0 {
		text, ends := strings.CutSuffix(b.String(), "\n")
		if lines = strings.Split(text, "\n"); !ends {
			t.Errorf("the last line has no end: %q", text)
		}
	}
	if x.Events != int64(len(lines)) {
		t.Errorf("%d lines, %d events", len(lines), x.Events)
	}
	return lines, x
}

func testExportEvents(t *testing.T, w *world) {
	w.site(shop, 16)
	w.event(shop, 16, "s-3", at(9).Add(time.Millisecond), future, 3, sinks.Item{"id": sinks.Value{}})
	w.event(shop, 16, "s-1", at(9), future, 2, sinks.Item{"source": sinks.Str("events/0/10"), "bot": sinks.Str("rate"),
		"value": sinks.Str("-123456789.000001"), "properties": sinks.Str("{\n  \"a\" : 12345678901234567890.10,\r\n\"b\":\"\\n<\"}")})
	w.event(shop, 16, "s-2", at(9), future, 1, sinks.Item{"source": sinks.Str("events/0/9"), "visitorId": sinks.Str("v\"\u2028\u202e<"),
		"userId": sinks.Str("u"), "url": sinks.Str("/?a=1&b=2#c"), "referrer": sinks.Str("https://r.example/"), "title": sinks.Str("T\tü"),
		"userAgent": sinks.Str("Agent"),
		"name":      sinks.Str("n"), "country": sinks.Str("CH"), "region": sinks.Str("ZH"), "city": sinks.Str("Zürich"),
		"device":  sinks.Str("desktop"),
		"browser": sinks.Str("Firefox"), "os": sinks.Str("Linux"), "value": sinks.Str("0.5"), "properties": sinks.Str(`{}`)})
	w.event(shop, 16, "s-4", at(9), past, 4, nil)
	w.event(shop, 16, "s-5", at(8), future, 5, nil)
	w.event(shop, 16, "s-6", at(10), future, 6, nil)
	w.hour(shop, at(9), future, 2, 9, 0, nil)
	w.chain(0, true, false, 1) // What is kept for a day may be there for longer.
	lines, x := exported(t, w, query.ExportEventsParams{Site: shop, From: at(9), To: at(10), Consistent: true})
	want := []string{
		`{"siteId":"shop#1","type":"page_view","timestamp":"2026-05-12T09:00:00.000Z","id":"e1","visitorId":"v\"` + "\u2028\u202e" +
			`<","sessionId":"s-2","userId":"u",` +
			`"url":"/?a=1&b=2#c","referrer":"https://r.example/","title":"T\tü","userAgent":"Agent","name":"n","country":"CH","region":"ZH","city":"Zürich",` +
			`"device":"desktop","browser":"Firefox","os":"Linux","value":0.5,"properties":{}}`,
		`{"siteId":"shop#1","type":"page_view","timestamp":"2026-05-12T09:00:00.000Z","id":"e2","sessionId":"s-1","value":-123456789.000001,` +
			`"properties":{   "a" : 12345678901234567890.10,  "b":"\n<"}}`,
		`{"siteId":"shop#1","type":"page_view","timestamp":"2026-05-12T09:00:00.001Z","sessionId":"s-3"}`,
	}
	if got := strings.Join(lines, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("exported:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	if x.ExpiredOmitted != 1 || x.Missing != 6 || !x.SiteKnown || x.ReadUnits <= 0 {
		t.Errorf("export %+v, want 1 expired and 6 without raw events", x)
	}
	notes := strings.Join(show.ExportNotes(x), "\n")
	for _, text := range []string{"2026-05-12T10:00:00Z): 3;", "Expired items left out: 1.", "Stats count 6 events more"} {
		if !strings.Contains(notes, text) {
			t.Errorf("notes %q, want also %q", notes, text)
		}
	}
	if lines, x := exported(t, w, query.ExportEventsParams{Site: "nowhere", From: at(0)}); lines != nil || x.SiteKnown ||
		!strings.Contains(strings.Join(show.ExportNotes(x), ""), "is not known") {
		t.Errorf("a site that nobody knows: %q, %+v", lines, x)
	}
}

func testExportPages(t *testing.T, w *world) {
	w.rules(shop, &sites.Rules{Shards: []sites.Shards{{N: 1}, {From: at(0).UnixMilli(), N: 2}}})
	const events = 1203
	for i := range events {
		shards := 1
		at := at(0).Add(time.Duration(i-events/2) * time.Second)
		if i >= events/2 {
			shards = 2
		}
		w.event(shop, shards, fmt.Sprint("s", i%7), at, future, i, nil)
	}
	lines, _ := exported(t, w, query.ExportEventsParams{Site: shop, From: at(-1)})
	if len(lines) != events {
		t.Fatalf("%d lines, want %d", len(lines), events)
	}
	for i, line := range lines {
		var e struct{ ID string }
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.ID != fmt.Sprint("e", i) {
			t.Fatalf("line %d: %s, %v", i, line, err)
		}
	}
}

func TestExportIsRefusedWithoutRawEvents(t *testing.T) {
	w := newWorld(t)
	w.site(shop, 16)
	w.chain(0, false, false, 30)
	p := query.ExportEventsParams{Site: shop, From: at(0), To: at(12)}
	refused := func(name, says string) {
		t.Helper()
		var b bytes.Buffer
		_, err := w.ExportEvents(t.Context(), p, &b)
		if raw, ok := errors.AsType[*query.RawEventsError](err); !ok || !strings.Contains(raw.Why, says) || b.Len() > 0 {
			t.Errorf("%s: %v, %q; want it refused", name, err, b.String())
		}
	}
	refused("never written", "switched off (rawEvents: off)")
	w.chain(0, false, true, 30)
	refused("switched off since", "there are none in the range")
	w.view("v", "/a", at(10), 1, nil)
	if lines, _ := exported(t, w, p); len(lines) != 1 {
		t.Errorf("exported %q, want what was written before", lines)
	}
	p.From = time.Time{}
	_, err := w.ExportEvents(t.Context(), p, new(bytes.Buffer))
	if param, ok := errors.AsType[*query.ParamError](err); !ok || param.Param != "from" {
		t.Errorf("no beginning: %v", err)
	}
}
