package serve

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// now is the instant at which all questions are asked.
var now = time.Date(2026, 5, 12, 14, 35, 20, 0, time.UTC)

// shopTable is a table with a site that had events in each of three hours.
func shopTable(t *testing.T) sinks.Table {
	t.Helper()
	table := testworld.Table(t)
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, "shop"); err != nil {
		t.Fatal(err)
	}
	for h := range 3 {
		key := sinks.Keys{}.HourStats("shop", now.Truncate(time.Hour).Add(-time.Duration(h)*time.Hour).UnixMilli())
		if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrEvents: sinks.Int(int64(10 + h)), sinks.AttrPageViews: sinks.Int(10)}}); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func handler(t *testing.T, table sinks.Table) http.Handler {
	return New(Options{Table: table, Now: func() time.Time { return now }, Log: quiet(t)})
}

// quiet logs to the test's output.
func quiet(t *testing.T) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// ask asks for an address on this machine, as a program does.
func ask(t *testing.T, h http.Handler, address string, header ...string) (*httptest.ResponseRecorder, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost:8787"+address, nil)
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, w.Body.String()
}

// wants checks the status of an answer and, of a problem, that it is one and says what it must.
func wants(t *testing.T, address string, r *httptest.ResponseRecorder, text string, status int, says string) {
	t.Helper()
	if r.Code != status || !strings.Contains(text, says) {
		t.Errorf("%s: %d: %s; want status %d and %s", address, r.Code, text, status, says)
	}
	if status < 400 {
		return
	}
	var p problem.Problem
	if err := json.Unmarshal([]byte(text), &p); err != nil || p.Status != status || p.Title == "" || p.Detail == "" ||
		r.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("%s: %s of type %q is no problem of status %d: %v", address, text, r.Header().Get("Content-Type"), status, err)
	}
}

func TestWrongParametersAreRefusedByName(t *testing.T) {
	h := handler(t, shopTable(t))
	const stats = "/api/v1/sites/shop/stats"
	for _, c := range []struct{ address, parameter, says string }{
		{stats + "?form=-7d", "form", "there is no such parameter: choose from align, by, compare"},
		{stats + "?from=-7d&from=-8d", "from", "more than once"},
		{stats + "?from=", "from", "empty"},
		{stats + "?from=soon", "from", "not an instant"},
		{stats + "?from=2026-02-30", "from", "no such date"},
		{stats + "?from=-7d&to=tomorrow", "to", "not an instant"},
		{stats + "?from=2026-05-12&to=2026-05-11", "from", "before"},
		{stats + "?from=2036-05-12", "from", "the range lies in the future"},
		{stats + "?period=2036-05", "period", "the range lies in the future"},
		{"/api/v1/sites/shop/funnels/f/report?from=2036-05-12&to=2036-05-13", "from", "the range lies in the future"},
		{"/api/v1/sites/shop/paths?from=2036-05-12&to=2036-05-13", "from", "the range lies in the future"},
		{stats + "?period=7d&from=-7d", "period", "leave it out, or from and to"},
		{stats + "?period=fortnight", "period", "not a period"},
		{stats + "?tz=Mars/Olympus", "tz", "Mars/Olympus"},
		{stats + "?by=minute", "by", "hour, day, week, month, year"},
		{stats + "?compare=next", "compare", "choose previous, year or a range, as in 2026-04 or 2026-04-01..2026-05-01: not a period"},
		{stats + "?compare=2026-05-12..2026-05-01", "compare", "must begin before its end"},
		{stats + "?compare=soon..now", "compare", "not an instant"},
		{stats + "?align=weekday", "align", "add compare"},
		{stats + "?align=weekday&where=country%3DDE", "align", "add compare"},
		{stats + "?limit=0", "limit", "from 1 to 10000"},
		{stats + "?limit=10001", "limit", "write a whole number"},
		{stats + "?limit=ten", "limit", "write a whole number from 1 to 10000"},
		{stats + "?cursor=abc", "cursor", "not a cursor"},
		{stats + "?format=xml", "format", "json, csv, ndjson"},
		{stats + "?fill=perhaps", "fill", "write true or false"},
		{stats + "?fill=1", "fill", "write true or false"},
		{"/api/v1/sites/shop/top/colour", "dimension", "choose hostname, page"},
		{"/api/v1/sites/shop/top/page?sort=beauty", "sort", "choose events"},
		{"/api/v1/sites/shop/top/property:plan", "dimension", "has chosen no property"},
		{"/api/v1/sites/shop/realtime?at=soon", "at", "not an instant"},
		{"/api/v1/sites/shop/realtime?pages=51", "pages", "50"},
		{"/api/v1/sites/shop/sessions?user=u&visitor=v", "user", "leave it out, or visitor"},
		{"/api/v1/sites/shop/funnels/f/report?maxEvents=0", "maxEvents", "1"},
		{"/api/v1/sites?deleted=true&Deleted=true", "Deleted", "no such parameter"},
	} {
		for _, accept := range []string{"application/json", "text/csv", "application/x-ndjson", "*/*"} {
			r, text := ask(t, h, c.address, "Accept", accept)
			wants(t, c.address, r, text, http.StatusUnprocessableEntity, c.says)
			where := "query."
			if c.parameter == "dimension" {
				where = "path."
			}
			if !strings.Contains(text, `"`+where+c.parameter+`"`) {
				t.Errorf("%s: %s; want an error of %s%s", c.address, text, where, c.parameter)
			}
			if value, ok := wrongValue(text); ok && !strings.Contains(c.address, strings.TrimSuffix(value, "T00:00:00Z")) {
				t.Errorf("%s: %s; want the value that was given", c.address, text)
			}
		}
	}
}

