package testpipeline

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// Traffic makes records of a few busy sessions, so that steps share sessions, hours and days: late events that move
// starts, records without a session, records to be rejected, over several partitions.
func Traffic(seed uint64, partitions int32, n int, start time.Time) []Record {
	rng := rand.New(rand.NewPCG(seed, 2))
	list := make([]Record, n)
	for i := range list {
		p := rng.Int32N(partitions)
		now := start.Add(time.Duration(i) * 1500 * time.Millisecond)
		when := now.Add(-time.Duration(rng.IntN(90)) * time.Second)
		if rng.IntN(20) == 0 {
			when = now.Add(-time.Duration(rng.IntN(3*3600)) * time.Second)
		}
		e := map[string]any{
			"siteId": fmt.Sprintf("site-%d", rng.IntN(2)), "type": []string{"page_view", "click", "ping"}[rng.IntN(3)],
			"timestamp": when.UnixMilli(), "visitorId": someVisitor(p, rng.IntN(30)), "id": fmt.Sprint(i),
			"url": fmt.Sprintf("/p%d", rng.IntN(8)),
		}
		if rng.IntN(10) > 0 {
			e["sessionId"] = someSession(p, i/60*3+rng.IntN(3))
		}
		if rng.IntN(8) == 0 {
			e["value"] = rng.IntN(1000)
		}
		if rng.IntN(10) == 0 {
			e["userId"] = SomeUser(rng.IntN(3))
		}
		embellish(e, rng)
		if rng.IntN(25) == 0 {
			delete(e, "siteId")
		}
		list[i] = Record{Partition: p, Key: "k", At: now, Value: MustJSON(e)}
	}
	return list
}

// someVisitor, someSession and SomeUser make ids, some of which keys spell as the 16 bytes that they are.
func someVisitor(partition int32, n int) string {
	if n%10 == 0 {
		return fmt.Sprintf("%032x", 100*int(partition)+n)
	}
	return fmt.Sprintf("v%d-%d", partition, n)
}

func someSession(partition int32, n int) string {
	if n%3 == 0 {
		return fmt.Sprintf("c0a8017e-3d2f-4f0e-8a4c-%012x", 1000*int(partition)+n)
	}
	return fmt.Sprintf("s%d-%d", partition, n)
}

// SomeUser makes the id of a user.
func SomeUser(n int) string {
	if n == 2 {
		return "5f2b9c1e8a414c7d9a550c2a44d1b6f3"
	}
	return fmt.Sprint("u", n)
}

// embellish gives an event what breakdowns are made of: more values than have rows, some of them often. Some are bots'.
func embellish(e map[string]any, rng *rand.Rand) {
	few := func(name string, n int) string { return fmt.Sprintf("%s%d", name, min(rng.IntN(n), rng.IntN(n))) }
	if rng.IntN(3) == 0 {
		e["url"] = fmt.Sprintf("https://%s.example/%s?utm_source=%s&utm_campaign=%s", few("h", 4), few("deep/", 40), few("s", 9), few("c", 12))
	}
	if rng.IntN(2) == 0 {
		e["referrer"] = []string{"https://www.google.com/", "https://t.co/x", "https://" + few("r", 30) + ".example/"}[rng.IntN(3)]
		if rng.IntN(12) == 0 {
			e["referrer"] = "https://www.semalt.com/crawler"
		}
	}
	if rng.IntN(2) == 0 {
		e["userAgent"] = []string{
			"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
			"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) " +
				"Version/17.5 Mobile/15E148 Safari/604.1",
			"Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0"}[rng.IntN(3)]
		if rng.IntN(12) == 0 {
			e["userAgent"] = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
		}
	}
	if rng.IntN(6) == 0 { // Given, not read from the user agent.
		e["browser"] = few("browser ", 6)
	}
	if rng.IntN(4) == 0 {
		e["country"], e["city"] = few("C", 20), few("city ", 60)
	}
	if e["type"] == "click" {
		e["name"] = few("button ", 15)
	}
}

// With are options on another table, with intervals that differ by seed.
func (w *World) With(table sinks.Table, seed uint64) pipeline.Options {
	o := w.Options()
	o.Table, o.ServerBalanced = table, w.Balanced
	o.StatsInterval = time.Duration(2+seed%7) * time.Second
	o.RealtimeInterval = time.Duration(1+seed%3) * time.Second
	o.Settings.Bots.Rate = 6
	if seed%2 == 1 {
		o.Limits.StepItems = 20
	}
	return o
}

// BubbleStart is where the clock of every bubble begins.
var BubbleStart = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
