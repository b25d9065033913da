//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A month of events of two sites, and how often their consumer is killed.
const (
	monthOwn, monthOther = "month.example", "zone.example" // The days of the second begin at 18:30 UTC.
	monthKills           = 4
)

// monthStart is the first day of the month before last, which is over in every zone.
func monthStart() time.Time {
	now := time.Now().UTC()
	return time.Date(now.Year(), now.Month()-2, 1, 0, 0, 0, 0, time.UTC)
}

// countMonth counts a month of events with consumers that are killed one after the other, and verifies what they have counted.
func countMonth(t *testing.T, s *stage) {
	s.set("FOOTFALL_LIMITS_FLUSH_ITEMS", "300") // Many flushes, so that a kill is likely to be in the middle of one.
	s.set("FOOTFALL_BOTS_RATE", "0")
	s.set("FOOTFALL_KAFKA_SESSION_TIMEOUT", "10s") // After a kill the next consumer waits no longer for the partitions.
	s.execute(t, "table", "create")
	s.execute(t, "site", "create", monthOwn, "--new-visitors", "on", "--property", "plan")
	s.execute(t, "site", "create", monthOther, "--zone", "Asia/Kolkata")
	s.execute(t, "goal", "create", monthOwn, "bought", "--on", "page:/thanks", "--value", "2.5")
	s.execute(t, "goal", "create", monthOwn, "signup", "--on", "event:signup")
	parts := monthOfEvents(t, monthKills+1)
	counted, inTheMiddle := int64(0), 0
	sent := int64(0)
	for i, file := range parts {
		p := s.produce(t, "--from-file", file, "--format", "events", "--create-topic", "--partitions", "3", "--retention", "never")
		if p.Failed != 0 || p.Refused != 0 {
			t.Fatalf("produce says %+v", p)
		}
		sent += p.Sent
		consumer := s.consume(t, fmt.Sprint("consumer ", i))
		if i == monthKills {
			s.verify(t)
			consumer.drain()
			break
		}
		eventually(t, "more is counted than before", func() bool { consumer.running(); return monthCounted(t, s) > counted })
		consumer.kill()
		if counted = monthCounted(t, s); counted < sent*19/20 { // A twentieth are duplicates.
			inTheMiddle++
		}
	}
	t.Logf("%d records; %d kills, %d of them before all was counted", sent, monthKills, inTheMiddle)
}

func monthCounted(t *testing.T, s *stage) (n int64) {
	t.Helper()
	for _, site := range []string{monthOwn, monthOther} {
		n += s.stats(t, site, monthStart().Format(time.DateOnly), "now", "month").Totals.Events
	}
	return n
}

// monthOfEvents writes the events of 30 days to files, in the order of their time: sessions of visitors who come back, with and without
// values in each dimension, some of them sent twice, and bots.
func monthOfEvents(t *testing.T, files int) (paths []string) {
	t.Helper()
	const sessions = 3000
	dice := rand.New(rand.NewPCG(19, 7))
	dir, start := t.TempDir(), monthStart()
	one := func(of ...string) string { return of[dice.IntN(len(of))] }
	var out *os.File
	for i := range sessions {
		if i%(sessions/files) == 0 && len(paths) < files {
			paths = append(paths, filepath.Join(dir, fmt.Sprintf("part-%d.ndjson", len(paths))))
			var err error
			if out, err = os.Create(paths[len(paths)-1]); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { out.Close() })
		}
		at := start.Add(time.Duration(i) * 30 * 24 * time.Hour / sessions)
		common := map[string]any{"siteId": one(monthOwn, monthOwn, monthOther), "visitorId": fmt.Sprint("v", dice.IntN(900)),
			"sessionId": fmt.Sprint("s", i), "country": one("DE", "FR", "IN", ""), "region": one("BE", "BY", ""), "city": one("Berlin", "", ""),
			"device": one("desktop", "mobile"), "referrer": one("", "https://news.example/a", "https://www.google.com/"), "userAgent": one(
				"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "", "", "Googlebot/2.1")}
		for j := range 1 + dice.IntN(4) {
			e := map[string]any{"type": "page_view", "id": fmt.Sprint(i, "-", j), "timestamp": at.UnixMilli(),
				"url": "https://www.example" + one("/", "/docs", "/thanks", fmt.Sprint("/p/", dice.IntN(300))) +
					one("", "", "?utm_source=letter&utm_campaign=may")}
			if dice.IntN(6) == 0 {
				e["type"], e["name"], e["value"] = "signup", one("free", "paid"), dice.IntN(4000)
				e["properties"] = map[string]any{"plan": one("a", "b")}
			}
			for name, value := range common {
				if value != "" {
					e[name] = value
				}
			}
			line, err := json.Marshal(e)
			if err != nil {
				t.Fatal(err)
			}
			for range 1 + dice.IntN(20)/19 {
				if _, err := fmt.Fprintf(out, "%s\n", line); err != nil {
					t.Fatal(err)
				}
			}
			at = at.Add(time.Duration(dice.IntN(400)) * time.Second)
		}
	}
	return paths
}
