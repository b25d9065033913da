//go:build unix

package e2e

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// produceWikiticker publishes the Wikipedia edits, as the README maps them, to a topic that keeps them for ever.
func produceWikiticker(t *testing.T, s *stage, more ...string) {
	t.Helper()
	p := s.produce(t, append([]string{
		"--from-file", realdata.Path(t, "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz"), "--format", "ndjson",
		"--map", "siteId=channel", "--map", "timestamp=time", "--map", "visitorId=user", "--map", "url=/wiki/{page}",
		"--set", "type=edit", "--properties", "rest",
		"--create-topic", "--partitions", "4", "--retention", "never"}, more...)...)
	if p.Sent != 39244 || p.Refused != 0 || p.Failed != 0 {
		t.Fatalf("produce says %+v, want 39,244 sent", p)
	}
}

// wikitickerTotals are what a script of somebody else's counted in the same bytes.
type wikitickerTotals struct {
	Events map[string]int64  `json:"events_per_channel"`
	Users  map[string]uint64 `json:"users_per_channel"`
	Pages  [][2]any          `json:"top10_pages"` // title and events
}

// 39,244 Wikipedia edits of 51 sites end up as the numbers that an independent script counted.
func TestWikitickerAddsUp(t *testing.T) {
	slow.Test(t)
	var want wikitickerTotals
	readJSON(t, "wikiticker/expected-totals.json", &want)
	onStages(t, func(t *testing.T, s *stage) {
		s.forever()
		s.countBots()
		s.set("FOOTFALL_BREAKDOWNS_ROWS", "4096")
		s.set("FOOTFALL_SEAL_INTERVAL", "0s") // A sealed day with this many pages has rows only for the frequent ones.
		s.execute(t, "table", "create")
		produceWikiticker(t, s)
		consumer := s.consume(t, "consumer")
		v := s.verify(t)
		if v.Records != 39244 || v.Compared["pack"] != 39244 {
			t.Errorf("verify recounted %d records and compared %v, want 39,244 records and raw events", v.Records, v.Compared)
		}
		consumer.drain()

		sites := s.sites(t)
		if len(sites) != 51 || len(want.Events) != 51 {
			t.Errorf("%d sites, want 51: %q", len(sites), sites)
		}
		var events int64
		for _, site := range sites {
			got := s.stats(t, site, "2015-09-01", "2015-12-01", "day").Totals
			events += got.Events
			if got.Events != want.Events[site] {
				t.Errorf("%s: %d events, want %d", site, got.Events, want.Events[site])
			}
			checkUniques(t, site, got.UniqueVisitors, want.Users[site])
		}
		if events != 39244 {
			t.Errorf("%d events of all sites, want 39,244", events)
		}
		top := s.top(t, len(want.Pages), "--all-sites", "page", "--sort", "events", "--from", "2015-09-01", "--to", "2015-12-01")
		for i, page := range want.Pages {
			if row := top.Rows[i]; float64(row.Events) != page[1] || row.MaxUndercount != 0 {
				t.Errorf("%d. page %q: %d events, up to %d more, want %v as of %v", i+1, row.Value, row.Events, row.MaxUndercount, page[1], page[0])
			}
		}
	})
}

// checkUniques compares an answer with the true number: exactly where the sketch is exact, and else within three
// times its standard error of 0.81 %, which an unbiased sketch passes once in 370.
func checkUniques(t *testing.T, site string, got, want uint64) {
	t.Helper()
	off := math.Abs(float64(got) - float64(want))
	if want <= 1024 && off != 0 || off > 3*0.0081*float64(want) {
		t.Errorf("%s: %d unique visitors, want %d", site, got, want)
	}
}

