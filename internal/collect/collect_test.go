package collect

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/visitorid"
)

// noon is when all requests of these tests come.
var noon = time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC)

// taken is a Publisher that takes all records, or fails.
type taken struct {
	records []*kgo.Record
	err     error
}

func (q *taken) Publish(_ context.Context, _ string, records []*kgo.Record) error {
	if q.err == nil {
		q.records = append(q.records, records...)
	}
	return q.err
}

const sitesText = `sites:
  - id: shop.example
  - id: blog
    origins: ["https://blog.example", "http://localhost:3000"]
    tokens: [%x]
`

// world is a collector of two sites.
type world struct {
	t testing.TB
	http.Handler
	queue *taken
	sites string // path of the file
	now   time.Time
}

func newWorld(t testing.TB, change func(*Options)) *world {
	w := &world{t: t, queue: new(taken), sites: filepath.Join(t.TempDir(), "sites.yaml"), now: noon}
	w.write(fmt.Sprintf(sitesText, sha256.Sum256([]byte("secret"))))
	sites, err := LoadSites(w.sites, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Sites: sites, Visitors: new(visitorid.Hasher), Queue: w.queue, Now: func() time.Time { return w.now },
		Log: slog.New(slog.DiscardHandler), RespectGPC: true, NewJudge: func() produce.Judge { return judgeOf(noon) }}
	if change != nil {
		change(&o)
	}
	w.Handler = New(o)
	return w
}

