package serve

import (
	"html"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/sites"
)

// withFunnel gives the shop a funnel from /de, which visitors saw on 4, 5 and 12 May, to /thanks.
func (g *guarded) withFunnel() {
	g.t.Helper()
	g.funnel()
	for _, day := range []int{4, 5, 12} {
		for hour := range 3 {
			at := time.Date(2026, 5, day, hour, 30, 0, 0, time.UTC)
			g.raw(at, "DE", "/de", "s"+at.String())
			g.raw(at.Add(time.Minute), "FR", "/fr", "s"+at.String())
		}
	}
}

// funnel creates a funnel from /de to /thanks.
func (g *guarded) funnel() {
	g.t.Helper()
	d := sites.Funnel{ID: "buy", Name: "Buys", Window: sites.DefaultFunnelWindow}
	for _, text := range []string{"page:/de", "page:/thanks"} {
		step, err := sites.ParsePattern(text)
		if err != nil {
			g.t.Fatal(err)
		}
		d.Steps = append(d.Steps, step)
	}
	store := sites.FunnelStore{Table: g.table, By: "editor@example", Now: func() time.Time { return g.now }}
	if _, err := store.Create(g.t.Context(), "shop", d); err != nil {
		g.t.Fatal(err)
	}
}

const funnelReport, funnelPage = "/api/v1/sites/shop/funnels/buy/report", "/sites/shop/funnels/buy"

// A share link has funnels: their list, their reports of its own range, and their pages. It hears neither who wrote them nor how many raw
// events there are.
func TestShareLinksHaveFunnels(t *testing.T) {
	g, some := sharedServer(t, someDays)
	g.withFunnel()
	all := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	of := "?from=2026-05-01&to=2026-05-12T12:00:00Z"
	for _, c := range []struct {
		base, query, api, page string
	}{{all, of, `"visitors": 9`, ">9<"}, {some, "", `"visitors": 6`, ">6<"}} {
		r, text := ask(t, g.Handler, c.base+funnelReport+c.query)
		wants(t, c.base+" report", r, text, http.StatusOK, c.api)
		for _, said := range []string{`"eventsRead": 0`, `"readUnits": 0`, `"eventsMissing": 0`, `"changedBy": ""`} {
			wants(t, c.base+" report", r, text, http.StatusOK, said)
		}
		r, text = ask(t, g.Handler, c.base+"/api/v1/sites/shop/funnels")
		wants(t, c.base+" list", r, text, http.StatusOK, `"changedBy": ""`)
		r, text = ask(t, g.Handler, c.base+funnelPage+c.query, "Accept", "text/html")
		wants(t, c.base+" page", r, text, http.StatusOK, c.page)
		if text = html.UnescapeString(text); strings.Contains(text, "raw events") || strings.Contains(text, "maxEvents") {
			t.Errorf("the page says what raw events there are: %s", text)
		}
		r, text = ask(t, g.Handler, c.base+"/sites/shop"+c.query, "Accept", "text/html")
		wants(t, c.base+" site", r, html.UnescapeString(text), http.StatusOK, c.base+funnelPage)
	}
	for address, code := range map[string]int{all + funnelReport + of + "&maxEvents=7": http.StatusForbidden,
		all + funnelPage + of + "&maxEvents=7": http.StatusForbidden, some + funnelReport + "?to=2026-05-12": http.StatusForbidden,
		some + funnelPage + "?to=2026-05-12": http.StatusForbidden, some + funnelReport + "?where=country%3DDE": http.StatusOK,
		all + funnelReport + of + "&where=country%3DFR": http.StatusOK, all + "/sites/blog/funnels/buy": http.StatusForbidden} {
		if r, text := ask(t, g.Handler, address, "Accept", "text/html, application/json"); r.Code != code {
			t.Errorf("%s: %d, want %d: %s", address, r.Code, code, text)
		}
	}
	r, text := ask(t, g.Handler, all+funnelReport+of+"&where=country%3DDE")
	if wants(t, "filtered", r, text, http.StatusOK, `"cost": null`); !strings.Contains(text, `"visitors": 9`) {
		t.Errorf("filtered: %s", text)
	}
}

