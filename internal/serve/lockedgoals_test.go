package serve

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// goal gives the shop a goal by a page.
func (g *guarded) goal(id, page string) {
	g.t.Helper()
	goal := sites.Goal{ID: id, N: 1, On: sites.Pattern{On: sites.OnPage, How: sites.MatchPrefix, Text: page}}
	key := sinks.Keys{}.Goal("shop", id)
	if _, err := g.table.Put(g.t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrSiteID: sinks.Str("shop"), sinks.AttrGoal: sinks.Str(id), sinks.AttrGoalNumber: sinks.Int(1), sinks.AttrRev: sinks.Int(1),
		sinks.AttrDefinition: sinks.Str(goal.String())}}); err != nil {
		g.t.Fatal(err)
	}
}

// A credential that is limited to a range does not see what its sessions reach afterwards.
func TestRowsOfARangeHaveNoLaterConversions(t *testing.T) {
	g, base := sharedServer(t, someDays)
	g.goal("bought", "/thanks")
	end := time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)
	g.raw(end.Add(-time.Minute), "DE", "/de", "s")
	g.raw(end.Add(time.Minute), "DE", "/thanks", "s")
	all := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: []access.Filter{{"country=DE"}}}})
	for link, n := range map[string]string{base: "0", all: "1"} {
		r, text := ask(t, g.Handler, link+"/api/v1/sites/shop/top/country?from=2026-05-10&to=2026-05-11&where=country%3DDE")
		for _, want := range []string{`"conversions": ` + n, `"convertedSessions": ` + n, `"sessions": 1`} {
			wants(t, link, r, text, http.StatusOK, want)
		}
		r, text = ask(t, g.Handler, link+"/sites/shop/top/country?from=2026-05-10&to=2026-05-11&where=country%3DDE",
			"Accept", "text/html")
		if has := strings.Contains(html.UnescapeString(text), "Conversions</"); r.Code != http.StatusOK || has != (n == "1") {
			t.Errorf("%s: the page has conversions: %v, of %s: %d: %s", link, has, n, r.Code, text)
		}
	}
}

// A credential that is limited to a range does not see how long its sessions last, or what they view, afterwards.
func TestSessionsEndWithTheRangeOfACredential(t *testing.T) {
	g, base := sharedServer(t, someDays)
	end := time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)
	g.raw(end.Add(-time.Minute), "DE", "/de", "s")
	g.raw(end.Add(time.Minute), "DE", "/later", "s")
	all := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: []access.Filter{{"country=DE"}}}})
	for link, want := range map[string]struct{ duration, bounces, exit string }{
		base: {`"durationMs": 0,`, `"bounces": 1,`, `"value": "/de"`},
		all:  {`"durationMs": 120000,`, `"bounces": 0,`, `"value": "/later"`},
	} {
		for path, figures := range map[string][]string{"stats": {want.duration, want.bounces}, "uniques": {want.duration, want.bounces},
			"top/country": {want.duration, want.bounces}, "top/exit": {want.exit, want.duration}} {
			r, text := ask(t, g.Handler, link+"/api/v1/sites/shop/"+path+"?from=2026-05-10&to=2026-05-11&where=country%3DDE"+
				"&exact=true")
			for _, figure := range figures {
				wants(t, link+" "+path, r, text, http.StatusOK, figure)
			}
		}
	}
}

// A filter that all events pass has all figures of a link end with its range, for who would rather not show whole sessions.
func TestAFilterThatAllPassEndsSessionsWithTheRange(t *testing.T) {
	g, _ := sharedServer(t, someDays)
	end := time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)
	for _, country := range []string{"DE", "AT", "CH"} {
		g.raw(end.Add(-time.Minute), country, "/last", country)
		g.raw(end.Add(time.Minute), country, "/later", country)
	}
	limits := someDays
	limits.Where = []access.Filter{{"country!=-"}}
	base := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: limits})
	for path, want := range map[string]string{
		"/stats": `"durationMs": 0,`, "/stats?by=hour": `"bounces": 3,`, "/stats?format=csv": ",3,3,1,", "/uniques": `"sessions": 3,`,
		"/top/page": `"bounces": 3,`, "/top/exit": `"value": "/last"`, "/top/country": `"bounces": 1,`,
	} {
		r, text := ask(t, g.Handler, base+"/api/v1/sites/shop"+path)
		wants(t, path, r, text, http.StatusOK, want)
		if strings.Contains(text, "/later") || strings.Contains(text, "120000") {
			t.Errorf("%s has what is later: %s", path, text)
		}
	}
	r, text := ask(t, g.Handler, base+"/sites/shop", "Accept", "text/html")
	if wants(t, "page", r, text, http.StatusOK, "100.0"); strings.Contains(text, "/later") || strings.Contains(text, "2m 0s") {
		t.Errorf("the page has what is later: %s", text)
	}
}

