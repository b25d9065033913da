package serve

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// guarded is a server that asks for tokens, of a table with the site shop.
type guarded struct {
	http.Handler
	t     *testing.T
	table sinks.Table
	now   time.Time
	keys  *access.EmbedKeys
}

func newGuarded(t *testing.T, o Options, keys *access.EmbedKeys) *guarded {
	t.Helper()
	g := &guarded{t: t, table: shopTable(t), now: now, keys: keys}
	g.restart(o)
	return g
}

// restart has another server answer, of the same table and keys.
func (g *guarded) restart(o Options) {
	t, keys := g.t, g.keys
	o.Table, o.Now, o.Log = g.table, func() time.Time { return g.now }, slog.New(slog.NewTextHandler(t.Output(), nil))
	o.Keeper = access.NewKeeper(access.KeeperOptions{Table: g.table, Now: o.Now, Log: o.Log, Embed: keys})
	g.Handler = New(o)
}

// create creates a token or share link.
func (g *guarded) create(s access.Stored) string {
	g.t.Helper()
	if s.Rights == nil {
		s.Rights = []access.Right{access.Read}
	}
	store := access.Store{Table: g.table, By: "a test", Now: func() time.Time { return g.now }}
	_, token, err := store.Create(g.t.Context(), s)
	if err != nil {
		g.t.Fatal(err)
	}
	return token
}

func (g *guarded) token(sites ...string) string {
	return g.create(access.Stored{Kind: access.Token, Sites: sites, Rights: access.Rights})
}

// bearer asks with a credential in the header.
func (g *guarded) bearer(address, token string) (*httptest.ResponseRecorder, string) {
	g.t.Helper()
	return ask(g.t, g.Handler, address, "Authorization", "Bearer "+token)
}

// asking is an operation of the API, as OpenAPI names it.
type asking struct{ id, method, path string }

// operationsOf returns all operations of the API about a site.
func operationsOf(t *testing.T, site string) (all []asking) {
	t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			OperationID string `json:"operationId"`
		} `json:"paths"`
	}
	var text strings.Builder
	if err := WriteOpenAPI(&text); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text.String()), &doc); err != nil {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for name, value := range map[string]string{"site": site, "dimension": "page", "goal": "g", "funnel": "buy", "session": "s-1",
			"annotation": "01KRE3M8R0ABCDEFGHJKMNPQRS"} {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value))
		}
		if strings.Contains(path, "{") {
			t.Fatalf("%s: this test has no value for a part of the path", path)
		}
		for method, o := range methods {
			of := path
			if o.OperationID == "get-stats-of-sites" {
				of += "?sites=*"
			}
			all = append(all, asking{o.OperationID, strings.ToUpper(method), of})
		}
	}
	if len(all) < 20 {
		t.Fatalf("%d operations", len(all))
	}
	return all
}

// addressesOf returns the addresses of all operations of the API about a site that read, by their names in OpenAPI.
func addressesOf(t *testing.T, site string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, o := range operationsOf(t, site) {
		if o.method == http.MethodGet {
			all[o.id] = o.path
		}
	}
	return all
}

// aboutMany are the operations about all sites of a credential.
var aboutMany = []string{"list-sites", "get-overview", "get-stats-of-sites"}

// inFormat adds a format to an address; "": JSON.
func inFormat(address, format string) string {
	switch {
	case format == "":
		return address
	case strings.Contains(address, "?"):
		return address + "&format=" + format
	}
	return address + "?format=" + format
}

// sitesApart returns how many sites there are. Each is asked about with the credentials of all others. With twelve, one id begins others:
// site-1, site-10, site-11.
func sitesApart(t *testing.T) int {
	t.Helper()
	return slow.Of(t, 8, 100)
}

// refusedElsewhere asks each operation about each of some sites with each credential of the others. A new operation is asked, too: it is
// found in OpenAPI.
func (g *guarded) refusedElsewhere(credentialOf func(site string) string) {
	g.t.Helper()
	sites := sitesApart(g.t)
	credentials := make([]string, sites)
	for i := range sites {
		credentials[i] = credentialOf(fmt.Sprint("site-", i))
	}
	formats := []string{"", "csv", "ndjson"}
	refused := make(map[string]int)
	for i := range sites {
		for _, o := range operationsOf(g.t, fmt.Sprint("site-", i)) {
			id := o.id
			for j, token := range credentials {
				address, sent := inFormat(o.path, formats[(i+j)%3]), ""
				if o.method != http.MethodGet {
					address, sent = o.path, body("a release")
				}
				r := httptest.NewRequestWithContext(g.t.Context(), o.method, "http://localhost"+address, strings.NewReader(sent))
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				g.ServeHTTP(w, r)
				switch {
				case slices.Contains(aboutMany, id): // They have the sites of the credential, which the table does not have.
					if w.Code != http.StatusOK || strings.Contains(w.Body.String(), "shop") {
						g.t.Fatalf("%s: %d: %s", id, w.Code, w.Body)
					}
				case i == j && w.Code == http.StatusForbidden:
					g.t.Fatalf("%s with a credential of the site: %s", id, w.Body)
				case i == j:
				case w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "does not include site"):
					g.t.Fatalf("%s with a credential of another site: %d: %s", id, w.Code, w.Body)
				default:
					refused[id]++
				}
			}
		}
	}
	for _, o := range operationsOf(g.t, "shop") {
		if want := sites * (sites - 1); refused[o.id] != want && !slices.Contains(aboutMany, o.id) {
			g.t.Errorf("%s: %d of %d credentials of other sites were refused", o.id, refused[o.id], want)
		}
	}
	g.t.Logf("%d operations, each of which refused %d of %d", len(refused), sites*(sites-1), sites*(sites-1))
}

