//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// What long visits are made of. Each list begins with what is frequent.
var (
	chaosAgents = []string{
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1",
		"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
	}
	chaosReferrers = []string{"", "https://www.google.com/", "https://news.ycombinator.com/item?id=1", "https://semalt.com/x",
		"https://partner.example/"}
	chaosQueries = []string{"", "?utm_source=newsletter&utm_medium=email&utm_campaign=weekly",
		"?utm_source=google&utm_medium=cpc&utm_term=shoes"}
	chaosPlaces = [][3]string{{"DE", "Berlin", "Berlin"}, {"IN", "Karnataka", "Bengaluru"}, {"US", "New York", "New York"},
		{"JP", "Tokyo", "東京"}}
	chaosZones = []string{"Asia/Kolkata", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "Europe/Berlin"}
)

func chaosSite(n int) string { return fmt.Sprintf("site-%d.example", n) }

// visits writes events of long visits, a few of them twice, until nobody reads them. Synthetic traffic has three events a
// session, and so a write of a session for every third event, which is more than DynamoDB Local takes of a million. A
// sixth of the visitors send no session's id, some visits are bots', and a quarter pass the rate that makes them bots'.
func (c *chaos) visits(w *io.PipeWriter, producer int) {
	rng := rand.New(rand.NewPCG(*chaosSeed, uint64(producer)))
	few := func(n int) int { return min(rng.IntN(n), rng.IntN(n)) } // The first ones more often.
	type visit struct {
		number, left int
		event        map[string]any // what all of its events have
	}
	var going [50]visit
	types := []string{"page_view", "page_view", "click", "engagement", "purchase"}
	for n, begun := 0, 0; ; n++ {
		v := &going[rng.IntN(len(going))]
		if v.left == 0 {
			begun++
			place := chaosPlaces[few(len(chaosPlaces))]
			*v = visit{begun, 1 + rng.IntN(2**chaosVisit), map[string]any{
				"siteId": chaosSite(rng.IntN(int(c.open.Load()))), "visitorId": fmt.Sprint("v-", begun%5000), "sessionId": fmt.Sprintf("s-%d-%d",
					producer, begun),
				"userAgent": chaosAgents[few(len(chaosAgents))], "referrer": chaosReferrers[few(len(chaosReferrers))],
				"country": place[0], "region": place[1], "city": place[2],
			}}
			if begun%6 == 0 {
				v.event["visitorId"] = fmt.Sprintf("n-%d-%d", producer, begun)
				delete(v.event, "sessionId")
			}
		}
		v.left--
		e := v.event
		e["id"], e["timestamp"], e["type"] = fmt.Sprintf("%d-%d", producer, n), time.Now().UnixMilli(), types[rng.IntN(len(types))]
		e["url"] = fmt.Sprintf("https://%s/%d%s", e["siteId"], few(1000), chaosQueries[few(len(chaosQueries))])
		delete(e, "name")
		delete(e, "value")
		if e["type"] == "purchase" {
			e["name"], e["value"] = fmt.Sprint("order ", rng.IntN(3)), float64(rng.IntN(20000)-5000)/100
		}
		line, err := json.Marshal(e)
		if err != nil {
			panic(err) // Texts and numbers marshal.
		}
		for range 1 + max(0, rng.IntN(100)-98) {
			if _, err := w.Write(append(line, '\n')); err != nil {
				return
			}
		}
	}
}

// decide has the rules of a site changed, in ways that hold at once: every other time its goals.
func (c *chaos) decide() {
	c.t.Helper()
	c.awaitWork(c.rng.IntN(len(c.members)))
	sites := c.sites(c.t)
	site := sites[c.rng.IntN(len(sites))]
	if c.rules++; c.rules%2 == 1 {
		if len(c.goals) == 0 {
			c.aimAll(sites)
		}
		c.reconsider(site)
		return
	}
	c.execute(c.t, append([]string{"site", "update", site}, [][]string{
		{"--user-agents", "firefox/150"}, {"--referrers", "partner.example"}, {"--raw-days", fmt.Sprint(10 + c.rng.IntN(90))},
		{"--user-agents", "", "--referrers", ""}, {"--day-days", fmt.Sprint(800 + c.rng.IntN(90))},
	}[c.rng.IntN(5)]...)...)
}

// chaosGoals are what goals of a chaos mean, of its own visits and of synthetic traffic.
var chaosGoals = [][]string{{"--on", "event:purchase"}, {"--on", "page-prefix:/1"}, {"--on", "page-regexp:[02468]$", "--value", "0.5"},
	{"--on", "page-contains:2"}, {"--duration", "2s"}, {"--on", "name:order 1"}}

// aimAll gives every site a goal that some of its sessions will reach.
func (c *chaos) aimAll(sites []string) {
	c.t.Helper()
	for i, site := range sites {
		c.goals[site] = 1
		c.execute(c.t, append([]string{"goal", "create", site, "goal 1"}, chaosGoals[i%4]...)...)
	}
}

// reconsider gives a site two goals, or changes one of those that it has, and now and then deletes it and makes another of its id.
func (c *chaos) reconsider(site string) {
	c.t.Helper()
	means := func() []string { return chaosGoals[c.rng.IntN(len(chaosGoals))] }
	if c.goals[site] == 0 || c.rng.IntN(3) == 0 {
		for range 2 {
			c.goals[site]++
			c.execute(c.t, append([]string{"goal", "create", site, fmt.Sprint("goal ", c.goals[site])}, means()...)...)
		}
		return
	}
	id := fmt.Sprint("goal ", 1+c.rng.IntN(c.goals[site]))
	switch c.rng.IntN(3) {
	case 0:
		c.execute(c.t, append([]string{"goal", "update", site, id}, means()...)...)
	case 1:
		c.execute(c.t, "goal", "update", site, id, []string{"--active", "--inactive"}[c.rng.IntN(2)])
	default:
		c.execute(c.t, "goal", "delete", site, id)
		c.execute(c.t, append([]string{"goal", "create", site, id}, means()...)...)
	}
}

// createSite lets visits go to a site that is created just before.
func (c *chaos) createSite() {
	c.t.Helper()
	if *chaosVisit == 0 {
		c.t.Fatal("event \"site\": synthetic traffic names its own sites; set -chaos.visit")
	}
	c.awaitWork(c.rng.IntN(len(c.members)))
	c.create(int(c.open.Load()))
	c.open.Add(1)
	c.created++
}

func (c *chaos) create(n int) {
	c.t.Helper()
	c.execute(c.t, "site", "create", chaosSite(n), "--zone", chaosZones[n%len(chaosZones)], "--shards", fmt.Sprint(1+n%5))
}
