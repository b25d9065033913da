package serve

import (
	"html"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page"
	"github.com/footfall/footfall/internal/page/lists"
	"github.com/footfall/footfall/internal/slow"
)

// lockedBases are a share link and an embedded page about what is from Germany. The link has the range of someDays, too.
func (g *guarded) lockedBases(s *signer) []string {
	g.t.Helper()
	locked := someDays
	locked.Where = []access.Filter{{"country=DE"}}
	return []string{"/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: locked}),
		"/embed/" + s.product(map[string]any{"where": []string{"country=DE"}, "rights": []string{"read", "sessions"}})}
}

// isFiltered is the line that each page under locked filters has.
const isFiltered = "This view is filtered. It is only about what passes <b>Country is <bdi>Germany</bdi></b>."

// pageBeyond says what a page has of events that are not from Germany; "": nothing. What was asked for may be repeated.
func pageBeyond(text string, q url.Values) string {
	text = html.UnescapeString(text)
	if !strings.Contains(text, isFiltered) {
		return "no line that says the filter"
	}
	secrets := []string{"FR", "/fr", "3,360", "3,528", "read units", "Recounted", "Remove the filter Country is Germany"}
	for _, secret := range secrets {
		if strings.Contains(text, secret) && !strings.Contains(q.Encode(), "FR") {
			return secret
		}
	}
	return ""
}

// No parameter of a page gets figures of what does not pass the filters of a share link or of a JSON Web Token. Each page says that it is
// filtered.
func TestNothingWidensPagesUnderLockedFilters(t *testing.T) {
	slow.Unraced(t)
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.byCountry()
	g.funnel()
	questions := slices.DeleteFunc(append(widenings(), nil), func(q url.Values) bool {
		for name := range q { // The page of a funnel has no others.
			if !slices.Contains(lists.Params, name) && !slices.Contains(page.TopParams, name) && !slices.Contains(page.PathsParams, name) {
				return true
			}
		}
		return false
	})
	few := fewWidenings(t, questions)
	for _, base := range g.lockedBases(s) {
		r, text := ask(t, g.Handler, base+"/sites/shop?from=2026-05-04&to=2026-05-11", "Accept", "text/html")
		if r.Code != http.StatusOK || !strings.Contains(text, "<strong>168</strong>") {
			t.Fatalf("%s: %d, lacks the 168 page views that the API has", base, r.Code)
		}
		asked, answered := 0, 0
		for k, path := range []string{"/sites/shop", "/sites/shop/top/page", "/sites/shop/top/entry", "/sites/shop/top/exit",
			"/sites/shop/paths", funnelPage} {
			for _, q := range spread(questions, few, k) {
				asked++
				r, text := ask(t, g.Handler, base+path+"?"+q.Encode(), "Accept", "text/html")
				if r.Code == http.StatusOK {
					answered++
					if wrong := pageBeyond(text, q); wrong != "" {
						t.Fatalf("%s?%s has %s: %s", path, q.Encode(), wrong, text)
					}
				} else if r.Code != http.StatusForbidden && r.Code != http.StatusUnprocessableEntity ||
					strings.Contains(text, "3,528") || strings.Contains(text, "3528") {
					t.Errorf("%s?%s: %d: %s", path, q.Encode(), r.Code, text)
				}
			}
		}
		t.Logf("%d of %d pages under the filter", answered, asked)
		if answered < 100*few/len(questions) {
			t.Errorf("%d pages: the questions are all refused", answered)
		}
	}
}

// Links and forms of a page under locked filters have the viewer's own filters alone, and offer no way to be without the locked ones.
func TestLinksHaveNoLockedFilters(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.byCountry()
	for _, base := range g.lockedBases(s) {
		const own = "from=2026-05-04&to=2026-05-11&where=page%3D%2Fde&where=country%3DDE&maxEvents=1000"
		r, text := ask(t, g.Handler, base+"/sites/shop?"+own, "Accept", "text/html")
		text = html.UnescapeString(text)
		for _, want := range []string{isFiltered, `aria-label="Remove the filter Page is /de"`, `name="filters" value="where=page%3D%2Fde"`} {
			wants(t, base, r, text, http.StatusOK, want)
		}
		for _, secret := range []string{"where=country%3DDE", "maxEvents=",
			"one filter alone can be had: <a href=\"" + base + "/sites/shop?where=page"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s: the page has %s: %s", base, secret, text)
			}
		}
		r, _ = ask(t, g.Handler, base+"/sites/shop?filter=country&op=%3D&value=DE", "Accept", "text/html")
		if to := r.Header().Get("Location"); r.Code != http.StatusSeeOther || strings.Contains(to, "where") {
			t.Errorf("%s: a form with the locked filter: %d, leads to %s", base, r.Code, to)
		}
	}
}

// A bound of raw events that is just enough would say how many there are without the filters: pages read as many without it.
func TestLockedPagesDoNotChooseHowManyEventsAreRead(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.byCountry()
	for _, base := range g.lockedBases(s) {
		for _, path := range []string{"/sites/shop", "/sites/shop/top/page", "/sites/shop/paths"} {
			address := base + path + "?from=2026-05-04&to=2026-05-11"
			_, want := ask(t, g.Handler, address, "Accept", "text/html")
			if r, text := ask(t, g.Handler, address+"&maxEvents=1", "Accept", "text/html"); r.Code != http.StatusOK || text != want {
				t.Errorf("%s: with maxEvents=1 %d and another page: %s", address, r.Code, text)
			}
		}
	}
}
