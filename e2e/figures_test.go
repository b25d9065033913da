//go:build unix

package e2e

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// Figures of the page, the API, its CSV and the command line are equal, and add up: of Wikipedia's edits, of an access log, and of a month
// whose consumers were killed. The page is read as HTML, without script.
func TestFiguresAgree(t *testing.T) {
	for _, c := range []struct {
		name     string
		count    func(t *testing.T, s *stage)
		from, to string
		sites    []string
	}{
		{"wikiticker", countWikiticker, "2015-09-12", "2015-09-14", []string{"#en.wikipedia", "#vi.wikipedia", "#nl.wikipedia"}},
		{"access log", countAccessLog, "2015-05-17", "2015-05-21", []string{"www.semicomplete.com"}},
		{"a month with kills", countMonth, monthStart().Format(time.DateOnly), monthStart().AddDate(0, 0, 31).Format(time.DateOnly),
			[]string{monthOwn, monthOther}},
	} {
		t.Run(c.name, func(t *testing.T) {
			slow.Test(t) // Each takes minutes, and CI draws a tenth of what is slow.
			onEmbedded(t, func(t *testing.T, s *stage) {
				s.forever()
				c.count(t, s)
				a := &answers{t: t, stage: s, address: serveStage(t, s), from: c.from, to: c.to, compared: make(map[string]int)}
				a.checkOverview()
				for _, site := range c.sites {
					a.checkSite(site)
				}
				t.Logf("figures compared: %v", a.compared)
			})
		})
	}
}

func countWikiticker(t *testing.T, s *stage) {
	s.countBots()
	s.execute(t, "table", "create")
	produceWikiticker(t, s)
	countAll(t, s)
}

func countAccessLog(t *testing.T, s *stage) {
	s.execute(t, "table", "create")
	s.produce(t, "--from-file", realdata.Path(t, "access-log/apache_logs.gz"), "--count-assets", "--format", "combined",
		"--set", "siteId=www.semicomplete.com", "--visitor-salt", "fixed", "--create-topic", "--partitions", "4", "--retention", "never")
	countAll(t, s)
}

func countAll(t *testing.T, s *stage) {
	consumer := s.consume(t, "consumer")
	s.verify(t)
	consumer.drain()
}

// serveStage serves the table of a stage, and returns the address without a slash at its end.
func serveStage(t *testing.T, s *stage) string {
	t.Helper()
	p := s.start(t, "serve", "serve", "--listen", "127.0.0.1:0")
	address := ""
	eventually(t, "footfall serve prints its address", func() bool {
		p.running()
		_, rest, ok := strings.Cut(p.out.String(), " at ")
		address = strings.TrimSuffix(strings.TrimSpace(rest), "/")
		return ok && strings.HasSuffix(rest, "\n")
	})
	return address
}

// dimensions are those of lists and pages; the last is a property that one site has chosen.
var dimensions = []string{"hostname", "page", "referrer", "channel", "utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term",
	"country", "region", "city", "device", "browser", "os", "event", "property:plan"}

// checkSite compares all figures of a site.
func (a *answers) checkSite(site string) {
	path := "/api/v1/sites/" + url.PathEscape(site)
	of := siteAnswers{answers: a, site: site, path: path, page: "/sites/" + url.PathEscape(site)}
	var totals map[string]any
	for _, by := range []string{"hour", "day"} {
		stats := a.ask([]string{"query", "stats", site, "--by", by, "--fill", "--limit", "1000"}, path+"/stats?by="+by+"&fill=true&limit=1000")
		if totals = stats["totals"].(map[string]any); totals["events"].(float64) < 100 {
			a.t.Fatalf("%s has %v events: the range is wrong", site, totals["events"])
		}
		a.sumsOfBuckets(site, by, stats)
		of.checkGraphs(by, stats)
	}
	uniques := a.ask([]string{"query", "uniques", site}, path+"/uniques")
	a.equal(site+": uniques", fmt.Sprint(uniques["uniqueVisitors"]), fmt.Sprint(totals["uniqueVisitors"]))
	of.checkTiles(totals)
	for _, dimension := range dimensions {
		if dimension == "property:plan" && site != monthOwn {
			continue
		}
		of.checkTop(dimension, totals)
	}
	of.checkLists(totals)
	of.checkSeveral("page")
	of.checkSeveral("country")
	of.checkGoals()
	of.checkSessions()
}

