package serve

import (
	"encoding/json"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// withReturns has the shop count new visitors, and gives it some of the weeks of 27 April and of 4 and 11 May who come back.
func (g *guarded) withReturns() {
	g.t.Helper()
	rules := sites.Revision{Rev: 1000, Site: "shop", Rules: &sites.Rules{NewVisitors: true}}
	if err := sites.Publish(g.t.Context(), g.table, sinks.Keys{}, rules); err != nil {
		g.t.Fatal(err)
	}
	for day, counts := range map[string]map[string]int64{
		"2026-04-28": {sinks.AttrNewVisitors: 40, "rw0": 40}, "2026-05-05": {sinks.AttrNewVisitors: 30, "rw0": 30, "rw1": 10},
		"2026-05-11": {sinks.AttrNewVisitors: 20, "rw0": 20, "rw1": 7, "rw2": 5}, "2026-05-12": {"rw1": 2},
	} {
		at, err := time.Parse(time.DateOnly, day)
		if err != nil {
			g.t.Fatal(err)
		}
		u := sinks.Update{Key: sinks.Keys{}.DayStats("shop", at.UnixMilli())}
		for name, n := range counts {
			u.Add = append(u.Add, sinks.Attr{Name: name, Value: sinks.Int(n)})
		}
		if _, err := g.table.Update(g.t.Context(), u); err != nil {
			g.t.Fatal(err)
		}
	}
}

const shopRetention = "/api/v1/sites/shop/retention"

// A credential that is limited to a range hears of the weeks that lie in it, and one with filters nothing.
func TestRetentionStaysWithinTheCredential(t *testing.T) {
	g, some := sharedServer(t, someDays)
	g.withReturns()
	all := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	locked := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: []access.Filter{{"page^=/de"}}}})
	of := "?from=2026-04-27"
	for _, c := range []struct {
		address string
		code    int
		weeks   string // of the cohorts: new visitors, and those of later weeks
	}{
		{all + shopRetention + of, http.StatusOK, "40: 10 5; 30: 9; 20:"},
		{all + shopRetention + "?from=2026-04-28&to=2026-05-11", http.StatusOK, "30:"},
		{all + shopRetention + of + "&to=2026-05-10", http.StatusOK, "40:"},
		{some + shopRetention, http.StatusOK, "30:"},
		{some + shopRetention + of, http.StatusForbidden, ""},
		{some + shopRetention + "?to=2026-05-12", http.StatusForbidden, ""},
		{some + shopRetention + "?period=month", http.StatusForbidden, ""},
		{locked + shopRetention + of, http.StatusForbidden, ""},
		{all + "/api/v1/sites/blog/retention" + of, http.StatusForbidden, ""},
	} {
		r, text := ask(t, g.Handler, c.address)
		if r.Code != c.code {
			t.Errorf("%s: %d, want %d: %s", c.address, r.Code, c.code, text)
			continue
		}
		var a query.RetentionAnswer
		if err := json.Unmarshal([]byte(text), &a); r.Code == http.StatusOK && err != nil {
			t.Fatal(err)
		}
		if weeks := spellCohorts(a); weeks != c.weeks {
			t.Errorf("%s: %s, want %s", c.address, weeks, c.weeks)
		}
	}
	r, text := ask(t, g.Handler, all+shopRetention+of+"&format=csv")
	wants(t, "CSV", r, text, http.StatusOK, "start,newVisitors,week1,week2,weekInProgress")
	for _, row := range []string{",40,10,5,2", ",30,9,,1", ",20,,,0"} {
		wants(t, "CSV", r, text, http.StatusOK, row+"\n")
	}
	years := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: access.Limits{From: "2020-01-01"}})
	for base, want := range map[string]struct {
		card, all bool
	}{all: {true, true}, some: {true, false}, years: {true, true}, locked: {}} {
		address := base + "/sites/shop"
		if base == years {
			address += "?from=2020-01-01"
		}
		r, text = ask(t, g.Handler, address, "Accept", "text/html")
		if card, later := strings.Contains(text, "retention-card"), strings.Contains(text, "9 of 30"); r.Code != http.StatusOK ||
			card != want.card || later != want.all {
			t.Errorf("page of %s: %d, card %v, later weeks %v; want %+v", base, r.Code, card, later, want)
		}
		if !want.card {
			continue
		}
		if want.all && strings.Count(text, "% <small>so far</small>") != 2 {
			t.Errorf("page of %s: want the two shares of the running week marked as so far", base)
		}
		link := regexp.MustCompile(`href="([^"]*/retention\?[^"]*)"`).FindStringSubmatch(text)
		if link == nil {
			t.Errorf("page of %s: want a link to the CSV of the card", base)
			continue
		}
		csv, rows := ask(t, g.Handler, html.UnescapeString(link[1]))
		wants(t, "CSV of the card of "+base, csv, rows, http.StatusOK, "start,newVisitors")
		if lines := strings.Count(rows, "\n") - 1; want.all && lines != 3 || !want.all && lines != 1 {
			t.Errorf("CSV of the card of %s has %d weeks:\n%s", base, lines, rows)
		}
	}
}

// spellCohorts spells the cohorts of an answer.
func spellCohorts(a query.RetentionAnswer) string {
	var all []string
	number := func(n *int64) string {
		b, _ := json.Marshal(n)
		return string(b)
	}
	for _, c := range a.Cohorts {
		s := number(c.NewVisitors) + ":"
		for _, l := range c.Later {
			s += " " + number(l.Visitors)
		}
		all = append(all, s)
	}
	return strings.Join(all, "; ")
}