func (w *world) write(text string) {
	w.t.Helper()
	if err := os.WriteFile(w.sites, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

// ask sends a request with headers, as in "Origin: https://shop.example".
func (w *world) ask(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.RemoteAddr = "203.0.113.9:4711"
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		r.Header.Add(name, value)
	}
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	return answer
}

// last is the event that was published last.
func (w *world) last() (e published) {
	w.t.Helper()
	if len(w.queue.records) == 0 {
		w.t.Fatal("nothing was published")
	}
	if err := json.Unmarshal(w.queue.records[len(w.queue.records)-1].Value, &e); err != nil {
		w.t.Fatal(err)
	}
	return e
}

const (
	shop = "Origin: https://shop.example"
	view = `{"siteId":"shop.example","type":"page_view","id":"1","url":"https://shop.example/a?b=c","referrer":"https://search.example/","title":"Ä"}`
)

func TestPageViewIsPublished(t *testing.T) {
	w := newWorld(t, nil)
	answer := w.ask("POST", PathBrowser, strings.Replace(view, "{", `{"ago":90000,`, 1), shop, "User-Agent: Firefox")
	if answer.Code != http.StatusAccepted || answer.Header().Get("Access-Control-Allow-Origin") != "https://shop.example" {
		t.Fatalf("status %d %s, headers %v", answer.Code, answer.Body, answer.Header())
	}
	e := w.last()
	want := published{SiteID: "shop.example", Type: "page_view", ID: "1", URL: "https://shop.example/a?b=c",
		Referrer: "https://search.example/", Title: "Ä", UserAgent: "Firefox"}
	want.Timestamp, want.VisitorID = e.Timestamp, e.VisitorID
	if got, wanted := fmt.Sprint(e), fmt.Sprint(want); got != wanted {
		t.Errorf("published %s, want %s", got, wanted)
	}
	if string(e.Timestamp) != fmt.Sprint(noon.Add(-90*time.Second).UnixMilli()) || len(e.VisitorID) != 32 {
		t.Errorf("timestamp %s, visitor %q", e.Timestamp, e.VisitorID)
	}
	if r := w.queue.records[0]; string(r.Key) != "shop.example" || !r.Timestamp.Equal(noon) || bytes.Contains(r.Value, []byte("203.0.113.9")) {
		t.Errorf("record %s at %v: %s", r.Key, r.Timestamp, r.Value)
	}
}

// Each of these requests is answered with what is wrong, and publishes nothing.
func TestBadRequests(t *testing.T) {
	token := "Authorization: Bearer secret"
	for _, c := range []struct {
		name, path, body string
		headers          []string
		status           int
		says             string
	}{
		{"nothing", PathBrowser, "", []string{shop}, 400, "body"},
		{"no JSON", PathBrowser, "<html>", []string{shop}, 400, "body"},
		{"cut short", PathBrowser, view[:40], []string{shop}, 400, "body"},
		{"two objects", PathBrowser, view + view, []string{shop}, 400, "body"},
		{"a key twice", PathBrowser, `{"siteId":"blog",` + view[1:], []string{shop}, 400, "duplicate"},
		{"unknown field", PathBrowser, `{"visitorId":"v",` + view[1:], []string{shop}, 400, "visitorId"},
		{"field of another type", PathBrowser, `{"name":7,` + view[1:], []string{shop}, 400, "/name"},
		{"no event", PathBrowser, "[]", []string{shop}, 400, "0 events"},
		{"too many events, read no further", PathBrowser, "[" + strings.Repeat("{},", maxEvents) + "{}, no JSON", []string{shop}, 400,
			"100 events"},
		{"two sites", PathBrowser, `[` + view + `,{"siteId":"blog"}]`, []string{shop}, 400, "two sites"},
		{"a byte too large", PathBrowser, view + strings.Repeat(" ", maxBodyBytes+1-len(view)), []string{shop}, 413, "65536"},
		{"gzip that swells", PathBrowser, packed(t, strings.Repeat(" ", 64<<20)), []string{shop, "Content-Encoding: gzip"}, 413, "65536"},
		{"gzip that is none", PathBrowser, view, []string{shop, "Content-Encoding: gzip"}, 400, "gzip"},
		{"another encoding", PathBrowser, view, []string{shop, "Content-Encoding: br"}, 415, "gzip"},
		{"no origin", PathBrowser, view, nil, 403, "origin"},
		{"origin null", PathBrowser, view, []string{"Origin: null"}, 403, "origin"},
		{"another's origin", PathBrowser, view, []string{"Origin: https://blog.example"}, 403, "origin"},
		{"origin of a subdomain", PathBrowser, view, []string{"Origin: https://evil.shop.example"}, 403, "origin"},
		{"origin without TLS", PathBrowser, view, []string{"Origin: http://shop.example"}, 403, "origin"},
		{"unknown site", PathBrowser, strings.Replace(view, "shop.example", "other", 1), []string{shop}, 403, "siteId"},
		{"no site", PathBrowser, `{"type":"page_view","id":"1"}`, []string{shop}, 403, "siteId"},
		{"no id", PathBrowser, strings.Replace(view, `"id":"1",`, "", 1), []string{shop}, 400, "id"},
		{"id that is too long to count once", PathBrowser, strings.Replace(view, `"id":"1"`, `"id":"`+strings.Repeat("a", 257)+`"`, 1), []string{shop}, 400,
			"257 bytes"},
		{"no type", PathBrowser, strings.Replace(view, `"type":"page_view",`, "", 1), []string{shop}, 400, "missing_type"},
		{"ahead of its time", PathBrowser, `{"ago":-1,` + view[1:], []string{shop}, 400, "ago"},
		{"too long ago", PathBrowser, `{"ago":86400001,` + view[1:], []string{shop}, 400, "ago"},
		{"no whole number", PathBrowser, `{"ago":1e99,` + view[1:], []string{shop}, 400, "ago"},
		{"lone surrogate", PathBrowser, strings.Replace(view, "Ä", `\ud800`, 1), []string{shop}, 400, "body"},
		{"pixel of another page", PathPixel + "?siteId=shop.example", "", []string{"Referer: https://evil.example/"}, 403, "origin"},
		{"pixel without a page", PathPixel + "?siteId=shop.example", "", nil, 403, "origin"},
		{"backend without a token", PathBackend, `{"siteId":"blog"}`, nil, 401, "token"},
		{"backend with a wrong token", PathBackend, `{"siteId":"blog"}`, []string{"Authorization: Bearer Secret"}, 401, "token"},
		{"backend with a token alone", PathBackend, `{"siteId":"blog"}`, []string{"Authorization: secret"}, 401, "token"},
		{"token of another site", PathBackend, view, []string{token}, 401, "token"},
		{"backend's year is wrong", PathBackend, `{"siteId":"blog","type":"a","id":"1","visitorId":"v","timestamp":"2025-05-12T12:00:00Z"}`,
			[]string{token}, 400, "too_late"},
		{"backend without a visitor", PathBackend, `{"siteId":"blog","type":"a","id":"1"}`, []string{token}, 400, "missing_visitor"},
		{"address and timestamp", PathBackend, `{"siteId":"blog","type":"a","id":"1","address":"192.0.2.1","timestamp":1}`, []string{token}, 400,
			"timestamp and address"},
		{"ago and timestamp", PathBackend, `{"siteId":"blog","type":"a","id":"1","ago":5,"timestamp":1}`, []string{token}, 400, "timestamp and ago"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, nil)
			method := "POST"
			if strings.HasPrefix(c.path, PathPixel) {
				method = "GET"
			}
			answer := w.ask(method, c.path, c.body, c.headers...)
			if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.says) || strings.Contains(answer.Body.String(), "collect.") {
				t.Errorf("status %d, %q; want %d and %q", answer.Code, answer.Body, c.status, c.says)
			}
			if len(w.queue.records) > 0 {
				t.Errorf("published %s", w.queue.records[0].Value)
			}
		})
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// One bad event of a request keeps all of it from being published: its sender may send it again as a whole.
func TestRequestIsTakenAsAWhole(t *testing.T) {
	w := newWorld(t, nil)
	both := func(second string) string { return "[" + view + "," + second + "]" }
	answer := w.ask("POST", PathBrowser, both(strings.Replace(view, "page_view", "", 1)), shop)
	if answer.Code != 400 || len(w.queue.records) != 0 {
		t.Errorf("status %d, %d records", answer.Code, len(w.queue.records))
	}
	if answer := w.ask("POST", PathBrowser, packed(t, both(strings.Replace(view, `"1"`, `"2"`, 1))), shop,
		"Content-Encoding: GZIP"); answer.Code != 202 || len(w.queue.records) != 2 {
		t.Errorf("status %d, %d records", answer.Code, len(w.queue.records))
	}
}