// wrongValue returns the value that a problem names.
func wrongValue(text string) (value string, ok bool) {
	var p struct{ Errors []struct{ Value string } }
	err := json.Unmarshal([]byte(text), &p)
	return p.Errors[0].Value, err == nil
}

// Ids of one or two dots are written with a tilde, so that no browser takes them for a step up.
func TestIdsOfDotsCanBeAsked(t *testing.T) {
	table := testworld.Table(t)
	for id, segment := range map[string]string{".": "~.", "..": "~..", "~.": "~~.", "~": "~", "~~..": "~~~..", "a.": "a.", "...": "..."} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, id); err != nil {
			t.Fatal(err)
		}
		if want := "/sites/" + segment; links.SitePath(id) != want {
			t.Errorf("the page of %q is %s, want %s", id, links.SitePath(id), want)
		}
		r, text := ask(t, handler(t, table), "/api/v1/sites/"+segment)
		wants(t, segment, r, text, http.StatusOK, `"siteId": "`+id+`"`)
		r, text = ask(t, handler(t, table), "/sites/"+segment, "Accept", "text/html")
		wants(t, segment, r, text, http.StatusOK, "<bdi>"+id+"</bdi>")
	}
}

// What a program gets is a problem, also where a browser gets a page.
func TestProgramsGetProblemsForPages(t *testing.T) {
	h := handler(t, shopTable(t))
	for address, status := range map[string]int{"/nothing": http.StatusNotFound, "/sites/unknown": http.StatusNotFound,
		"/sites/shop?frm=x": http.StatusUnprocessableEntity} {
		for _, accept := range []string{"*/*", "application/json", ""} {
			r, text := ask(t, h, address, "Accept", accept)
			wants(t, address, r, text, status, "")
		}
		if r, text := ask(t, h, address, "Accept", "text/html,*/*;q=0.8"); r.Code != status || !strings.HasPrefix(text, "<!doctype html>") {
			t.Errorf("%s for a browser: %d: %s", address, r.Code, text)
		}
	}
}

func TestWhatIsNotThereIsAProblem(t *testing.T) {
	h := handler(t, shopTable(t))
	for address, says := range map[string]string{
		"/api/v1/sites/unknown":                       "unknown site",
		"/api/v1/sites/unknown/stats":                 "unknown site",
		"/api/v1/sites/unknown/top/page":              "unknown site",
		"/api/v1/sites/unknown/realtime?format=csv":   "unknown site",
		"/api/v1/sites/shop/sessions/s-1":             "the session is not known",
		"/api/v1/sites/shop/funnels/f/report":         "f",
		"/api/v2/sites":                               "/api/v1/openapi.json lists",
		"/api/v1/sites/shop/stats/more":               "/api/v1/openapi.json lists",
		"/api/v1/sites/%3Cscript%3E/uniques?from=-7d": "unknown site",
	} {
		r, text := ask(t, h, address)
		wants(t, address, r, text, http.StatusNotFound, says)
	}
}