func TestEveryOperationRefusesTokensOfOtherSites(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.refusedElsewhere(func(site string) string { return g.token(site) })
	for id, path := range addressesOf(t, "shop") {
		for _, format := range []string{"", "csv", "ndjson"} {
			r, text := ask(t, g.Handler, inFormat(path, format))
			wants(t, id+" without a credential", r, text, http.StatusUnauthorized, "footfall token create")
		}
	}
}

func TestEveryOperationRefusesSignedTokensOfOtherSites(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.refusedElsewhere(func(site string) string {
		return s.product(map[string]any{"sites": []string{site}, "rights": []string{"read", "sessions", "annotate"}})
	})
}

func TestTokensAreRefused(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	const address = "/api/v1/sites/shop/stats"
	token := g.token("shop")
	short := g.create(access.Stored{Kind: access.Token, Sites: []string{"shop"}, ExpiresAt: now.Add(time.Minute)})
	for _, valid := range []string{token, short} {
		r, text := g.bearer(address, valid)
		wants(t, "a valid token", r, text, http.StatusOK, `"siteId": "shop"`)
	}
	other := g.token("shop")
	for what, wrong := range map[string]string{
		"cut": token[:len(token)-1], "longer": token + "a", "empty": "", "its id alone": token[:21], "in capitals": strings.ToUpper(token),
		"with another secret": token[:21] + other[20:], "unknown": "fft_" + strings.Repeat("a", 16) + "_" + strings.Repeat("b", 32),
		"as a share link": "ffs" + token[3:], "a JSON Web Token": "a.b.c", "two": token + " " + token,
	} {
		r, text := g.bearer(address, wrong)
		wants(t, what, r, text, http.StatusUnauthorized, "credential")
		if got := r.Header().Get("WWW-Authenticate"); got != "Bearer" {
			t.Errorf("%s: WWW-Authenticate: %q", what, got)
		}
	}
	for _, scheme := range []string{"Basic " + token, token, "Bearer", "Bearer" + token} {
		r, text := ask(t, g.Handler, address, "Authorization", scheme)
		wants(t, scheme, r, text, http.StatusUnauthorized, "credential")
	}
	g.now = now.Add(time.Minute)
	r, text := g.bearer(address, short)
	wants(t, "an expired token", r, text, http.StatusUnauthorized, "not valid")

	store := access.Store{Table: g.table, Now: func() time.Time { return g.now }}
	if err := store.Revoke(t.Context(), access.Token, token[4:20]); err != nil {
		t.Fatal(err)
	}
	g.now = g.now.Add(access.Memory)
	r, text = g.bearer(address, token)
	wants(t, "a revoked token", r, text, http.StatusUnauthorized, "not valid")
	r, text = g.bearer(address, other)
	wants(t, "the other token", r, text, http.StatusOK, "")
}

// Ids of visitors need their own right, wherever they are.
func TestRightsAreSeparate(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	read := g.create(access.Stored{Kind: access.Token, Sites: []string{"shop"}})
	sessions := g.create(access.Stored{Kind: access.Token, Sites: []string{"shop"}, Rights: []access.Right{access.Sessions}})
	withIDs := []string{"list-sessions", "get-session", "list-session-events", "list-conversions"}
	for id, path := range addressesOf(t, "shop") {
		allowed, refused := read, sessions
		if slices.Contains(withIDs, id) {
			allowed, refused = sessions, read
		}
		if id != "stream-realtime" { // Its answer does not end.
			if r, text := g.bearer(path, allowed); r.Code == http.StatusForbidden {
				t.Errorf("%s: %s", id, text)
			}
		}
		r, text := g.bearer(path, refused)
		wants(t, id, r, text, http.StatusForbidden, "does not have the right")
	}
	for path, right := range map[string]string{"/sites/shop": read, "/sites/shop/top/page": read, "/sites/shop/sessions": sessions,
		"/sites/shop/sessions/s-1": sessions} {
		refused := map[string]string{read: sessions, sessions: read}[right]
		if r, text := g.bearer(path, right); r.Code == http.StatusForbidden || strings.Contains(text, "Recent sessions</h2>") {
			t.Errorf("%s: %d: %s", path, r.Code, text)
		}
		r, text := g.bearer(path, refused)
		wants(t, path, r, text, http.StatusForbidden, "does not have the right")
	}
}

