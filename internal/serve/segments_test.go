package serve

import (
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/query"
)

// save creates a segment of the shop.
func (g *guarded) save(name string, where ...string) {
	g.t.Helper()
	store := segments.Store{Table: g.table, By: "a test", Now: time.Now}
	if _, err := store.Create(g.t.Context(), "shop", name, where); err != nil {
		g.t.Fatal(err)
	}
}

const segmentRange = "from=2026-05-04&to=2026-05-11"

// An answer in a segment is the one under its filters, in every format, alone and with more filters.
func TestSegmentAnswersAsItsFilters(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.byCountry()
	g.save("france", "country=FR")
	g.save("french-entry", "country=FR", "entry^=/fr-")
	token := g.token("shop")
	for _, c := range []struct{ in, under string }{
		{"segment=france", "where=country%3DFR"},
		{"segment=france&where=page%5E%3D%2Ffr-", "where=country%3DFR&where=page%5E%3D%2Ffr-"},
		{"segment=france&where=country%3DFR", "where=country%3DFR"},
		{"segment=french-entry", "where=country%3DFR&where=entry%5E%3D%2Ffr-"},
	} {
		for _, path := range []string{"stats", "uniques", "top/page", "top/country", "goals"} {
			for _, format := range []string{"json", "csv", "ndjson"} {
				address := base + "/sites/shop/" + path + "?" + segmentRange + "&exact=true&format=" + format
				all, text := g.bearer(strings.Replace(address, "&exact=true", "", 1), token)
				in, inText := g.bearer(address+"&"+c.in, token)
				under, underText := g.bearer(address+"&"+c.under, token)
				if strings.Contains(path, "top") && format == "csv" && strings.Count(inText, "\n") < 2 {
					t.Errorf("%s: %s has no rows: %s", path, c.in, inText)
				}
				if all.Code != http.StatusOK || in.Code != http.StatusOK || inText != underText || path != "goals" && inText == text {
					t.Errorf("%s: %s: %d, %s; under the filters %d, %s; of all %s", path, c.in, in.Code, inText, under.Code, underText, text)
				}
				if got, want := in.Header().Get("Footfall-Filtered"), under.Header().Get("Footfall-Filtered"); got != want || got == "" {
					t.Errorf("%s: %s: the header has %q, want %q", path, c.in, got, want)
				}
			}
		}
		if got, want := g.figuresOf("/sites/shop?"+segmentRange+"&"+c.in, token), g.figuresOf("/sites/shop?"+segmentRange+"&"+c.under,
			token); !slices.Equal(got, want) || len(got) < 8 {
			t.Errorf("the page in %s has %q, and under its filters %q", c.in, got, want)
		}
	}
}

var pageFigures = regexp.MustCompile(`<strong>([^<]*)</strong>|<td>([^<]*)</td>`)

// figuresOf are the figures of tiles and lists of a page.
func (g *guarded) figuresOf(address, token string) (all []string) {
	g.t.Helper()
	r, text := g.bearer(address, token)
	if r.Code != http.StatusOK {
		g.t.Fatalf("%s: %d: %s", address, r.Code, text)
	}
	for _, m := range pageFigures.FindAllStringSubmatch(text, -1) {
		all = append(all, m[1]+m[2])
	}
	return all
}

// The page offers the site's segments, shows the one that it is in, and keeps it in its links until it is left.
func TestPageIsInASegment(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.byCountry()
	g.save("germany", "country=DE")
	g.save("phones", "device=mobile")
	token := g.token("shop")
	for _, path := range []string{"/sites/shop", "/sites/shop/top/browser"} {
		_, text := g.bearer(path+"?"+segmentRange, token)
		if !strings.Contains(text, `<a href="`+path+"?"+html.EscapeString(segmentRange[:15]+"&segment=germany&"+segmentRange[16:])) {
			t.Errorf("%s has no link to the segment: %s", path, text)
		}
		_, text = g.bearer(path+"?"+segmentRange+"&segment=germany&where=browser%3DFirefox", token)
		text = html.UnescapeString(text)
		for _, want := range []string{`Segment <bdi>germany</bdi>: Country is Germany</span><a href="` + path + "?from=2026-05-04&to=2026-05-11&",
			`segment=germany&`, `aria-current="true">germany</a>`, `segment=phones&`, `<input type="hidden" name="segment" value="germany">`,
			`aria-label="Remove the filter Browser is Firefox"`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s in the segment lacks %s", path, want)
			}
		}
		for _, m := range regexp.MustCompile(`href="(/[^"#]*)`).FindAllStringSubmatch(text, -1) {
			u, err := url.Parse(m[1])
			if err != nil {
				t.Fatal(err)
			}
			q := u.Query()
			if slices.Contains(q[links.WhereParam], "country=DE") && q.Has(links.SegmentParam) {
				t.Errorf("a link of %s has the segment and its filter: %s", path, m[1])
			}
		}
	}
	if r, _ := g.bearer("/sites/shop?filter=browser&op=%3D&value=Firefox&segment=germany", token); r.Code != http.StatusSeeOther ||
		r.Header().Get("Location") != "/sites/shop?segment=germany&where=browser%3DFirefox" {
		t.Errorf("the form of a filter leads to %s", r.Header().Get("Location"))
	}
}