func TestRequestsOfOtherOriginsAreRefused(t *testing.T) {
	h := handler(t, shopTable(t))
	const address = "/api/v1/sites"
	for _, c := range []struct {
		status int
		header []string
	}{
		{http.StatusOK, nil},
		{http.StatusOK, []string{"Host", "127.0.0.1:9000"}},
		{http.StatusOK, []string{"Host", "[::1]:8787"}},
		{http.StatusOK, []string{"Host", "[::1]"}},
		{http.StatusOK, []string{"Host", "LOCALHOST"}},
		{http.StatusOK, []string{"Origin", "http://localhost:8787"}},
		{http.StatusOK, []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "cors"}},
		{http.StatusOK, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}},
		{http.StatusForbidden, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}},
		{http.StatusForbidden, []string{"Sec-Fetch-Site", "same-site", "Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"}},
		{http.StatusMisdirectedRequest, []string{"Host", "evil.example"}},
		{http.StatusMisdirectedRequest, []string{"Host", "localhost.evil.example:8787"}},
		{http.StatusMisdirectedRequest, []string{"Host", "127.0.0.1.evil.example"}},
		{http.StatusMisdirectedRequest, []string{"Host", "10.0.0.1:8787"}},
		{http.StatusForbidden, []string{"Origin", "http://evil.example"}},
		{http.StatusForbidden, []string{"Origin", "http://localhost:9999"}},
		{http.StatusForbidden, []string{"Origin", "null"}},
		{http.StatusForbidden, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "no-cors"}},
	} {
		r, text := ask(t, h, address, c.header...)
		wants(t, strings.Join(c.header, " "), r, text, c.status, "")
		if got := r.Header().Get("Content-Security-Policy"); !strings.HasPrefix(got, "default-src 'none'") || strings.Contains(got, "unsafe") {
			t.Errorf("%v: policy %q", c.header, got)
		}
		if r.Header().Get("X-Content-Type-Options") != "nosniff" || r.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%v: headers %v", c.header, r.Header())
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost"+address, nil))
	wants(t, "POST", w, w.Body.String(), http.StatusMethodNotAllowed, "is not allowed here")
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	for _, address := range []string{"127.0.0.1:8787", "localhost:0", "[::1]:8787", "127.9.9.9:1"} {
		if err := CheckAddress(address, "add --token"); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{":8787", "0.0.0.0:8787", "[::]:8787", "192.168.1.7:80", "example.com:80", "localhost.example.com:80"} {
		if err := CheckAddress(address, "add --token"); err == nil || !strings.Contains(err.Error(), "no access control") ||
			!strings.HasSuffix(err.Error(), ", or add --token") {
			t.Errorf("%s: %v; want the reason why it is refused", address, err)
		}
	}
	if err := CheckAddress("8787", ""); err == nil || !strings.Contains(err.Error(), "HOST:PORT") {
		t.Errorf("without a port: %v", err)
	}
}

// Each page says where the next one is, in every format, and all pages together are the list.
func TestPagesAreLinked(t *testing.T) {
	h := handler(t, shopTable(t))
	address, lines := "/api/v1/sites/shop/stats?from=-24h&by=hour&limit=2&format=ndjson", ""
	for pages := 1; ; pages++ {
		r, text := ask(t, h, address)
		wants(t, address, r, text, http.StatusOK, `"pageViews":10`)
		lines += text
		link := r.Header().Get("Link")
		if link == "" {
			if pages != 2 {
				t.Errorf("%d pages, want 2", pages)
			}
			break
		}
		next, ok := strings.CutPrefix(link, "<")
		if address, _, _ = strings.Cut(next, ">"); !ok || !strings.HasSuffix(link, `>; rel="next"`) {
			t.Fatalf("Link: %s", link)
		}
	}
	events := []int64{}
	for line := range strings.Lines(lines) {
		var b query.Bucket
		if err := json.Unmarshal([]byte(line), &b); err != nil {
			t.Fatal(err)
		}
		events = append(events, b.Events)
	}
	if len(events) != 3 || events[0] != 12 || events[1] != 11 || events[2] != 10 {
		t.Errorf("events of the hours: %v, want 12, 11, 10", events)
	}
}

// Each answer says what it consumed: what the table reports, of all its requests.
func TestAnswersSayTheirReadUnits(t *testing.T) {
	counted := &unitTable{Table: shopTable(t)}
	h := handler(t, counted)
	for _, address := range []string{"/api/v1/sites", "/api/v1/sites/shop/stats", "/api/v1/sites/shop/top/page?from=-7d&format=csv"} {
		counted.requests = 0
		r, text := ask(t, h, address)
		wants(t, address, r, text, http.StatusOK, "")
		var units float64
		if err := json.Unmarshal([]byte(r.Header().Get("Footfall-Read-Units")), &units); err != nil || counted.requests == 0 ||
			units != 1.5*float64(counted.requests) {
			t.Errorf("%s: read units %q (%v), want 1.5 for each of %d requests", address, r.Header().Get("Footfall-Read-Units"), err,
				counted.requests)
		}
	}
}