// A token of some sites lists these alone, page by page.
func TestListsHaveTheSitesOfTheToken(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	for _, site := range []string{"a", "b", "c", "d"} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), g.table, sinks.Keys{}, site); err != nil {
			t.Fatal(err)
		}
	}
	token := g.token("d", "a", "unknown", "c")
	var ids []string
	for address := "/api/v1/sites?limit=1"; ; {
		r, text := g.bearer(address, token)
		var page struct {
			Sites []struct {
				SiteID string `json:"siteId"`
			} `json:"sites"`
			Cursor string `json:"cursor"`
		}
		if err := json.Unmarshal([]byte(text), &page); err != nil || r.Code != http.StatusOK || len(page.Sites) > 1 {
			t.Fatalf("%s: %d: %s: %v", address, r.Code, text, err)
		}
		for _, s := range page.Sites { // One is not known, and its page is empty.
			ids = append(ids, s.SiteID)
		}
		if page.Cursor == "" {
			break
		}
		address = "/api/v1/sites?limit=1&cursor=" + page.Cursor
	}
	if want := []string{"a", "c", "d"}; !slices.Equal(ids, want) {
		t.Errorf("sites %q, want %q", ids, want)
	}
	r, text := g.bearer("/api/v1/sites?cursor=Yg", token) // b, which is not among them
	wants(t, "a cursor to another site", r, text, http.StatusUnprocessableEntity, "not a cursor")
	r, text = ask(t, g.Handler, "/", "Authorization", "Bearer "+token, "Accept", "text/html")
	if r.Code != http.StatusOK || !strings.Contains(text, `/sites/c"`) || strings.Contains(text, `/sites/b"`) {
		t.Errorf("the overview: %d: %s", r.Code, text)
	}
}

// The site that is decided upon is the one that is read, however the path spells it.
func TestSpelledIDsAreDecidedUponAsTheyAreRead(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	for _, id := range []string{".", "~.", "a/b", "a%2Fb", "SHOP"} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), g.table, sinks.Keys{}, id); err != nil {
			t.Fatal(err)
		}
	}
	for id, segment := range map[string]string{".": "~.", "~.": "~~.", "a/b": "a%2Fb", "a%2Fb": "a%252Fb", "shop": "%73hop", "SHOP": "SHOP"} {
		for other := range map[string]bool{".": true, "~.": true, "a/b": true, "a%2Fb": true, "shop": true, "SHOP": true} {
			r, text := g.bearer("/api/v1/sites/"+segment, g.token(other))
			if other == id {
				wants(t, segment, r, text, http.StatusOK, `"siteId": "`+id+`"`)
			} else {
				wants(t, segment+" with a token of "+other, r, text, http.StatusForbidden, "does not include")
			}
			if r, _ := g.bearer("/sites/"+segment, g.token(other)); (r.Code == http.StatusOK) != (other == id) {
				t.Errorf("the page of %s with a token of %s: %d", segment, other, r.Code)
			}
		}
	}
}

func TestRatesAreLimitedPerToken(t *testing.T) {
	g := newGuarded(t, Options{Limiter: access.NewLimiter(60)}, nil)
	const address = "/api/v1/sites/shop/uniques"
	busy, calm := g.token("shop"), g.token("shop")
	for range 15 { // A quarter of a minute's at once.
		r, text := g.bearer(address, busy)
		wants(t, "within the limit", r, text, http.StatusOK, "")
	}
	r, text := g.bearer(address, busy)
	wants(t, "beyond the limit", r, text, http.StatusTooManyRequests, "ask again in 1 s")
	if got := r.Header().Get("Retry-After"); got != "1" {
		t.Errorf("Retry-After: %q", got)
	}
	r, text = g.bearer(address, calm)
	wants(t, "another token", r, text, http.StatusOK, "")
	g.now = g.now.Add(time.Second)
	r, text = g.bearer(address, busy)
	wants(t, "a second later", r, text, http.StatusOK, "")
}

// What answers cost is counted by token, under a bounded number of names.
func TestUnitsAreCountedPerToken(t *testing.T) {
	registry := prometheus.NewRegistry()
	g := newGuarded(t, Options{Metrics: reads.NewMetrics(registry)}, nil)
	token := g.token("shop")
	r, _ := g.bearer("/api/v1/sites/shop/stats", token)
	var units float64
	fmt.Sscan(r.Header().Get("Footfall-Read-Units"), &units)
	const maxNamed = 100 // credentials with a label of their own
	for range maxNamed + 20 {
		g.bearer("/api/v1/sites/shop/stats", g.token("other"))
	}
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	counted, labels := 0.0, 0
	for _, f := range families {
		for _, m := range f.GetMetric() {
			if f.GetName() == "footfall_serve_requests_total" {
				labels++
			}
			if f.GetName() == "footfall_serve_read_units_total" && m.GetLabel()[0].GetValue() == "token:"+token[4:20] {
				counted = m.GetCounter().GetValue()
			}
		}
	}
	if units == 0 || counted != units || labels != maxNamed+1 {
		t.Errorf("%v units counted of %v, under %d names; want all, under %d", counted, units, labels, maxNamed+1)
	}
}