// A link that is locked to a goal that is missing does not name the goals that are there.
func TestLinksLockedToAMissingGoalNameNoOthers(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.goal("bought", "/thanks")
	link := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: []access.Filter{{"goal=gone"}}}})
	for path, code := range map[string]int{"/sites/shop": http.StatusOK, "/sites/shop/top/page": http.StatusOK,
		"/api/v1/sites/shop/stats": http.StatusUnprocessableEntity, "/api/v1/sites/shop/top/page": http.StatusUnprocessableEntity} {
		r, text := ask(t, g.Handler, link+path+"?from=-7d", "Accept", "text/html")
		if text = html.UnescapeString(text); r.Code != code || strings.Contains(text, "bought") ||
			!strings.Contains(text, "the site has no active goal of this id") {
			t.Errorf("%s: %d, want %d without the goal bought: %s", path, r.Code, code, text)
		}
	}
}

// Rows under filters are sorted by rates, on the page and in the API. A credential that is locked to a goal hears no rate of conversions,
// nor the order by it.
func TestFilteredRowsAreSortedByRates(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.goal("bought", "/thanks")
	day := time.Date(2026, 5, 11, 9, 0, 0, 0, time.UTC)
	g.raw(day, "FR", "/", "s1")
	g.raw(day, "DE", "/", "s2")
	g.raw(day.Add(time.Minute), "DE", "/thanks", "s2")
	link := func(where string) string {
		return "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
			Limits: access.Limits{Where: []access.Filter{{where}}}})
	}
	const top, of = "/sites/shop/top/country", "?from=2026-05-11&to=2026-05-12&sort="
	sorted := regexp.MustCompile(`<th[^>]*aria-sort[^>]*>[^<]*(?:<a[^>]*>)?([^<]*)`)
	for _, c := range []struct {
		where, sort, shown string
		code               int
	}{
		{"country!=XX", "bounceRate", "Bounce rate", http.StatusOK},
		{"country!=XX", "avgDurationMs", "Avg. duration", http.StatusOK},
		{"country!=XX", "conversionRate", "Conv. rate", http.StatusOK},
		{"goal=bought", "bounceRate", "Bounce rate", http.StatusOK},
		{"goal=bought", "conversionRate", "Visitors", http.StatusForbidden},
		{"country!=XX", "conversionRate&minCount=1", "Conv. rate", http.StatusOK},
		{"goal=bought", "conversionRate&minCount=1", "Visitors", http.StatusForbidden},
	} {
		base := link(c.where)
		if r, text := ask(t, g.Handler, base+"/api/v1"+top+of+c.sort); r.Code != c.code {
			t.Errorf("%s by %s: %d, want %d: %s", c.where, c.sort, r.Code, c.code, text)
		}
		r, text := ask(t, g.Handler, base+top+of+c.sort, "Accept", "text/html")
		if found := sorted.FindStringSubmatch(text); r.Code != http.StatusOK || found == nil || found[1] != c.shown {
			t.Errorf("%s: the page by %s: %d, sorted by %q, want %q: %s", c.where, c.sort, r.Code, found, c.shown, text)
		}
		if hidden := c.where == "goal=bought"; strings.Contains(text, "sort=conversionRate") == hidden {
			t.Errorf("%s: the page offers to sort by the rate of conversions: %v", c.where, !hidden)
		}
	}
}
