package serve

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
)

// severalCountries gives the shop sessions of countries on 11 May 2026: one from DE, two from AT, four from CH, eight from one whose
// name has a comma, and 16 from another.
func (g *guarded) severalCountries() {
	g.t.Helper()
	at := time.Date(2026, 5, 11, 9, 0, 0, 0, time.UTC)
	for country, n := range map[string]int{"DE": 1, "AT": 2, "CH": 4, "DE,AT": 8, "~": 16} {
		for range n {
			at = at.Add(time.Minute)
			g.raw(at, country, "/"+url.PathEscape(country), country+at.String())
		}
	}
}

const ofThatDay = "?from=2026-05-11&to=2026-05-12&exact=true"

// A viewer who is locked to several values may choose among them, and gets nothing of others.
func TestViewersLockedToSeveralValuesOnlyNarrowThem(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.severalCountries()
	lists := []access.Filter{{"country=", "DE", "AT"}}
	for _, base := range []string{"/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: lists}}), "/embed/" + s.product(map[string]any{"where": lists})} {
		for own, views := range map[string]string{"": "3", "country=AT": "2", "country=DE": "1", "country=CH": "0", "country=AT,CH": "2",
			"country=DE,AT": "3", `country=AT,"DE,AT"`: "2", "country!=AT": "1", "country!=AT,DE": "0", "country^=A,C": "2", "country~=E,T,H": "3",
			"country=": "0", `country="DE,AT"`: "0", "page=/CH": "0", "entry=/AT,/CH": "2"} {
			asked := ofThatDay
			if own != "" {
				asked += "&" + url.Values{"where": {own}}.Encode()
			}
			r, text := ask(t, g.Handler, base+"/api/v1/sites/shop/stats"+asked)
			wants(t, own, r, text, http.StatusOK, `"pageViews": `+views+",")
			wants(t, own, r, text, http.StatusOK, "\"country=AT,DE\"")
			for _, path := range []string{"/api/v1/sites/shop/top/country", "/api/v1/sites/shop/top/page", "/api/v1/sites/shop/goals", "/sites/shop",
				"/sites/shop/top/country"} {
				r, text := ask(t, g.Handler, base+path+strings.ReplaceAll(asked, "&exact=true", ""), "Accept", "text/html")
				text = regexp.MustCompile(`(?s)"(?:where|filter)": ?\[[^]]*\]|where=[^"&]*|<ul class="chips">.*?</ul>|<title>.*?</title>`).
					ReplaceAllString(html.UnescapeString(text), "")
				if r.Code != http.StatusOK || strings.Contains(text, "CH") || strings.Contains(text, "Switzerland") || strings.Contains(text, "DE,AT") {
					t.Errorf("%s under %s: %d, says something of others: %s", path, own, r.Code, text)
				}
			}
		}
		r, text := ask(t, g.Handler, base+"/sites/shop?from=2026-05-11&to=2026-05-12", "Accept", "text/html")
		text = html.UnescapeString(text)
		wants(t, base, r, text, http.StatusOK, "It is only about what passes <b>Country is <bdi>Austria or Germany</bdi></b>.")
		wants(t, base, r, text, http.StatusOK, "where=country%3DAT\"")
		if strings.Contains(text, "Remove the value") || strings.Contains(text, "Remove the filter") {
			t.Errorf("a locked value can be removed: %s", text)
		}
	}
}

// A viewer from whom several values are locked away gets nothing of them, whatever they ask for.
func TestViewersLockedFromSeveralValuesSeeNoneOfThem(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.severalCountries()
	none := []access.Filter{{"country!=", "CH", "DE,AT", "~"}}
	for _, base := range []string{"/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
		Limits: access.Limits{Where: none}}), "/embed/" + s.product(map[string]any{"where": none})} {
		for own, views := range map[string]string{"": "3", "country=AT,CH": "2", "country=CH": "0", `country="DE,AT"`: "0", "country!=AT": "1",
			"country!=CH": "3", "page=/CH": "0"} {
			r, text := ask(t, g.Handler, base+"/api/v1/sites/shop/stats"+ofThatDay+"&"+url.Values{"where": {own}}.Encode())
			if own == "" {
				r, text = ask(t, g.Handler, base+"/api/v1/sites/shop/stats"+ofThatDay)
			}
			wants(t, own, r, text, http.StatusOK, `"pageViews": `+views+",")
			wants(t, own, r, text, http.StatusOK, `"country!=CH,\"DE,AT\",~"`)
		}
	}
}

// Credentials that were made before filters had several values keep the one that they have, whatever commas and quotation marks are in it.
func TestCommasInOlderCredentialsWidenNothing(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.severalCountries()
	for filter, views := range map[string]string{"country=DE,AT": "8", "country=CH,AT": "0", `country="DE","AT"`: "0", "country!=CH,AT": "31",
		"country^=DE,": "8", "country=AT": "2"} {
		for _, base := range []string{"/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"},
			Limits: access.Limits{Where: []access.Filter{{filter}}}}), "/embed/" + s.product(map[string]any{"where": []string{filter}})} {
			r, text := ask(t, g.Handler, base+"/api/v1/sites/shop/stats"+ofThatDay)
			wants(t, filter, r, text, http.StatusOK, `"pageViews": `+views+",")
			// The filter that the answer names means the same to who may see all.
			again := r.Header().Get("Footfall-Filtered")
			r, text = g.bearer("/api/v1/sites/shop/stats"+ofThatDay+"&"+again, s.product(nil))
			wants(t, again, r, text, http.StatusOK, `"pageViews": `+views+",")
		}
	}
}

// Questions with the same filters in another order are one.
func TestFiltersInAnyOrderShareARead(t *testing.T) {
	key := func(where ...string) string {
		u := &url.URL{Path: "/api/v1/sites/shop/stats", RawQuery: url.Values{"where": where}.Encode()}
		return asked{url: u}.key(access.Grant{})
	}
	want := key("country=AT,DE", "browser=X")
	for _, where := range [][]string{{"country=DE,AT", "browser=X"}, {`browser="X"`, `country="DE",AT,DE`}} {
		if got := key(where...); got != want {
			t.Errorf("%q has the key %s, want %s", where, got, want)
		}
	}
	for _, where := range [][]string{{`country="AT,DE"`, "browser=X"}, {"country=AT", "browser=X"}, {"country!=AT,DE", "browser=X"},
		{"country=AT,DE,", "browser=X"}} {
		if key(where...) == want {
			t.Errorf("%q has the key of other filters", where)
		}
	}
}