func TestBrokersThatDoNotAnswerAre503(t *testing.T) {
	w := newWorld(t, nil)
	for _, w.queue.err = range []error{ErrFull, errors.New("password of the broker")} {
		answer := w.ask("POST", PathBrowser, view, shop)
		if answer.Code != 503 || answer.Header().Get("Retry-After") == "" || strings.Contains(answer.Body.String(), "password") {
			t.Errorf("%v: status %d, %v, %s", w.queue.err, answer.Code, answer.Header(), answer.Body)
		}
	}
}

// A slow network is no reason to give an event up, which senders do after 400.
func TestBodyThatComesTooSlowlyIs503(t *testing.T) {
	w := newWorld(t, nil)
	body := io.MultiReader(strings.NewReader(view[:40]), iotest.ErrReader(os.ErrDeadlineExceeded))
	r := httptest.NewRequest(http.MethodPost, PathBrowser, body)
	r.Header.Set("Origin", "https://shop.example")
	answer := httptest.NewRecorder()
	w.ServeHTTP(answer, r)
	if answer.Code != 503 || answer.Header().Get("Retry-After") == "" {
		t.Errorf("status %d, %v, %s", answer.Code, answer.Header(), answer.Body)
	}
}

// TestTextThatIsNoUTF8IsTaken: senders would send what is answered with 503 again in vain.
func TestTextThatIsNoUTF8IsTaken(t *testing.T) {
	w := newWorld(t, nil)
	latin := "User-Agent: caf\xe9" + strings.Repeat("e", 2000)
	for _, answer := range []*httptest.ResponseRecorder{w.ask("POST", PathBrowser, view, shop, latin),
		w.ask("GET", PathPixel+"?siteId=shop.example&title=caf%e9", "", "Referer: https://shop.example/", latin)} {
		if answer.Code/100 != 2 {
			t.Errorf("status %d, %s", answer.Code, answer.Body)
		}
	}
	e := w.last()
	if e.Title != "caf\ufffd" || !strings.HasPrefix(e.UserAgent, "caf\ufffde") || len(e.UserAgent) > maxUserAgentBytes+len("\ufffd") {
		t.Errorf("title %q, %d bytes of user agent %q", e.Title, len(e.UserAgent), e.UserAgent[:8])
	}
}