// A filter that excludes one of the segment's leaves nothing, as beyond the filters of a credential.
func TestFilterBeyondASegmentLeavesNothing(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.byCountry()
	g.save("france", "country=FR")
	r, text := g.bearer("/sites/shop?"+segmentRange+"&segment=france&where=country%3DDE", g.token("shop"))
	if r.Code != http.StatusOK || !strings.Contains(text, "No event in this range passes the filters") {
		t.Errorf("%d, %s", r.Code, text)
	}
}

// A list of sessions leads back to the segment that it was opened from.
func TestSessionsLeadBackToTheSegment(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.byCountry()
	g.save("germany", "country=DE")
	token := g.token("shop")
	of, err := query.ParseConditions([]string{"country=DE"})
	if err != nil {
		t.Fatal(err)
	}
	at := links.Address{Site: "shop", Values: map[string]string{"from": "2026-05-04"}, Segment: "germany", Segmented: of, Where: of}
	r, text := g.bearer(at.Sessions(), token)
	if r.Code != http.StatusOK || !strings.Contains(text, "that pass: Country is Germany") ||
		!strings.Contains(html.UnescapeString(text), `href="/sites/shop?from=2026-05-04&segment=germany"`) {
		t.Errorf("%s: %d: %s", at.Sessions(), r.Code, text)
	}
}

// A segment that is not there is an error that names those that are.
func TestUnknownSegmentsAreNamed(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	token := g.token("shop")
	ask := func(says string) {
		t.Helper()
		for _, path := range []string{base + "/sites/shop/stats", base + "/sites/shop/uniques", base + "/sites/shop/top/page",
			base + "/sites/shop/goals", base + "/sites/shop/sessions", base + "/sites/shop/funnels/f/report", "/sites/shop",
			"/sites/shop/top/page", "/sites/shop/sessions"} {
			r, text := g.bearer(path+"?segment=germani", token)
			wants(t, path, r, text, http.StatusUnprocessableEntity, says)
		}
	}
	ask("the site has no segments")
	g.save("germany", "country=DE")
	g.save("phones", "device=mobile")
	ask("did you mean germany? choose germany, phones")
	if r, text := g.bearer(base+"/sites/shop/segments", token); r.Code != http.StatusOK || !strings.Contains(text, `"country=DE"`) ||
		!strings.Contains(text, `"createdBy": "a test"`) {
		t.Errorf("the list: %d: %s", r.Code, text)
	}
}

// A credential with filters hears nothing of segments, not even whether there is one. A share link without filters may use them.
func TestLockedViewersHaveNoSegments(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.byCountry()
	g.save("secret-name", "country=FR")
	for _, at := range g.lockedBases(s) {
		for _, path := range slices.Concat(slices.Collect(maps.Values(addressesOf(t, "shop"))), []string{"/sites/shop",
			"/sites/shop/top/page", "/sites/shop/sessions", "/sites/shop/sessions/s-1"}) {
			asks := "?" + segmentRange + "&segment="
			if strings.Contains(path, "?") {
				asks = "&segment="
			}
			is, isText := ask(t, g.Handler, at+path+asks+"secret-name")
			not, notText := ask(t, g.Handler, at+path+asks+"other-names")
			if is.Code < 400 || is.Code != not.Code || strings.ReplaceAll(isText, "secret-name", "other-names") != notText ||
				strings.Contains(isText, "FR") {
				t.Errorf("%s tells segments apart: %d, %s; %d, %s", path, is.Code, isText, not.Code, notText)
			}
		}
		for _, path := range []string{"/sites/shop", "/sites/shop/top/page"} {
			if r, text := ask(t, g.Handler, at+path+"?"+segmentRange); r.Code != http.StatusOK || strings.Contains(text, "secret-name") {
				t.Errorf("%s: %d, and names a segment: %s", path, r.Code, text)
			}
		}
		back := "?back=" + url.QueryEscape("segment=secret-name")
		if r, text := ask(t, g.Handler, at+"/sites/shop/sessions/s-1"+back); r.Code < 400 || strings.Contains(text, "FR") {
			t.Errorf("a session: %d: %s", r.Code, text)
		}
	}
	open := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: someDays})
	if r, text := ask(t, g.Handler, open+base+"/sites/shop/segments"); r.Code != http.StatusOK || !strings.Contains(text, `"secret-name"`) ||
		strings.Contains(text, "a test") {
		t.Errorf("segments of a share link: %d: %s", r.Code, text)
	}
	if r, text := ask(t, g.Handler, open+base+"/sites/shop/uniques?segment=secret-name"); r.Code != http.StatusOK ||
		!strings.Contains(text, `"country=FR"`) {
		t.Errorf("a share link in a segment: %d: %s", r.Code, text)
	}
}

// A question in a segment reads it each time: a change holds at once.
func TestSegmentsAreReadWithEachQuestion(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.byCountry()
	token := g.token("shop")
	address := base + "/sites/shop/uniques?" + segmentRange + "&segment=nation"
	for _, country := range []string{"DE", "FR"} {
		g.save("nation", "country="+country)
		r, text := g.bearer(address, token)
		if r.Code != http.StatusOK || !strings.Contains(text, fmt.Sprintf(`"country=%s"`, country)) {
			t.Errorf("%s: %d: %s", country, r.Code, text)
		}
		if err := segments.Delete(t.Context(), g.table, "shop", "nation"); err != nil {
			t.Fatal(err)
		}
	}
}
