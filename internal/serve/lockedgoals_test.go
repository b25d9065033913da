package serve

import (
	"html"
	"net/http"
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
		Limits: access.Limits{Where: []string{"country=DE"}}})
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

// A link that is locked to a goal that is missing does not name the goals that are there.
func TestLinksLockedToAMissingGoalNameNoOthers(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.goal("bought", "/thanks")
	link := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: []string{"goal=gone"}}})
	for path, code := range map[string]int{"/sites/shop": http.StatusOK, "/sites/shop/top/page": http.StatusOK,
		"/api/v1/sites/shop/stats": http.StatusUnprocessableEntity, "/api/v1/sites/shop/top/page": http.StatusUnprocessableEntity} {
		r, text := ask(t, g.Handler, link+path+"?from=-7d", "Accept", "text/html")
		if text = html.UnescapeString(text); r.Code != code || strings.Contains(text, "bought") ||
			!strings.Contains(text, "the site has no active goal of this id") {
			t.Errorf("%s: %d, want %d without the goal bought: %s", path, r.Code, code, text)
		}
	}
}
