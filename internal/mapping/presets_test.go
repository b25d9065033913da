package mapping

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/eventjson"
	"github.com/footfall/footfall/pipeline/event"
)

// TestPresetsMapPublicSamples: each preset makes of public samples what testdata/presets/recount.py makes of them, which shares no code
// with it: field by field, and the same records are refused.
func TestPresetsMapPublicSamples(t *testing.T) {
	dir := filepath.Join("testdata", "presets")
	var expected map[string]struct {
		Records int
		Events  []json.RawMessage
	}
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	if err == nil {
		err = json.Unmarshal(text, &expected)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, preset := range Presets() {
		t.Run(preset, func(t *testing.T) {
			want := expected[preset]
			c := Config{Configured: true}
			if presets[preset].lacksSite() {
				c.Set = []string{"siteId=shop.example"}
			}
			m, err := New(c.Over(preset))
			if err != nil {
				t.Fatal(err)
			}
			files, _ := filepath.Glob(filepath.Join(dir, preset+".*"))
			f, err := os.Open(files[0])
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			n := 0
			for lines := bufio.NewScanner(f); lines.Scan(); n++ {
				r := &kgo.Record{Value: lines.Bytes(), Timestamp: time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC)}
				var e event.Event
				reason, detail := m.Decode(event.NewDecoder(), r, &e)
				made, _ := m.Event(r)
				refused := string(want.Events[n]) == `{"refused":true}`
				if refused != (reason != event.Accepted) {
					t.Errorf("record %d: %s %s, want refused: %v\n%s", n+1, reason, detail, refused, lines.Text())
				}
				if refused || reason != event.Accepted {
					continue
				}
				have, should := fieldsOf(t, made.JSON, made.Time), fieldsOf(t, want.Events[n], timeOf(t, want.Events[n]))
				if !reflect.DeepEqual(have, should) {
					t.Errorf("record %d\nhave %v\nwant %v", n+1, have, should)
				}
			}
			if n != want.Records || n < 4 {
				t.Errorf("%d records, want %d", n, want.Records)
			}
		})
	}
}

// lacksSite reports whether the owner must say what the site is.
func (c Config) lacksSite() bool { return !has("siteId", c.Map) }

// fieldsOf are those of an event that are not empty. Numbers are equal if their values are, and times if they are the same millisecond.
func fieldsOf(t *testing.T, text []byte, when time.Time) map[string]any {
	t.Helper()
	all := make(map[string]any)
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&all); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	maps.DeleteFunc(all, func(_ string, v any) bool { return v == "" || reflect.DeepEqual(v, map[string]any{}) })
	if n, ok := new(big.Rat).SetString(fmt.Sprint(all["value"])); ok {
		all["value"] = n.RatString()
	}
	all["timestamp"] = when.Format(eventjson.TimeFormat)
	return all
}

// timeOf is the time of an expected event.
func timeOf(t *testing.T, text []byte) time.Time {
	t.Helper()
	var e struct{ Timestamp time.Time }
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	return e.Timestamp.UTC()
}

// TestPresetsAreOverlaid: what a configuration says itself comes before its preset.
func TestPresetsAreOverlaid(t *testing.T) {
	c := Config{Map: []string{"url=path"}, Set: []string{"siteId=a", "type=x"}, Rest: true, Configured: true}.Over("umami")
	for _, name := range []string{"url", "siteId", "type", "timestamp"} {
		n := 0
		for _, a := range append(append(c.Map, c.Set...), c.Default...) {
			if strings.HasPrefix(a, name+"=") {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is assigned %d times: %+v", name, n, c)
		}
	}
	if _, err := New(c); err != nil {
		t.Error(err)
	}
	for _, preset := range Presets() {
		c := Config{Map: []string{"properties.plan=plan?"}, Set: []string{"siteId=a"}}.Over(preset)
		if _, err := New(c); err != nil {
			t.Errorf("%s, for lines of files: %v", preset, err)
		}
	}
}