func TestBackendGivesItsVisitor(t *testing.T) {
	w := newWorld(t, nil)
	const token = "Authorization: Bearer secret"
	if answer := w.ask("POST", PathBackend, `{"siteId":"blog","type":"purchase","id":"1","sessionId":"s","userId":"u","value":39.90,
		"timestamp":"2026-05-12T11:00:00Z","properties":{"a":[1]}}`, token); answer.Code != 202 {
		t.Fatalf("status %d, %s", answer.Code, answer.Body)
	}
	if e := w.last(); e.SessionID != "s" || e.UserID != "u" || string(e.Value) != "39.90" || string(e.Properties) != `{"a":[1]}` || e.VisitorID != "" {
		t.Errorf("published %+v", e)
	}
	w.ask("POST", PathBackend, `{"siteId":"blog","type":"page_view","id":"2","address":"203.0.113.9","userAgent":"Firefox","timestamp":null}`,
		"Authorization: bearer  secret")
	backend := w.last().VisitorID
	w.ask("POST", PathBrowser, `{"siteId":"blog","type":"page_view","id":"3"}`, "Origin: http://localhost:3000", "User-Agent: Firefox")
	if page := w.last().VisitorID; page != backend || page == "" {
		t.Errorf("the visitor is %q to the backend and %q to the page", backend, page)
	}
}

func TestPixelIsAPageView(t *testing.T) {
	w := newWorld(t, nil)
	answer := w.ask("GET", PathPixel+"?siteId=shop.example&title=T", "", "Referer: https://shop.example/a")
	if answer.Code != 200 || answer.Header().Get("Content-Type") != "image/gif" || !bytes.HasPrefix(answer.Body.Bytes(), []byte("GIF89a")) {
		t.Errorf("status %d, %v", answer.Code, answer.Header())
	}
	if e := w.last(); e.Type != "page_view" || e.URL != "https://shop.example/a" || e.Title != "T" || len(e.ID) != 32 {
		t.Errorf("published %+v", e)
	}
}

func TestGlobalPrivacyControlIsRespected(t *testing.T) {
	for _, respected := range []bool{true, false} {
		w := newWorld(t, func(o *Options) { o.RespectGPC = respected })
		answer := w.ask("POST", PathBrowser, view, shop, "Sec-GPC: 1")
		w.ask("GET", PathPixel+"?siteId=shop.example", "", "Referer: https://shop.example/", "Sec-GPC: 1")
		if respected && (answer.Code != 200 || len(w.queue.records) != 0) || !respected && (answer.Code != 202 || len(w.queue.records) != 2) {
			t.Errorf("respected %v: status %d, %d records", respected, answer.Code, len(w.queue.records))
		}
	}
}

