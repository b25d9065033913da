package serve

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/footfall/footfall/internal/access"
)

// wildcard is a part of a pattern that stands for any value.
var wildcard = regexp.MustCompile(`\{([^}]*)\}`)

// pathsOf are the paths of all operations and pages by their patterns, with values in the place of their wildcards.
func pathsOf(site string) map[string]string {
	all := make(map[string]string)
	for pattern := range decisions {
		_, path, _ := strings.Cut(pattern, " ")
		all[pattern] = wildcard.ReplaceAllStringFunc(path, func(part string) string {
			values := map[string]string{"{site}": url.PathEscape(site), "{dimension}": "page", "{session}": "s-1", "{$}": "",
				"{funnel}": "buy", "{goal}": "buyers"}
			if value, ok := values[part]; ok {
				return value
			}
			return strings.Trim(part, "{}")
		})
	}
	return all
}

// A way is how a request of a pattern's method carries a credential.
type way struct {
	name string
	ask  func(pattern, path, credential string) *http.Request
}

func waysOf(t *testing.T) []way {
	request := func(pattern, path string) *http.Request {
		method, _, _ := strings.Cut(pattern, " ")
		return httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+path, nil)
	}
	return []way{
		{"a header", func(pattern, path, credential string) *http.Request {
			r := request(pattern, path)
			r.Header.Set("Authorization", "Bearer "+credential)
			return r
		}},
		{"a cookie", func(pattern, path, credential string) *http.Request {
			r := request(pattern, path)
			r.AddCookie(&http.Cookie{Name: "footfall", Value: credential})
			r.AddCookie(&http.Cookie{Name: "__Host-footfall", Value: credential})
			return r
		}},
		{"the path of a share link", func(pattern, path, credential string) *http.Request {
			return request(pattern, "/share/"+credential+path)
		}},
		{"the path of an embedded page", func(pattern, path, credential string) *http.Request {
			return request(pattern, "/embed/"+credential+path)
		}},
	}
}

// invalid are credentials that no path may take, by what is wrong with them.
func (g *guarded) invalid(s *signer) map[string]string {
	g.t.Helper()
	encode := base64.RawURLEncoding.EncodeToString
	valid := s.product(nil)
	parts := strings.Split(valid, ".")
	widened := func(claims string) string { return parts[0] + "." + encode([]byte(claims)) + "." + parts[2] }
	expires := now.Add(time.Hour).Unix()
	token := g.token("shop")
	expired := g.create(access.Stored{Kind: access.Token, Sites: []string{"shop"}, Rights: access.Rights, ExpiresAt: now.Add(time.Minute)})
	link := g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, ExpiresAt: now.Add(time.Minute)})
	revoked := g.token("shop")
	store := access.Store{Table: g.table, Now: func() time.Time { return g.now }}
	if err := store.Revoke(g.t.Context(), access.Token, revoked[4:20]); err != nil {
		g.t.Fatal(err)
	}
	g.now = now.Add(2 * time.Minute)
	return map[string]string{
		"a JWT with alg none":             encode([]byte(`{"alg":"none","kid":"product"}`)) + "." + parts[1] + ".",
		"a JWT with alg nOnE":             encode([]byte(`{"alg":"nOnE","kid":"product"}`)) + "." + parts[1] + "." + parts[2],
		"a JWT with alg none and no kid":  encode([]byte(`{"alg":"none"}`)) + "." + parts[1] + ".",
		"an unsigned JWT":                 parts[0] + "." + parts[1] + ".",
		"a JWT without a third part":      parts[0] + "." + parts[1],
		"a JWT of another key":            s.sign("product", jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), claimsOf(nil)),
		"a JWT with another algorithm":    s.sign("product", jwt.SigningMethodHS512, s.secret, claimsOf(nil)),
		"a JWT signed with a public key":  s.sign("agency", jwt.SigningMethodHS256, []byte(s.public), claimsOf(nil)),
		"an expired JWT":                  s.product(map[string]any{"exp": now.Unix()}),
		"a JWT without an expiry":         s.product(map[string]any{"exp": nil}),
		"a JWT with another site":         widened(fmt.Sprintf(`{"sites":["shop","blog"],"exp":%d}`, expires)),
		"a JWT with another right":        widened(fmt.Sprintf(`{"sites":["shop"],"rights":["read","sessions"],"exp":%d}`, expires)),
		"a JWT with a later expiry":       widened(fmt.Sprintf(`{"sites":["shop"],"exp":%d}`, expires+3600)),
		"a JWT beyond the sites of a key": s.agency(map[string]any{"sites": []string{"shop", "blog"}}),
		"a JWT beyond the rights of one":  s.agency(map[string]any{"rights": []string{"sessions"}}),
		"a token that is cut":             token[:len(token)-1],
		"a token with another secret":     token[:21] + revoked[21:],
		"an expired token":                expired,
		"a revoked token":                 revoked,
		"an expired share link":           link,
	}
}

