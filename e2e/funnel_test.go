//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// recounted is what scripts/recount-funnels printed about the funnels of testdata/funnels.json, which it read from the same data.
const recounted = "testdata/funnels-recounted.json"

// specified is a funnel that was recounted.
type specified struct {
	Data, Funnel, Site, From, To string
	Steps                        []json.RawMessage
	WindowMs                     int64
	Strict                       bool
}

// reached is how far visitors came in a step.
type reached struct {
	Visitors int64  `json:"visitors"`
	MedianMs *int64 `json:"medianMs"`
}

// testdata reads a file that is part of the project.
func testdata(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestRecountOfFunnelsIsThatOfTheScript: what is compared with is what the script prints.
func TestRecountOfFunnelsIsThatOfTheScript(t *testing.T) {
	slow.Test(t)
	realdata.Recounted(t, "scripts/recount-funnels", "e2e/"+recounted)
}

// Funnels of real data come out as an independent script counted them, whichever way their steps match, and what is exported of
// the data is what was published.
func TestFunnelsOfTheAccessLogAddUp(t *testing.T) {
	slow.Test(t)
	onEmbedded(t, func(t *testing.T, s *stage) {
		s.forever()
		s.countBots()
		s.execute(t, "table", "create")
		if p := s.produce(t, "--from-file", realdata.Path(t, "access-log/apache_logs.gz"), "--count-assets", "--format", "combined", "--set",
			"siteId=www.example.com",
			"--visitor-salt", "fixed", "--create-topic", "--partitions", "4", "--retention", "never"); p.Sent != 9999 {
			t.Fatalf("produce says %+v, want 9,999 sent", p)
		}
		s.countAll(t)
		s.checkFunnels(t, "access-log")
		s.checkExport(t, "www.example.com", 9999)
	})
}

func TestFunnelsOfWikitickerAddUp(t *testing.T) {
	slow.Test(t)
	onEmbedded(t, func(t *testing.T, s *stage) {
		s.forever()
		s.countBots()
		s.set("FOOTFALL_BREAKDOWNS_ROWS", "0") // Nobody asks for them here.
		s.execute(t, "table", "create")
		from := realdata.Path(t, "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz")
		for _, more := range [][]string{
			{"--map", "siteId=channel", "--map", "type=namespace", "--map", "name=isRobot"},
			{"--map", "siteId=page-{channel}", "--set", "type=page_view"},
		} {
			p := s.produce(t, append([]string{"--from-file", from, "--format", "ndjson", "--map", "timestamp=time", "--map", "visitorId=user",
				"--map", "url=/wiki/{page}", "--create-topic", "--partitions", "4", "--retention", "never"}, more...)...)
			if p.Sent != 39244 || p.Refused != 0 || p.Failed != 0 {
				t.Fatalf("produce says %+v, want 39,244 sent", p)
			}
		}
		s.countAll(t)
		s.checkFunnels(t, "wikiticker")
	})
}

// countAll has a consumer count what was published.
func (s *stage) countAll(t *testing.T) {
	t.Helper()
	consumer := s.consume(t, "consumer")
	s.verify(t)
	consumer.drain()
}

// checkFunnels writes down the funnels of that data and compares their reports.
func (s *stage) checkFunnels(t *testing.T, data string) {
	t.Helper()
	var all []specified
	want := make(map[string][]reached)
	testdata(t, "testdata/funnels.json", &all)
	testdata(t, recounted, &want)
	checked := 0
	for _, f := range all {
		if f.Data != data {
			continue
		}
		checked++
		args := []string{"funnel", "create", f.Site, f.Funnel, "--window", fmt.Sprintf("%dms", f.WindowMs), fmt.Sprintf("--strict=%v", f.Strict)}
		for _, step := range f.Steps {
			args = append(args, "--step", string(step))
		}
		s.execute(t, args...)
		var got struct{ Steps []reached }
		s.answer(t, &got, "funnel", "report", f.Site, f.Funnel, "--from", f.From, "--to", f.To)
		if !slices.EqualFunc(got.Steps, want[f.Funnel], func(a, b reached) bool {
			return a.Visitors == b.Visitors && (a.MedianMs == nil) == (b.MedianMs == nil) && (a.MedianMs == nil || *a.MedianMs == *b.MedianMs)
		}) {
			t.Errorf("funnel %s: %s, the script counted %s", f.Funnel, spelled(t, got.Steps), spelled(t, want[f.Funnel]))
		}
	}
	if checked == 0 {
		t.Errorf("no funnels of %s", data)
	}
}

func spelled(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// checkExport publishes what is exported of a site to another topic, for another table, and exports that: it is the same.
func (s *stage) checkExport(t *testing.T, site string, events int64) {
	t.Helper()
	dir := t.TempDir()
	export := func(s *stage, name string, more ...string) string {
		file := filepath.Join(dir, name)
		s.execute(t, append([]string{"export", "events", site, "--from", "2015-01-01", "--to", "2016-01-01", "--output", file}, more...)...)
		return file
	}
	table := s.table + "-copy"
	replica := newStage(s.brokers, s.topic+"-copy", table)
	replica.env = append(slices.Clone(s.env), "FOOTFALL_KAFKA_TOPIC="+replica.topic, "FOOTFALL_TABLE="+table, "FOOTFALL_KAFKA_GROUP=copy")
	replica.execute(t, "table", "create")
	if p := replica.produce(t, "--from-file", export(s, "packed", "--zstd"), "--create-topic", "--retention", "never"); p.Sent != events ||
		p.Refused != 0 {
		t.Fatalf("produce says %+v of the export, want %d sent", p, events)
	}
	replica.countAll(t)
	first, err := os.ReadFile(export(s, "first"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := os.ReadFile(export(replica, "again"))
	if err != nil || len(first) == 0 || string(first) != string(again) {
		t.Errorf("%v; exported %d bytes, and %d of what was published of them: they differ", err, len(first), len(again))
	}
}
