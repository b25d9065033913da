package show

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
)

// A session as a table has each field of its JSON, those without a value too, whole texts, and the sums of several parts.
func TestSessionHasAllFieldsOfItsJSON(t *testing.T) {
	start := time.Date(2026, 5, 12, 9, 0, 0, 250e6, time.UTC)
	part := query.Session{SessionID: "s", OpenedAt: start, StartedAt: start, EndedAt: start.Add(12345 * time.Millisecond), DurationMs: 12345,
		PageViews: 2, Events: 3, EntryPage: "/" + strings.Repeat("long/", 20), Goals: []uint64{}, Partition: "1_0"}
	a := query.SessionAnswer{Site: "shop", Known: query.Known{SiteKnown: true}, SessionID: "s", Found: true, Parts: []query.Session{part}}
	b, err := json.Marshal(part)
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(b, &fields); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Print(&out, &out, Layout{Format: Table, Width: 40}, a); err != nil {
		t.Fatal(err)
	}
	table := out.String()
	if lines := strings.Count(table, "\n") - 3; lines != len(fields) { // without title, header and rule
		t.Errorf("%d lines for the %d fields of %s:\n%s", lines, len(fields), b, table)
	}
	for _, want := range []string{part.EntryPage, "12.345s", "09:00:00.25", "09:00:12.595", "Country"} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q:\n%s", want, table)
		}
	}

	ended := start.Add(time.Minute)
	a.Parts, a.StartedAt, a.EndedAt, a.DurationMs = append(a.Parts, part), &start, &ended, 60_000
	a.PageViews, a.Events = 40, 60
	table = shownAs(t, a)
	for _, want := range []string{"All parts", "1m0s", "09:01:00.25", fmt.Sprint(a.PageViews), fmt.Sprint(a.Events)} {
		if !strings.Contains(table, want) {
			t.Errorf("of two parts, no %q:\n%s", want, table)
		}
	}
}
