package serve

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/sinks"
)

// signer makes JSON Web Tokens with the keys of a file: product (HS256) may sign for all sites, agency (EdDSA) for shop.
type signer struct {
	t       *testing.T
	path    string
	secret  []byte
	private ed25519.PrivateKey
	public  string // PEM
}

func newSigner(t *testing.T) *signer {
	t.Helper()
	s := &signer{t: t, path: filepath.Join(t.TempDir(), "keys.yml"), secret: make([]byte, 32)}
	rand.Read(s.secret)
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	s.private, s.public = private, string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	s.write(fmt.Sprintf(`keys:
  - id: product
    algorithm: HS256
    secret: %s
    allSites: true
    rights: [read, sessions, annotate]
    origins: [https://app.example]
  - id: agency
    algorithm: EdDSA
    publicKey: |
      %s
    sites: [shop]
`, base64.StdEncoding.EncodeToString(s.secret), strings.ReplaceAll(s.public, "\n", "\n      ")))
	return s
}

func (s *signer) write(text string) {
	s.t.Helper()
	if err := os.WriteFile(s.path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *signer) keys() *access.EmbedKeys {
	s.t.Helper()
	keys, err := access.LoadEmbedKeys(s.path, slog.New(slog.NewTextHandler(s.t.Output(), nil)))
	if err != nil {
		s.t.Fatal(err)
	}
	return keys
}

// claimsOf are claims for the site shop that expire in an hour, with others over them; nil leaves one out.
func claimsOf(more map[string]any) jwt.MapClaims {
	c := jwt.MapClaims{"sites": []string{"shop"}, "exp": now.Add(time.Hour).Unix()}
	maps.Copy(c, more)
	maps.DeleteFunc(c, func(_ string, v any) bool { return v == nil })
	return c
}

func (s *signer) sign(id string, method jwt.SigningMethod, key any, claims jwt.MapClaims) string {
	s.t.Helper()
	token := jwt.NewWithClaims(method, claims)
	token.Header["kid"] = id
	signed, err := token.SignedString(key)
	if err != nil {
		s.t.Fatal(err)
	}
	return signed
}

func (s *signer) product(more map[string]any) string {
	return s.sign("product", jwt.SigningMethodHS256, s.secret, claimsOf(more))
}

func (s *signer) agency(more map[string]any) string {
	return s.sign("agency", jwt.SigningMethodEdDSA, s.private, claimsOf(more))
}

func TestSignedTokensAreAccepted(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	for what, signed := range map[string]string{
		"HS256": s.product(nil), "EdDSA": s.agency(nil), "with more": s.product(map[string]any{"theme": "dark", "language": "de", "sub": "ada",
			"iss": "product", "iat": now.Unix(), "nbf": now.Unix(), "jti": "1", "rights": []string{"read", "sessions"}}),
	} {
		r, text := g.bearer("/api/v1/sites/shop/stats", signed)
		wants(t, what, r, text, http.StatusOK, `"siteId": "shop"`)
		r, text = ask(t, g.Handler, "/embed/"+signed+"/api/v1/sites/shop/stats?format=csv")
		wants(t, what+" in the path", r, text, http.StatusOK, "pageViews")
	}
	shown := s.product(map[string]any{"theme": "dark", "language": "fr-FR"})
	r, text := ask(t, g.Handler, "/embed/"+shown+"/sites/shop", "Sec-Fetch-Site", "cross-site",
		"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe")
	if policy := r.Header().Get("Content-Security-Policy"); r.Code != http.StatusOK || !strings.Contains(text, `data-theme="dark" data-language="fr"`) ||
		!strings.HasSuffix(policy, "frame-ancestors https://app.example") || r.Header().Get("X-Frame-Options") != "" {
		t.Errorf("the page in a frame: %d, policy %q: %s", r.Code, policy, text)
	}
	r, text = ask(t, g.Handler, "/embed/"+s.agency(nil)+"/sites/shop", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate",
		"Sec-Fetch-Dest", "iframe")
	wants(t, "a frame without origins", r, text, http.StatusForbidden, "another origin")
}

// A token that is not signed, or not for what it is used for, opens nothing, on any operation.
func TestSignedTokensAreRefused(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.funnel()
	valid := s.product(nil)
	parts := strings.Split(valid, ".")
	encode := base64.RawURLEncoding.EncodeToString
	none := encode([]byte(`{"alg":"none","kid":"product"}`)) + "." + parts[1] + "."
	widened := parts[0] + "." + encode(fmt.Appendf(nil, `{"sites":["shop","blog"],"exp":%d}`, now.Add(time.Hour).Unix())) + "." + parts[2]
	wrong := map[string]string{
		"alg none": none, "alg None": encode([]byte(`{"alg":"None","kid":"product"}`)) + "." + parts[1] + "." + parts[2],
		"unsigned": parts[0] + "." + parts[1] + ".", "cut": valid[:len(valid)-1], "widened": widened,
		"of another key":            s.sign("product", jwt.SigningMethodHS256, []byte(strings.Repeat("x", 32)), claimsOf(nil)),
		"HS512":                     s.sign("product", jwt.SigningMethodHS512, s.secret, claimsOf(nil)),
		"signed with a public key":  s.sign("agency", jwt.SigningMethodHS256, []byte(s.public), claimsOf(nil)),
		"with the other key":        s.sign("product", jwt.SigningMethodEdDSA, s.private, claimsOf(nil)),
		"of an unknown key":         s.sign("nobody", jwt.SigningMethodHS256, s.secret, claimsOf(nil)),
		"expired":                   s.product(map[string]any{"exp": now.Unix()}),
		"without exp":               s.product(map[string]any{"exp": nil}),
		"for more than a day":       s.product(map[string]any{"exp": now.Add(25 * time.Hour).Unix()}),
		"not yet valid":             s.product(map[string]any{"nbf": now.Add(time.Minute).Unix()}),
		"without sites":             s.product(map[string]any{"sites": nil}),
		"an unknown claim":          s.product(map[string]any{"form": "2026-05-01"}),
		"an unknown right":          s.product(map[string]any{"rights": []string{"write"}}),
		"without a right":           s.product(map[string]any{"rights": []string{}}),
		"a right of another key":    s.agency(map[string]any{"rights": []string{"sessions"}}),
		"a site of another key":     s.agency(map[string]any{"sites": []string{"shop", "blog"}}),
		"a theme that there is not": s.product(map[string]any{"theme": `dark" onload="x`}),
		"a language that is none":   s.product(map[string]any{"language": `"><script>`}),
		"a limit that is no day":    s.product(map[string]any{"from": "-24h"}),
		"an empty filter":           s.product(map[string]any{"where": []string{""}}),
		"an empty list of values":   s.product(map[string]any{"where": [][]string{{}}}),
		"a list without values":     s.product(map[string]any{"where": [][]string{{"country="}}}),
		"a list of a filter alone":  s.product(map[string]any{"where": [][]string{{"country=DE"}}}),
		"a list of lists":           s.product(map[string]any{"where": []any{[]any{"country=", []string{"DE"}}}}),
		"a filter that is null":     s.product(map[string]any{"where": []any{nil}}),
		"a value that is null":      s.product(map[string]any{"where": []any{[]any{"country=", "DE", nil}}}),
		"more than 50 values": s.product(map[string]any{"where": []any{
			append([]string{"country="}, slices.Repeat([]string{"DE"}, 51)...)}}),
		"a list with an empty one": s.product(map[string]any{"where": [][]string{{"country=", "DE", ""}}}),
		"filters as a text":        s.product(map[string]any{"where": "country=DE"}),
	}
	for _, claim := range []string{"form", "anyOf"} {
		r, text := g.bearer("/api/v1/sites/shop/stats", s.product(map[string]any{claim: []any{[]string{"country=", "DE"}}}))
		wants(t, claim, r, text, http.StatusUnauthorized, claim)
	}
	for _, claim := range []string{"sites", "where"} {
		r, text := g.bearer("/api/v1/sites/shop/stats", s.product(map[string]any{claim: "country=DE"}))
		wants(t, claim+" as a text", r, text, http.StatusUnauthorized, "claim "+claim+": a string does not fit")
	}
	for id, path := range addressesOf(t, "shop") {
		for what, signed := range wrong {
			r, text := g.bearer(path, signed)
			wants(t, id+" "+what, r, text, http.StatusUnauthorized, "not valid")
			r, text = ask(t, g.Handler, "/embed/"+signed+path)
			wants(t, id+" "+what, r, text, http.StatusUnauthorized, "not valid")
		}
		r, text := ask(t, g.Handler, "/share/"+valid+path)
		wants(t, id+" as a share link", r, text, http.StatusUnauthorized, "not valid")
		r, text = g.bearer(path, s.product(map[string]any{"where": []string{"country=DE"}}))
		if slices.Contains([]string{"get-stats", "get-uniques", "get-top", "get-goals", "get-paths", "report-funnel"}, id) {
			wants(t, id+" with a filter", r, text, http.StatusOK, `"locked": [`)
		} else if r.Code != http.StatusForbidden || id != "list-sites" && id != "get-overview" && !strings.Contains(text, "filters") &&
			!strings.Contains(text, "limited") &&
			!strings.Contains(text, "right") {
			t.Errorf("%s with a filter: %d: %s", id, r.Code, text)
		}
	}
}

// The keys are read again when their file changes, so that one can be replaced without a restart; a file that cannot be read changes
// nothing.
func TestEmbedKeysAreReadAgain(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	status := func(signed string) int {
		r, _ := g.bearer("/api/v1/sites/shop/stats", signed)
		return r.Code
	}
	before := s.product(nil)
	s.write("keys: [")
	if got := status(before); got != http.StatusOK {
		t.Errorf("with a broken file: %d", got)
	}
	s.secret = []byte(strings.Repeat("k", 32))
	s.write("keys: [{id: next, algorithm: HS256, allSites: true, secret: " + base64.StdEncoding.EncodeToString(s.secret) + "}]")
	if got := status(before); got != http.StatusUnauthorized {
		t.Errorf("of a key that is gone: %d", got)
	}
	if got := status(s.sign("next", jwt.SigningMethodHS256, s.secret, claimsOf(nil))); got != http.StatusOK {
		t.Errorf("of the new key: %d", got)
	}
}

// Nothing is written for those who look at embedded pages.
func TestSignedTokensWriteNothing(t *testing.T) {
	s := newSigner(t)
	h := New(Options{Table: readOnly{shopTable(t)}, Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Keeper: access.NewKeeper(access.KeeperOptions{Table: failingTable{}, Now: func() time.Time { return now }, Embed: s.keys()})})
	for i := range 100 {
		r, text := ask(t, h, "/embed/"+s.product(map[string]any{"sub": fmt.Sprint("viewer-", i)})+"/sites/shop")
		if r.Code != http.StatusOK {
			t.Fatalf("%d: %s", r.Code, text)
		}
	}
}

// readOnly is a table without its writes.
type readOnly struct{ sinks.Table }