// The client is the last address that no trusted proxy has: those before it may be forged.
func TestClientBehindProxies(t *testing.T) {
	n := Network{CountryHeader: "Country",
		Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")}}
	for _, c := range []struct{ peer, forwarded, country, address, found string }{
		{"203.0.113.9:1", "", "DE", "203.0.113.9", ""},
		{"203.0.113.9:1", "198.51.100.7", "DE", "203.0.113.9", ""},
		{"10.0.0.1:1", "198.51.100.7", "DE", "198.51.100.7", "DE"},
		{"10.0.0.1:1", "1.2.3.4, 198.51.100.7, 10.9.9.9", "XX", "198.51.100.7", ""},
		{"10.0.0.1:1", "10.1.1.1, 10.9.9.9", "T1", "10.1.1.1", ""},
		{"10.0.0.1:1", "198.51.100.7, unknown", "de", "10.0.0.1", ""},
		{"10.0.0.1:1", "1.2.3.4, 198.51.100.7:4711", "CH", "198.51.100.7", "CH"},
		{"10.0.0.1:1", "[2001:db9::1]:443", "CH", "2001:db9::1", "CH"},
		{"10.0.0.1:1", "2001:DB9:0::1%eth0", "CH", "2001:db9::1", "CH"},
		{"10.0.0.1:1", "", "CH", "10.0.0.1", "CH"},
		{"[2001:db8::1]:1", "::ffff:198.51.100.7", "CH", "198.51.100.7", "CH"},
		{"[fe80::1%eth0]:1", "198.51.100.7", "CH", "fe80::1", ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		r.Header.Set("Country", c.country)
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		if got := n.clientOf(r); got.address.String() != c.address || got.country != c.found {
			t.Errorf("from %s, forwarded %q, country %s: %v, want %s %s", c.peer, c.forwarded, c.country, got, c.address, c.found)
		}
	}
}

func TestSitesAreReadAgain(t *testing.T) {
	w := newWorld(t, nil)
	moved := "Origin: https://new.example"
	if answer := w.ask("POST", PathBrowser, view, moved); answer.Code != 403 {
		t.Fatalf("status %d", answer.Code)
	}
	w.write(`sites: [{id: shop.example, origins: ["https://new.example"]}]`)
	w.now = w.now.Add(2 * lookEvery)
	if answer := w.ask("POST", PathBrowser, view, moved); answer.Code != 202 {
		t.Errorf("status %d, %s", answer.Code, answer.Body)
	}
	for _, broken := range []string{"sites: [", "sites: []", "sites: [{id: other}]\nsite: 1", `sites: [{id: a}, {id: a}]`, "sites: [{id: a b}]",
		"sites: [{id: a, tokens: [secret]}]",
		fmt.Sprintf("sites: [{id: a, tokens: [%x]}]", sha256.Sum256(nil)), `sites: [{id: a, origins: ["https://a/"]}]`, "sites: [{id: bücher.example}]",
		`sites: [{id: a, origins: ["https://bücher.example"]}]`, `sites: [{id: a, origins: ["https://a:443"]}]`,
		`sites: [{id: a, origins: ["https://*.a.example"]}]`} {
		w.write(broken)
		w.now = w.now.Add(2 * lookEvery)
		if answer := w.ask("POST", PathBrowser, view, moved); answer.Code != 202 {
			t.Errorf("after %q: status %d, %s", broken, answer.Code, answer.Body)
		}
		if _, err := LoadSites(w.sites, slog.New(slog.DiscardHandler)); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("LoadSites of %q = %v, want an error", broken, err)
		}
	}
}

// TestSitesThatCannotBeReadAreTriedAgain: the file is away and comes back as it was, as when its rights are mended.
func TestSitesThatCannotBeReadAreTriedAgain(t *testing.T) {
	var log bytes.Buffer
	path := filepath.Join(t.TempDir(), "sites.yaml")
	write := func(id string, modified time.Time) {
		t.Helper()
		text := []byte("sites: [{id: " + id + "}]")
		if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, text, 0o600), os.Chtimes(path, modified, modified)); err != nil {
			t.Fatal(err)
		}
	}
	write("a.example", noon)
	sites, err := LoadSites(path, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700), os.Chtimes(path, noon, noon)); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // The directory cannot be read as a file.
		if sites.site("a.example", noon.Add(time.Duration(2*i)*lookEvery)) == nil {
			t.Error("the sites before do not stay")
		}
	}
	write("b.example"+strings.Repeat(" ", int(info.Size())-len("sites: [{id: b.example}]")), noon) // Of the same time and size.
	if sites.site("b.example", noon.Add(time.Minute)) == nil || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("the file was not read again: %s", log.String())
	}
	sites.looking.Lock() // As by a request that waits for a slow disk: others do not.
	defer sites.looking.Unlock()
	if sites.site("b.example", noon.Add(time.Hour)) == nil {
		t.Error("the site is not there while the file is looked at")
	}
}

// discarded is a Publisher that takes all records and keeps none.
type discarded struct{}

func (discarded) Publish(context.Context, string, []*kgo.Record) error { return nil }

// BenchmarkPageView is what a page view costs besides HTTP and Kafka.
func BenchmarkPageView(b *testing.B) {
	w := newWorld(b, func(o *Options) { o.Queue = discarded{} })
	b.ReportAllocs()
	for b.Loop() {
		if answer := w.ask("POST", PathBrowser, view, shop, "User-Agent: Firefox"); answer.Code != 202 {
			b.Fatal(answer.Code)
		}
	}
}