// A credential that is not valid opens no operation and no page, in no format, whichever way a request carries it.
func TestNoPathTakesAnInvalidCredential(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	valid, refused := g.token("shop"), 0
	invalid := g.invalid(s)
	if r, text := g.bearer("/api/v1/sites/shop/stats", valid); r.Code != http.StatusOK {
		t.Fatalf("a valid token: %d: %s", r.Code, text)
	}
	for pattern, path := range pathsOf("shop") {
		for what, credential := range invalid {
			for _, way := range waysOf(t) {
				for _, format := range []string{"", "csv", "ndjson"} {
					for _, accept := range []string{"", "text/html"} {
						r := way.ask(pattern, inFormat(path, format), credential)
						r.Header.Set("Accept", accept)
						if r.Method == http.MethodPost {
							r.Header.Set("Content-Type", "application/json")
						}
						w := httptest.NewRecorder()
						if g.ServeHTTP(w, r); w.Code == http.StatusTooManyRequests { // Another server has not seen so many unknown tokens.
							g.restart(Options{})
							w = httptest.NewRecorder()
							g.ServeHTTP(w, r)
						}
						toLogin := w.Code == http.StatusSeeOther && strings.HasPrefix(w.Header().Get("Location"), "/login")
						if w.Code != http.StatusUnauthorized && !toLogin {
							t.Fatalf("%s with %s in %s, format %q, Accept %q: %d: %s", pattern, what, way.name, format, accept, w.Code, w.Body)
						}
						refused++
					}
				}
			}
		}
	}
	t.Logf("%d requests refused: %d paths, %d credentials", refused, len(decisions), len(invalid))
}

// Tokens, JSON Web Tokens and share links of a site open no page of any other, which TestEveryOperation... shows of operations.
func TestEveryPageRefusesCredentialsOfOtherSites(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	sites := sitesApart(t)
	for kind, credentialOf := range map[string]func(site string) string{
		"token": func(site string) string { return g.token(site) },
		"JWT": func(site string) string {
			return s.product(map[string]any{"sites": []string{site}, "rights": []string{"read", "sessions"}})
		},
		"share link": func(site string) string { return g.create(access.Stored{Kind: access.Share, Sites: []string{site}}) },
	} {
		refused := g.pagesRefused(kind, sites, credentialOf)
		for pattern, d := range decisions {
			if want := sites * (sites - 1); d.page && !d.listed && refused[pattern] != want {
				t.Errorf("%s: %d of %d credentials of other sites were refused: %s", pattern, refused[pattern], want, kind)
			}
		}
	}
}

// pagesRefused asks each page about each of the sites with the credentials of the others, and returns how many refused.
func (g *guarded) pagesRefused(kind string, sites int, credentialOf func(site string) string) map[string]int {
	g.t.Helper()
	ways := waysOf(g.t)
	carried := map[string][]way{"token": ways[:2], "JWT": {ways[0], ways[3]}, "share link": {ways[2]}}[kind]
	credentials := make([]string, sites)
	for i := range credentials {
		credentials[i] = credentialOf(fmt.Sprint("site-", i))
	}
	refused := make(map[string]int)
	for i := range credentials {
		for pattern, path := range pathsOf(fmt.Sprint("site-", i)) {
			if d := decisions[pattern]; !d.page || d.listed {
				continue
			}
			for j, credential := range credentials {
				r := carried[(i+j)%len(carried)].ask(pattern, path, credential)
				r.Header.Set("Accept", "text/html")
				w := httptest.NewRecorder()
				g.ServeHTTP(w, r)
				switch denied := w.Code == http.StatusForbidden; {
				case i != j && denied:
					refused[pattern]++
				case i != j:
					g.t.Fatalf("%s with the %s of another site: %d: %s", path, kind, w.Code, w.Body)
				case denied && !slices.Contains(unsharedPages, pattern):
					g.t.Fatalf("%s with the %s of the site: %s", path, kind, w.Body)
				}
			}
		}
	}
	return refused
}

// unsharedPages are the pages that share links do not have.
var unsharedPages = []string{"GET /sites/{site}/sessions", "GET /sites/{site}/sessions/{session}"}