// summed are the figures of buckets that add up to those of the range.
var summed = []string{"events", "pageViews", "sessions", "bounces", "engaged", "durationMs", "values", "valueSum", "conversions",
	"foreignEvents", "overBudgetEvents", "excludedEvents", "excludedPageViews", "botEvents", "botPageViews", "newVisitors"}

// sumsOfBuckets checks that the totals are the sums of the buckets.
func (a *answers) sumsOfBuckets(site, by string, stats map[string]any) {
	totals := stats["totals"].(map[string]any)
	for _, name := range summed {
		want, known := number(totals[name])
		if !known {
			continue
		}
		sum := 0.0
		for _, bucket := range list(stats, "buckets") {
			x, _ := number(bucket[name])
			sum += x
		}
		a.equal(fmt.Sprintf("%s: the sum of %s by %s", site, name, by), fmt.Sprintf("%.6f", sum), fmt.Sprintf("%.6f", want))
	}
}

// checkOverview compares the page of all sites.
func (a *answers) checkOverview() {
	overview := a.ask([]string{"query", "sites", "--limit", "25"}, "/api/v1/overview?limit=25")
	shown := rowsOf(element(a.html("/?"), "table", "class", "sites"))
	sites := list(overview, "sites")
	if len(sites) == 1 { // Then it leads to the page of the site.
		return
	}
	for i, site := range sites {
		if i >= len(shown) {
			a.t.Fatalf("the overview has %d sites, want %d", len(shown), len(sites))
		}
		id := site["siteId"].(string)
		a.equal("overview", shown[i].name, id)
		a.equal(id+" in the overview", shown[i].cells["Visitors"], spelledFigure("uniqueVisitors", site))
		a.equal(id+" in the overview", shown[i].cells["Page views"], spelledFigure("pageViews", site))
	}
}

// titledFigures are the figures of the page by the titles of their tiles.
var titledFigures = map[string]string{"Visitors": "uniqueVisitors", "Page views": "pageViews", "Sessions": "sessions",
	"Bounce rate": "bounceRate", "Avg. duration": "avgDurationMs", "Pages per session": "pagesPerSession", "Conversions": "conversions",
	"New visitors": "newVisitors", "Returning": "returningVisitors", "Events": "events", "Value": "valueSum"}

// checkTiles compares the totals of the page.
func (of siteAnswers) checkTiles(totals map[string]any) {
	shown := 0
	for title, spelled := range tilesOf(of.html(of.page + "?figure=events")) {
		name, known := titledFigures[title]
		if !known {
			of.t.Errorf("%s: there is a figure %q that is not compared", of.site, title)
			continue
		}
		of.equal(of.site+": "+title, spelled, spelledFigure(name, totals))
		shown++
	}
	if shown < 7 {
		of.t.Errorf("%s: %d figures on the page", of.site, shown)
	}
}

// checkGraphs compares each point of each graph, and adds up what can be added.
func (of siteAnswers) checkGraphs(by string, stats map[string]any) {
	for title, name := range titledFigures {
		page := of.html(of.page + "?by=" + by + "&figure=" + name)
		rows, buckets := rowsOf(element(element(page, "details", "class", "figures"), "table", "", "")), list(stats, "buckets")
		if len(rows) != len(buckets) {
			of.t.Fatalf("%s: the graph of %s by %s has %d points, want %d", of.site, name, by, len(rows), len(buckets))
		}
		sum := 0.0
		for i, row := range rows {
			spelled := row.cells[title]
			of.equal(fmt.Sprintf("%s: %s of %s", of.site, name, row.name), spelled, spelledFigure(name, buckets[i]))
			if spelled != "–" && slices.Contains(summed, name) {
				sum += whole(of.t, spelled)
			}
		}
		if tile := tilesOf(page)[title]; slices.Contains(summed, name) && tile != "–" {
			of.equal(fmt.Sprintf("%s: the sum of the points of %s by %s", of.site, name, by), grouped(sum), tile)
		}
	}
}