// A share link does not say why raw events cannot be read, such as which partition has none.
func TestSharedFunnelsDoNotSayWhyTheyAreNotKnown(t *testing.T) {
	g, base := sharedServer(t, someDays)
	g.withFunnel()
	g.parked() // They are switched off.
	r, text := ask(t, g.Handler, base+funnelReport)
	wants(t, "report", r, text, http.StatusUnprocessableEntity, "raw events are missing, or are more than a request may read")
	r, text = ask(t, g.Handler, base+funnelPage, "Accept", "text/html")
	wants(t, "page", r, text, http.StatusOK, "raw events of this range are missing, or are more")
	if strings.Contains(text, "of-the-operator") || strings.Contains(text, "rawEvents") {
		t.Errorf("the page says why: %s", text)
	}
}

// A credential with filters gets funnels under them, and hears neither of other events, bots included, nor how many there are.
func TestLockedCredentialsHaveFunnelsUnderTheirFilters(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.withFunnel()
	g.rawBot(time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC), "FR", "/fr", "bot")
	const of = "?from=2026-05-04&to=2026-05-11"
	all := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	r, text := ask(t, g.Handler, all+funnelReport+of)
	wants(t, "without filters", r, text, http.StatusOK, `"botEvents": 1`)
	for _, base := range g.lockedBases(s) {
		for _, want := range []string{`"visitors": 6`, `"locked": [`, `"botEvents": 0`, `"eventsRead": 0`, `"cost": null`, `"changedBy": ""`} {
			r, text := ask(t, g.Handler, base+funnelReport+of)
			wants(t, base+" report", r, text, http.StatusOK, want)
		}
		r, text := ask(t, g.Handler, base+funnelReport+of+"&where=browser%3DChrome")
		wants(t, base+" own filter", r, text, http.StatusOK, `"visitors": 0`)
		r, text = ask(t, g.Handler, base+funnelPage+of, "Accept", "text/html")
		wants(t, base+" page", r, text, http.StatusOK, ">6<")
		if wrong := pageBeyond(text, nil); wrong != "" || strings.Contains(text, "of bots") || strings.Contains(text, "maxEvents") {
			t.Errorf("the page has %s: %s", wrong, text)
		}
		r, text = ask(t, g.Handler, base+"/sites/shop"+of, "Accept", "text/html")
		wants(t, base+" site", r, html.UnescapeString(text), http.StatusOK, base+funnelPage+of)
		r, text = ask(t, g.Handler, base+"/api/v1/sites/shop/funnels")
		wants(t, base+" list", r, text, http.StatusForbidden, "filters")
		for _, path := range []string{funnelReport, funnelPage} {
			r, text = ask(t, g.Handler, base+path+of+"&maxEvents=5", "Accept", "application/json")
			wants(t, base+path, r, text, http.StatusForbidden, "maxEvents")
		}
	}
}

// A funnel that a credential with a range filters looks at nothing after the range: the exit page of a session is the last one within.
func TestFilteredFunnelsEndWithTheRangeOfACredential(t *testing.T) {
	g, some := sharedServer(t, someDays)
	g.funnel()
	end := time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)
	g.raw(end.Add(-time.Minute), "DE", "/de", "late")
	g.raw(end.Add(time.Minute), "DE", "/secret", "late")
	all := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	for base, visitors := range map[string]string{some: `"visitors": 1`, all: `"visitors": 0`} {
		r, text := ask(t, g.Handler, base+funnelReport+"?from=2026-05-04&to=2026-05-11&where=exit%3D/de")
		wants(t, base, r, text, http.StatusOK, visitors)
	}
}
