package serve

import (
	"html"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/sinks"
)

// What credentials a path answers: all of the site, those without filters, those of today without filters, or those that are not limited.
const (
	forAll        = "all"
	forUnfiltered = "without filters"
	forToday      = "without filters or a range that is over"
	forUnlimited  = "not limited"
)

// answeredTo is who hears the answer of each path. A new path has its line here.
var answeredTo = map[string]string{
	"GET /{$}":                             forUnlimited,
	"GET /sites":                           forUnlimited,
	"GET /sites/{site}":                    forAll,
	"GET /sites/{site}/top/{dimension}":    forAll,
	"GET /sites/{site}/paths":              forAll,
	"GET /sites/{site}/now":                forToday,
	"GET /sites/{site}/funnels/{funnel}":   forAll,
	"GET /sites/{site}/sessions":           forUnlimited,
	"GET /sites/{site}/sessions/{session}": forUnlimited,

	"POST " + base + annotationsPath:                          forUnlimited,
	"DELETE " + base + annotationsPath + "/{annotation}":      forUnlimited,
	"GET " + base + "/sites":                                  forUnlimited,
	"GET " + base + "/overview":                               forUnlimited,
	"GET " + base + "/stats":                                  forUnlimited,
	"GET " + base + "/sites/{site}":                           forUnlimited,
	"GET " + base + "/sites/{site}/stats":                     forAll,
	"GET " + base + "/sites/{site}/uniques":                   forAll,
	"GET " + base + "/sites/{site}/top/{dimension}":           forAll,
	"GET " + base + "/sites/{site}/goals":                     forAll,
	"GET " + base + "/sites/{site}/paths":                     forAll,
	"GET " + base + "/sites/{site}/verified":                  forUnfiltered,
	"GET " + base + "/sites/{site}/retention":                 forUnfiltered,
	"GET " + base + "/sites/{site}/annotations":               forUnfiltered,
	"GET " + base + "/sites/{site}/segments":                  forUnfiltered,
	"GET " + base + "/sites/{site}/funnels":                   forUnfiltered,
	"GET " + base + "/sites/{site}/funnels/{funnel}/report":   forAll,
	"GET " + base + "/sites/{site}/realtime":                  forToday,
	"GET " + base + "/sites/{site}/realtime/stream":           forUnlimited,
	"GET " + base + "/sites/{site}/alerts":                    forUnlimited,
	"GET " + base + "/sites/{site}/goals/{goal}/conversions":  forUnlimited,
	"GET " + base + "/sites/{site}/sessions":                  forUnlimited,
	"GET " + base + "/sites/{site}/sessions/{session}":        forUnlimited,
	"GET " + base + "/sites/{site}/sessions/{session}/events": forUnlimited,
}

// A kind is a credential with what its answers must not have.
type kind struct {
	base, token string         // of its path, or for the header
	limits      *access.Limits // nil: it is not limited
	hides       []string
}

// The secrets of withSecrets.
var (
	beyondRange  = []string{"/before", "/after", "note-before", "note-after"}
	beyondFilter = []string{"/fr", "/de-fr", "FR", "France", "note-", "frenchmen"}
	ofOwners     = []string{"editor@example", "a test", "plunges", "hooks.example"}
)

// withSecrets gives the shop what each kind of answer could say too much of.
func (g *guarded) withSecrets() {
	g.t.Helper()
	g.withFunnel()
	g.withReturns()
	g.goal("buyers", "/thanks")
	g.save("frenchmen", "country=FR")
	day := func(n int) time.Time { return time.Date(2026, 5, n, 12, 0, 0, 0, time.UTC) }
	notes := &annotations.Store{Table: g.table, By: "editor@example", Now: func() time.Time { return g.now }}
	for text, at := range map[string]time.Time{"note-before": day(1), "note-within": day(5), "note-after": day(11)} {
		if _, err := notes.Create(g.t.Context(), "shop", at, text); err != nil {
			g.t.Fatal(err)
		}
	}
	fired := &alerts.Store{Table: g.table, By: "editor@example", Now: func() time.Time { return g.now }}
	alert := alerts.Alert{Site: "shop", ID: "plunges", Webhook: "https://hooks.example/x"}
	var err error
	if alert.Rule, err = alerts.Parse("pageViews < 50 % of the same hour of the last four weeks"); err != nil {
		g.t.Fatal(err)
	}
	if _, err = fired.Create(g.t.Context(), alert); err != nil {
		g.t.Fatal(err)
	}
	finding := alerts.Finding{Site: "shop", Alert: "plunges", When: "pageViews < 50 %", Hour: alerts.Hour(day(5))}
	if _, err := g.table.Put(g.t.Context(), sinks.Put{Item: finding.Item()}); err != nil {
		g.t.Fatal(err)
	}
	for _, e := range []struct {
		day           int
		country, page string
	}{{1, "DE", "/before"}, {5, "DE", "/de"}, {5, "FR", "/fr"}, {11, "DE", "/after"}} {
		g.raw(day(e.day), e.country, e.page, e.page)
		g.raw(day(e.day).Add(time.Minute), e.country, e.page, e.page)
	}
	g.raw(day(5).Add(2*time.Minute), "FR", "/de-fr", "/de")
}

