package serve

import (
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
)

const pathsAPI, pathsPage = "/api/v1/sites/shop/paths", "/sites/shop/paths"

// strolled puts a session from Germany that views a page in France on its way, and one that begins at the end of someDays.
func (g *guarded) strolled() {
	g.t.Helper()
	at := time.Date(2026, 5, 5, 10, 0, 0, 0, time.UTC)
	g.raw(at, "DE", "/de", "a")
	g.raw(at.Add(time.Minute), "FR", "/fr", "a")
	g.raw(at.Add(2*time.Minute), "DE", "/thanks", "a")
	late := time.Date(2026, 5, 10, 23, 59, 0, 0, time.UTC)
	g.raw(late, "DE", "/de", "b")
	g.raw(late.Add(2*time.Minute), "DE", "/beyond", "b")
}

// Under locked filters a path has the page views alone that pass them, and of a range those within it: for the API, CSV and the page.
func TestPathsAreWithinTheCredential(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.strolled()
	days := url.Values{"from": {"2026-05-04"}, "to": {"2026-05-11"}, "fromPage": {"/de"}}.Encode()
	for i, base := range g.lockedBases(s) { // The first has a range, too.
		for _, c := range []struct{ address, accept string }{{pathsAPI, ""}, {pathsAPI + "?format=csv", ""}, {pathsPage, "text/html"}} {
			separator := "?"
			if strings.Contains(c.address, "?") {
				separator = "&"
			}
			r, text := ask(t, g.Handler, base+c.address+separator+days, "Accept", c.accept)
			text = html.UnescapeString(text)
			wants(t, base+c.address, r, text, http.StatusOK, "/thanks")
			if strings.Contains(text, "/fr") || strings.Contains(text, "raw events for") || strings.Contains(text, "/beyond") != (i == 1) {
				t.Errorf("%s%s: %s", base, c.address, text)
			}
		}
	}
}

// A session ends with the range of a credential, so filters by its exit page say nothing of what follows.
func TestPathsAreFilteredWithinTheRange(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.strolled()
	some := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: someDays})
	for page, want := range map[string]string{"/de": `"sessions": 1`, "/thanks": `"sessions": 1`, "/beyond": `"sessions": 0`} {
		r, text := ask(t, g.Handler, some+pathsAPI+"?fromPage=/de&where=exit%3D"+page)
		wants(t, page, r, text, http.StatusOK, want)
	}
}

// Questions beyond a credential are refused, and so are filters that select events.
func TestPathsAreRefusedBeyondTheCredential(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.strolled()
	some := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: someDays})
	all := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	pages := "/embed/" + s.product(map[string]any{"where": []string{"page^=/de"}})
	const of = "from=2026-05-04&to=2026-05-11"
	for _, path := range []string{pathsAPI, pathsPage} {
		for address, code := range map[string]int{
			some + path: http.StatusOK, some + path + "?" + of: http.StatusOK, some + path + "?to=2026-05-12": http.StatusForbidden,
			some + path + "?where=country%3DDE":         http.StatusOK,
			all + path + "?" + of + "&where=exit%3D/de": http.StatusOK, all + "/sites/blog/paths": http.StatusForbidden,
			all + path + "?where=page%3D/de": http.StatusUnprocessableEntity, pages + path + "?" + of: http.StatusUnprocessableEntity,
		} {
			r, text := ask(t, g.Handler, address, "Accept", "text/html, application/json")
			if r.Code != code || r.Code != http.StatusOK && strings.Contains(text, "/thanks") {
				t.Errorf("%s: %d, want %d: %s", address, r.Code, code, text)
			}
		}
	}
	for _, param := range []string{"estimate=true", "maxEvents=5"} {
		if r, text := ask(t, g.Handler, all+pathsAPI+"?"+param); r.Code != http.StatusForbidden {
			t.Errorf("%s: %d: %s", param, r.Code, text)
		}
	}
	r, text := ask(t, g.Handler, pages+"/sites/shop?"+of, "Accept", "text/html")
	if r.Code != http.StatusOK || strings.Contains(text, "/paths") {
		t.Errorf("the page under a filter that selects events: %d, leads to paths: %s", r.Code, text)
	}
}

// A link does not hear why raw events cannot be read.
func TestSharedPathsDoNotSayWhyTheyAreNotKnown(t *testing.T) {
	g, base := sharedServer(t, someDays)
	g.strolled()
	g.parked()
	r, text := ask(t, g.Handler, base+pathsAPI)
	wants(t, "paths", r, text, http.StatusUnprocessableEntity, "raw events are missing, or are more than a request may read")
	r, text = ask(t, g.Handler, base+pathsPage, "Accept", "text/html")
	wants(t, "page", r, text, http.StatusOK, "Raw events are not there for this range")
	if strings.Contains(text, "of-the-operator") || strings.Contains(text, "rawEvents") {
		t.Errorf("the page says why: %s", text)
	}
}
