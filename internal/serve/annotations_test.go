package serve

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
)

// write sends a request that writes.
func (g *guarded) write(method, address, body string, header ...string) *httptest.ResponseRecorder {
	g.t.Helper()
	r := httptest.NewRequestWithContext(g.t.Context(), method, "http://localhost:8787"+address, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	g.ServeHTTP(w, r)
	return w
}

const annotated = "/api/v1/sites/shop/annotations"

// body spells an annotation of noon of 8 May.
func body(text string) string {
	b, err := json.Marshal(map[string]string{"at": "2026-05-08T12:00:00Z", "text": text})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Only credentials with the right annotate, and no page of another origin, write annotations.
func TestAnnotationsAreGuarded(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	all, read := g.token("shop"), g.create(access.Stored{Kind: access.Token, Sites: []string{"shop"}})
	share := g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	const auth, cookie, origin = "Authorization", "Cookie", "Origin"
	w := g.write("POST", annotated, body("a release"), auth, "Bearer "+all)
	var created struct{ AnnotationID, Text string }
	if err := json.Unmarshal(w.Body.Bytes(), &created); err != nil || w.Code != http.StatusCreated || created.Text != "a release" {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	one := annotated + "/" + created.AnnotationID
	for what, c := range map[string]struct {
		method, address, body string
		header                []string
		status                int
	}{
		"no credential":            {"POST", annotated, body("x"), nil, http.StatusUnauthorized},
		"without the right":        {"POST", annotated, body("x"), []string{auth, "Bearer " + read}, http.StatusForbidden},
		"deleting without it":      {"DELETE", one, "", []string{auth, "Bearer " + read}, http.StatusForbidden},
		"a share link":             {"POST", "/share/" + share + annotated, body("x"), nil, http.StatusForbidden},
		"deleting by a share link": {"DELETE", "/share/" + share + one, "", nil, http.StatusForbidden},
		"a signed token":           {"POST", annotated, body("x"), []string{auth, "Bearer " + s.product(nil)}, http.StatusForbidden},
		"another site": {"POST", strings.Replace(annotated, "shop", "blog", 1), body("x"), []string{auth, "Bearer " + all},
			http.StatusForbidden},
		"a form of another page": {"POST", annotated, body("x"), []string{cookie, "footfall=" + all, "Content-Type", "text/plain"},
			http.StatusUnsupportedMediaType},
		"another origin": {"POST", annotated, body("x"), []string{cookie, "footfall=" + all, origin, "https://evil.example"},
			http.StatusForbidden},
		"another site's page": {"DELETE", one, "", []string{cookie, "footfall=" + all, "Sec-Fetch-Site", "cross-site"}, http.StatusForbidden},
		"too long": {"POST", annotated, body(strings.Repeat("é", 501)), []string{auth, "Bearer " + all},
			http.StatusUnprocessableEntity},
		"far too long": {"POST", annotated, body(strings.Repeat("x", maxAnnotation)), []string{auth, "Bearer " + all},
			http.StatusRequestEntityTooLarge},
		"no JSON":    {"POST", annotated, "\x00", []string{auth, "Bearer " + all}, http.StatusBadRequest},
		"empty":      {"POST", annotated, body(""), []string{auth, "Bearer " + all}, http.StatusUnprocessableEntity},
		"no instant": {"POST", annotated, `{"text":"x"}`, []string{auth, "Bearer " + all}, http.StatusUnprocessableEntity},
		"year 1": {"POST", annotated, `{"text":"x","at":"0001-01-01T00:00:00Z"}`, []string{auth, "Bearer " + all},
			http.StatusUnprocessableEntity},
		"unknown field": {"POST", annotated, `{"text":"x","at":"2026-05-08T12:00:00Z","by":"y"}`, []string{auth, "Bearer " + all},
			http.StatusUnprocessableEntity},
		"unknown id":   {"DELETE", annotated + "/01KRE3M8R0ABCDEFGHJKMNPQRS", "", []string{auth, "Bearer " + all}, http.StatusNotFound},
		"another path": {"POST", "/api/v1/sites/shop/stats", "{}", []string{auth, "Bearer " + all}, http.StatusMethodNotAllowed},
		"another verb": {"PUT", one, body("x"), []string{auth, "Bearer " + all}, http.StatusMethodNotAllowed},
	} {
		if w := g.write(c.method, c.address, c.body, c.header...); w.Code != c.status {
			t.Errorf("%s: %d, want %d: %s", what, w.Code, c.status, w.Body)
		}
	}
	for address, allowed := range map[string]string{annotated: "GET, HEAD, POST", one: "DELETE", "/api/v1/sites/shop/stats": "GET, HEAD"} {
		w := g.write("OPTIONS", address, "", auth, "Bearer "+all)
		if got := w.Header().Get("Allow"); w.Code != http.StatusMethodNotAllowed || got != allowed ||
			!strings.Contains(w.Body.String(), "use "+allowed) {
			t.Errorf("OPTIONS %s: %d, Allow %q, want %q: %s", address, w.Code, got, allowed, w.Body)
		}
	}
	if _, text := g.bearer(annotated, all); strings.Count(text, `"annotationId"`) != 1 {
		t.Errorf("what was refused was written: %s", text)
	}
	if w := g.write("DELETE", one, "", cookie, "footfall="+all, origin, "http://localhost:8787"); w.Code != http.StatusNoContent {
		t.Errorf("deleting: %d: %s", w.Code, w.Body)
	}
	if _, text := g.bearer(annotated, all); strings.Contains(text, created.AnnotationID) {
		t.Errorf("it was not deleted: %s", text)
	}
}

// Annotations of any text are shown as text, within the range of who asks, and without who wrote them to those who have a link.
func TestAnnotationsAreText(t *testing.T) {
	g, link := sharedServer(t, someDays)
	all := g.token("shop")
	evil := "<script>alert(1)</script>\x00\u202e\"'&\U0001f980"
	for _, text := range []string{evil, strings.Repeat("W", 1000)} {
		if w := g.write("POST", annotated, body(text), "Authorization", "Bearer "+all); w.Code != http.StatusCreated {
			t.Fatalf("%d: %s", w.Code, w.Body)
		}
	}
	late, err := json.Marshal(map[string]any{"at": now.Add(-time.Hour), "text": "beyond the range of the link"})
	if err != nil {
		t.Fatal(err)
	}
	if w := g.write("POST", annotated, string(late), "Authorization", "Bearer "+all); w.Code != http.StatusCreated {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	r, list := g.bearer(annotated, all)
	var answer struct {
		Annotations []struct{ Text, CreatedBy string }
	}
	if err := json.Unmarshal([]byte(list), &answer); err != nil || r.Code != http.StatusOK || len(answer.Annotations) != 3 ||
		answer.Annotations[2].Text != evil && answer.Annotations[1].Text != evil || !strings.HasPrefix(answer.Annotations[0].CreatedBy,
		"token ") {
		t.Errorf("%d, %v: %s", r.Code, err, list)
	}
	r, list = ask(t, g.Handler, link+annotated)
	wants(t, "a share link", r, list, http.StatusOK, `"createdBy": ""`)
	if strings.Contains(list, "beyond the range") || strings.Contains(list, "token ") {
		t.Errorf("a share link shows %s", list)
	}
	r, list = ask(t, g.Handler, link+annotated+"?to="+url.QueryEscape("2026-05-13"))
	wants(t, "beyond its range", r, list, http.StatusForbidden, "another range")
	for _, base := range []string{"", link} {
		r, document := ask(t, g.Handler, base+"/sites/shop?from=2026-05-04&to=2026-05-11", "Accept", "text/html", "Authorization",
			"Bearer "+all)
		if r.Code != http.StatusOK || strings.Contains(document, "<script>alert") || strings.ContainsAny(document, "\x00\u202e") ||
			!strings.Contains(document, "&lt;script&gt;alert(1)&lt;/script&gt;") || !strings.Contains(document, `<section id="annotations"`) ||
			strings.Count(document, `<g class="mark">`) != 2 || strings.Contains(document, "beyond the range") {
			t.Errorf("%q: %d: %s", base, r.Code, document)
		}
	}
}