// kinds are credentials for the shop of each kind, by what they are.
func (g *guarded) kinds(s *signer) map[string]kind {
	g.t.Helper()
	limits := map[string]access.Limits{
		"a share link": {}, "a range": someDays, "a filter": {Where: []access.Filter{{"country=DE"}}},
		"any of": {Where: []access.Filter{{"country=", "DE", "XX"}}}, "none of": {Where: []access.Filter{{"country!=", "FR", "XX"}}},
		"a range and any of": {From: someDays.From, To: someDays.To, Where: []access.Filter{{"country=", "DE", "XX"}}},
	}
	all := map[string]kind{"a token": {token: g.token("shop")}}
	for what, l := range limits {
		of := kind{limits: &l, hides: slices.Clone(ofOwners)}
		if l.Ranged() {
			of.hides = append(of.hides, beyondRange...)
		}
		if l.Filtered() {
			of.hides = append(of.hides, beyondFilter...)
		}
		if what == "none of" { // Its own filter names France.
			of.hides = slices.DeleteFunc(of.hides, func(s string) bool { return s == "FR" || s == "France" })
		}
		of.base = "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: l})
		all[what] = of
		if l.Narrow() {
			of.base = "/embed/" + s.product(map[string]any{"from": l.From, "to": l.To, "where": l.Where, "rights": access.Rights})
			all["a JWT with "+what] = of
		}
	}
	return all
}

// Each path answers the credentials that it is for, in each format, and limited ones hear nothing of what is beyond them.
func TestEveryPathAnswersWithinEachCredential(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.byCountry()
	g.withSecrets()
	paths := pathsOf("shop")
	for pattern := range paths {
		if answeredTo[pattern] == "" {
			t.Errorf("%s: answeredTo does not say to whom it answers", pattern)
		}
	}
	heard := make(map[string]bool)
	for what, of := range g.kinds(s) {
		t.Run(what, func(t *testing.T) {
			for pattern, path := range paths {
				g.answersWithin(t, of, pattern, path, heard)
			}
		})
	}
	for _, secret := range slices.Concat(beyondRange, beyondFilter, ofOwners) {
		if !heard[secret] {
			t.Errorf("no credential hears of %s: the test finds nothing", secret)
		}
	}
}

// said are the parts of an answer that repeat filters of the credential.
var said = regexp.MustCompile(`(?s)"(?:where|locked|filter)": ?\[[^]]*\]|<ul class="chips">.*?</ul>|<title>.*?</title>`)

// answersWithin asks a path with a credential. What it hears of secrets is added to heard.
func (g *guarded) answersWithin(t *testing.T, of kind, pattern, path string, heard map[string]bool) {
	t.Helper()
	to := answeredTo[pattern]
	allowed := of.limits == nil || to == forAll || to == forUnfiltered && !of.limits.Filtered() || to == forToday && !of.limits.Narrow()
	method, _, _ := strings.Cut(pattern, " ")
	if allowed && (method != http.MethodGet || strings.HasSuffix(path, "/stream")) {
		return // It would write, or not end.
	}
	answered := false
	for _, asked := range []string{"", "?from=2026-05-04&to=2026-05-11", "?from=2026-05-01&to=2026-05-12",
		"?from=2026-05-04&to=2026-05-11&format=csv", "?from=2026-05-04&to=2026-05-11&where=exit%3D/de"} {
		for _, accept := range []string{"", "text/html"} {
			r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+of.base+path+asked, strings.NewReader(body("x")))
			r.Header.Set("Accept", accept)
			r.Header.Set("Content-Type", "application/json")
			if of.base == "" {
				r.Header.Set("Authorization", "Bearer "+of.token)
			}
			w := httptest.NewRecorder()
			g.ServeHTTP(w, r)
			text := said.ReplaceAllString(html.UnescapeString(w.Body.String()), "")
			answered = answered || w.Code == http.StatusOK || of.limits == nil && w.Code != http.StatusForbidden
			if !allowed && w.Code < http.StatusMultipleChoices {
				t.Errorf("%s%s is answered: %s", pattern, asked, text)
			}
			for _, secret := range slices.Concat(beyondRange, beyondFilter, ofOwners) {
				found := strings.Contains(text, secret)
				heard[secret] = heard[secret] || found
				if found && slices.Contains(of.hides, secret) {
					t.Errorf("%s%s, %d, says %s: %s", pattern, asked, w.Code, secret, text)
				}
			}
		}
	}
	if allowed && !answered {
		t.Errorf("%s: it is not answered", pattern)
	}
}