// The same edits, all with the same record time: those whose altered dates lie too far from it are rejected, and
// each can be found among the failed events with what was wrong. That real services take as many edits shows the test above.
func TestWikitickerOutOfTimeIsRejected(t *testing.T) {
	slow.Test(t)
	var want wikitickerTotals
	readJSON(t, "wikiticker/expected-totals.json", &want)
	onEmbedded(t, func(t *testing.T, s *stage) {
		s.forever()
		s.countBots()
		s.set("FOOTFALL_BREAKDOWNS_ROWS", "16")
		s.execute(t, "table", "create")
		produceWikiticker(t, s, "--record-time", "2015-09-13T00:00:00Z")
		consumer := s.consume(t, "consumer")
		v := s.verify(t)
		if v.Records != 39244 || v.Compared["pack"] != 39200 {
			t.Errorf("verify recounted %d records and compared %v, want 39,244 records and 39,200 raw events", v.Records, v.Compared)
		}
		consumer.drain()

		var events int64
		for _, site := range s.sites(t) {
			events += s.stats(t, site, "2015-09-01", "2015-12-01", "day").Totals.Events
		}
		if events != 39200 {
			t.Errorf("%d events counted, want 39,200", events)
		}
		checkBounds(t, s, want.Pages)
		reasons := make(map[string]int)
		for _, k := range failedEvents(t, s) {
			reasons[header(k, "reason")]++
			if len(k.Value) == 0 || len(k.Key) == 0 || header(k, "detail") == "" || header(k, "source-topic") != s.topic {
				t.Errorf("entry %q of key %q with headers %v: want the record's bytes and key, and headers that say what is wrong", k.Value, k.Key,
					k.Headers)
			}
		}
		if len(reasons) != 2 || reasons["too_late"] != 3 || reasons["too_early"] != 41 {
			t.Errorf("failed events by reason: %v, want 3 too_late and 41 too_early", reasons)
		}
	})
}

// checkBounds: with far fewer rows than pages the counts of the most frequent ones are uncertain, and the truth lies within
// what is printed. Rows and others are all events.
func checkBounds(t *testing.T, s *stage, pages [][2]any) {
	t.Helper()
	top := s.top(t, 10_000, "--all-sites", "page", "--sort", "events", "--from", "2015-09-01", "--to", "2015-12-01")
	rows := make(map[string]topRow)
	sum, uncertain := top.Other.Events, 0
	for _, row := range top.Rows {
		if page, err := url.PathUnescape(row.Value); err == nil { // Else it was cut inside an escape.
			rows[page] = row
		}
		sum += row.Events
		if row.MaxUndercount > 0 {
			uncertain++
		}
	}
	if sum != 39200 || uncertain == 0 || top.Other.Events == 0 {
		t.Errorf("%d events in %d rows, %d of them uncertain, and %d among others; want 39,200 together", sum, len(rows), uncertain,
			top.Other.Events)
	}
	for _, page := range pages {
		row, known := rows["/wiki/"+page[0].(string)]
		if !known {
			row.MaxUndercount = top.MaxIfAbsent
		}
		if truth := int64(page[1].(float64)); truth < row.Events || truth > row.Events+row.MaxUndercount {
			t.Errorf("%q: %d events, up to %d more; there are %d", page[0], row.Events, row.MaxUndercount, truth)
		}
	}
}

// failedEvents reads the failed-events topic from beginning to end: one entry for each source record, since a step
// that was done again may have published its entries again.
func failedEvents(t *testing.T, s *stage) (entries []*kgo.Record) {
	t.Helper()
	topic := s.topic + ".failed"
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers), kgo.ConsumeTopics(topic))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, topic)
	if err != nil {
		t.Fatal(err)
	}
	var left int64
	ends.Each(func(o kadm.ListedOffset) { left += o.Offset })
	seen := make(map[string]bool)
	for left > 0 {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("read %s: %v, with %d entries left", topic, err, left)
		}
		fetches.EachRecord(func(k *kgo.Record) {
			left--
			source := fmt.Sprint(header(k, "source-topic-id"), header(k, "source-partition"), "/", header(k, "source-offset"))
			if !seen[source] {
				seen[source] = true
				entries = append(entries, k)
			}
		})
	}
	return entries
}

func header(k *kgo.Record, key string) string {
	for _, h := range k.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}
