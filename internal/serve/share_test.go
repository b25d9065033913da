package serve

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/csv"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// sharedServer is a server with a share link to the days 4 to 10 May of the site shop, which has an event in each hour from 1 to 12 May.
func sharedServer(t *testing.T, l access.Limits) (g *guarded, base string) {
	t.Helper()
	g = newGuarded(t, Options{}, nil)
	for at := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC); at.Before(now); at = at.Add(time.Hour) {
		for _, key := range []sinks.Key{sinks.Keys{}.HourStats("shop", at.UnixMilli()), sinks.Keys{}.DayStats("shop",
			at.Truncate(24*time.Hour).UnixMilli())} {
			if _, err := g.table.Update(t.Context(), sinks.Update{Key: key, Add: []sinks.Attr{{Name: sinks.AttrEvents, Value: sinks.Int(1)},
				{Name: sinks.AttrPageViews, Value: sinks.Int(1)}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	return g, "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}, Limits: l})
}

var someDays = access.Limits{From: "2026-05-04", To: "2026-05-11"}

var (
	rangeEnds    = regexp.MustCompile(`"(?:from|to|earliest|latest)": ?"([^"]*)"`)
	eventFigures = regexp.MustCompile(`"events": ?([0-9]+)`)
)

// beyond says what an answer has of another time than the seven days of someDays, each with 24 events; "": nothing. Buckets may begin
// before the range, which clips them.
func beyond(t *testing.T, format, text string) string {
	t.Helper()
	from, to := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)
	for _, m := range rangeEnds.FindAllStringSubmatch(text, -1) {
		if at, err := time.Parse(time.RFC3339, m[1]); err != nil || at.Before(from) || at.After(to) {
			return m[0]
		}
	}
	for _, m := range eventFigures.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[1]); err != nil || n > 7*24 {
			return m[0]
		}
	}
	if format != "csv" {
		return ""
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	column, sum := slices.Index(rows[0], "events"), 0
	for _, row := range rows[1:] {
		if column >= 0 && row[column] != "" {
			n, err := strconv.Atoi(row[column])
			if sum += n; err != nil || sum > 7*24 {
				return "the column events"
			}
		}
	}
	return ""
}

// widenings are parameters that might widen what a link with the range of someDays shows: each alone, and each pair.
func widenings() (queries []url.Values) {
	from, to := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC), time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)
	forged := func(q string) string {
		return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"q":%q,"k":"STATS#hour#2026-05-01T00","f":%d,"t":%d}`, q,
			from.AddDate(0, 0, -3).UnixMilli(), to.AddDate(0, 0, 1).UnixMilli()))
	}
	values := map[string][]string{
		"from":   {"2026-05-01", "2026-05-03T23:00:00Z", "-30d", "1970", "2026-05-04T00:00:00+02:00", "2026-05-05"},
		"to":     {"now", "2026-05-12", "2026-05-11T01:00:00Z", "+7d", "2026-05-10"},
		"period": {"month", "2026", "2026-05", "28d", "year", "last-month", "today"},
		"tz":     {"Pacific/Kiritimati", "Pacific/Pago_Pago", "America/New_York", "Asia/Tokyo"},
		"by":     {"hour", "day", "week", "month", "year"}, "compare": {"previous", "year", "2026-05-01..2026-05-04"}, "align": {"weekday"},
		"fill": {"true"},
		"at":   {"now", "2026-05-04", "2026-05-12", "2026-05-04T00:10:00Z"}, "includeBots": {"true"}, "consistent": {"true"},
		"limit": {"10000", "1"}, "desc": {"true"}, "sort": {"events"}, "format": {"csv", "ndjson"}, "pages": {"50"},
		"cursor": {forged("x"), "abc"}, "site": {"blog"}, "sites": {"*"}, "share": {"none"}, "where": {"country=DE", "country=FR",
			"country!=DE", "country^=F", "page~=/", "country=FR,DE", `country="",FR`}, "maxEvents": {"10", "20000000"},
		"exact": {"true"}, "estimate": {"true"}, "fromPage": {"/de"}, "toPage": {"/de"}, "through": {"/de"}, "steps": {"5"},
		"owner": {"x"}, "deleted": {"true"}, "user": {"u"}, "visitor": {"v"}, "type": {"t"},
	}
	names := slices.Sorted(maps.Keys(values))
	for i, a := range names {
		for _, x := range values[a] {
			queries = append(queries, url.Values{a: {x}})
			for _, b := range names[i+1:] {
				for _, y := range values[b] {
					queries = append(queries, url.Values{a: {x}, b: {y}})
				}
			}
		}
	}
	return queries
}

// fewWidenings returns how many of the questions each address is asked: one in 32 in make test.
func fewWidenings(t *testing.T, queries []url.Values) int {
	t.Helper()
	return slow.Of(t, len(queries)/32, len(queries))
}

// spread returns the k-th choice of about that many of the questions. Choices differ, but each has the questions of one parameter.
func spread(queries []url.Values, few, k int) (chosen []url.Values) {
	step := len(queries) / few
	for i, q := range queries {
		if len(q) <= 1 || i%step == k%step {
			chosen = append(chosen, q)
		}
	}
	return chosen
}

// inOrder returns the names of addresses in one order, so that each run asks each of them the same.
func inOrder(addresses map[string]string) []string { return slices.Sorted(maps.Keys(addresses)) }

// No parameter of any operation gets figures of another site or of another time.
func TestNothingWidensAShareLink(t *testing.T) {
	slow.Unraced(t)
	g, base := sharedServer(t, someDays)
	queries := append(widenings(), nil)
	few, answered := fewWidenings(t, queries), 0
	addresses := addressesOf(t, "shop")
	for k, id := range inOrder(addresses) {
		path := addresses[id]
		for _, q := range spread(queries, few, k) {
			address := base + path + "?" + q.Encode()
			r, text := ask(t, g.Handler, address)
			if r.Code != http.StatusOK {
				if r.Code != http.StatusForbidden && r.Code != http.StatusUnprocessableEntity && r.Code != http.StatusNotFound {
					t.Errorf("%s %s: %d: %s", id, q.Encode(), r.Code, text)
				}
				continue
			}
			answered++
			if wrong := beyond(t, q.Get("format"), text); wrong != "" {
				t.Fatalf("%s %s: the answer has %s: %s", id, q.Encode(), wrong, text)
			}
		}
		r, text := ask(t, g.Handler, base+strings.Replace(path, "/shop", "/blog", 1))
		wants(t, id+" of another site", r, text, http.StatusForbidden, "")
	}
	t.Logf("%d of %d questions for each operation, and those of one parameter: %d answers within the range", few, len(queries), answered)
	if answered < 300*few/len(queries) {
		t.Errorf("%d answers: the questions are all refused", answered)
	}
}

// A cursor of the link's own question, with another range put into it, gets nothing beyond the range.
func TestForgedCursorsDoNotWidenAShareLink(t *testing.T) {
	g, base := sharedServer(t, someDays)
	address := base + "/api/v1/sites/shop/stats?by=hour&limit=2"
	r, text := ask(t, g.Handler, address)
	wants(t, address, r, text, http.StatusOK, "")
	link := r.Header().Get("Link")
	if !strings.HasPrefix(link, "<"+base+"/api/v1/") {
		t.Fatalf("Link: %s, want one that keeps the share link", link)
	}
	next, err := url.Parse(link[1:strings.Index(link, ">")])
	if err != nil {
		t.Fatal(err)
	}
	r, text = ask(t, g.Handler, next.String())
	wants(t, "the next page", r, text, http.StatusOK, "2026-05-04T02")
	cursor, err := base64.RawURLEncoding.DecodeString(next.Query().Get("cursor"))
	if err != nil {
		t.Fatal(err)
	}
	from := fmt.Sprint(time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC).UnixMilli())
	earlier := fmt.Sprint(time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC).UnixMilli())
	forged := strings.Replace(string(cursor), from, earlier, 1)
	if forged == string(cursor) {
		t.Fatalf("the cursor %s does not have the range", cursor)
	}
	q := next.Query()
	q.Set("cursor", base64.RawURLEncoding.EncodeToString([]byte(forged)))
	r, text = ask(t, g.Handler, base+"/api/v1/sites/shop/stats?"+q.Encode())
	if r.Code == http.StatusOK {
		t.Errorf("a forged cursor: %s", text)
	}
}

// A cursor that anybody can make up, of annotations, gets none of another time.
func TestMadeUpCursorsShowNoAnnotationsOfAnotherTime(t *testing.T) {
	g, base := sharedServer(t, someDays)
	store := &annotations.Store{Table: g.table, By: "test", Now: func() time.Time { return now }}
	for _, day := range []int{1, 5, 11} {
		text := map[int]string{1: "too early", 5: "within", 11: "too late"}[day]
		if _, err := store.Create(t.Context(), "shop", time.Date(2026, 5, day, 12, 0, 0, 0, time.UTC), text); err != nil {
			t.Fatal(err)
		}
	}
	address := base + "/api/v1/sites/shop/annotations"
	r, text := ask(t, g.Handler, address+"?limit=1")
	wants(t, "the first page", r, text, http.StatusOK, "within")
	sum := sha256.Sum256([]byte("true\x00annotations\x00shop"))
	from := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC).UnixMilli()
	to, answered := time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC).UnixMilli(), false
	for _, ends := range []string{fmt.Sprintf(`"f":%d,"t":%d`, from, to), fmt.Sprintf(`"f":%d`, from), `"f":1125899906842624`,
		fmt.Sprintf(`"f":-1,"t":%d`, from+1),
		`"t":1125899906842624`,
		fmt.Sprintf(`"f":%d,"t":%d`, from+1000, from), fmt.Sprintf(`"f":%d,"t":253402300799999`, from)} {
		for _, format := range []string{"", "&format=csv", "&format=ndjson"} {
			made := base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"q":"%x","k":"~","n":1,%s}`, sum[:6], ends))
			r, text := ask(t, g.Handler, address+"?cursor="+made+format)
			if strings.Contains(text, "too early") || strings.Contains(text, "too late") || r.Code >= http.StatusInternalServerError {
				t.Errorf("a cursor with %s, %s: %d: %s", ends, format, r.Code, text)
			}
			answered = answered || r.Code == http.StatusOK
		}
	}
	if !answered {
		t.Error("not even a cursor of the link's range is taken: the test asks another question")
	}
}

// Credentials whose limits are spelled alike, but are not the same, share no read.
func TestLimitsThatLookAlikeShareNoRead(t *testing.T) {
	u := &url.URL{Path: "/api/v1/sites/shop/stats"}
	keys := map[string]access.Limits{}
	for _, l := range []access.Limits{{Where: []access.Filter{{"a=b"}, {"c=d"}}}, {Where: []access.Filter{{"a=b c=d"}}},
		{Where: []access.Filter{{"a=b\" \"c=d"}}}, {Where: []access.Filter{{"a=b", "c=d"}}},
		{From: "a", To: "b"}, {From: "a b"}, {Period: "a b"}, {Origins: []string{"a", "b"}}, {Origins: []string{"a b"}}, {}} {
		key := asked{url: u}.key(access.Grant{Kind: access.Share, Sites: []string{"shop"}, Limits: l})
		if other, same := keys[key]; same {
			t.Errorf("%+v and %+v have the key %s", l, other, key)
		}
		keys[key] = l
	}
}

// The page of a share link has its range, and its links keep it.
func TestSharedPagesKeepTheLink(t *testing.T) {
	l := someDays
	l.Origins = []string{"https://intranet.example", "https://wiki.example:8443"}
	g, base := sharedServer(t, l)
	r, _ := ask(t, g.Handler, base)
	if to := r.Header().Get("Location"); r.Code != http.StatusSeeOther || to != base+"/sites/shop" {
		t.Fatalf("the link leads to %q, %d", to, r.Code)
	}
	r, text := ask(t, g.Handler, base+"/sites/shop", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest",
		"iframe", "Accept", "text/html")
	if r.Code != http.StatusOK || !strings.Contains(text, "4 May 2026 – 10 May 2026") || strings.Contains(text, "current visitor") {
		t.Errorf("%d: %s", r.Code, text)
	}
	if got := r.Header().Get("Content-Security-Policy"); !strings.HasSuffix(got,
		"frame-ancestors https://intranet.example https://wiki.example:8443") {
		t.Errorf("policy %q", got)
	}
	for _, m := range regexp.MustCompile(`href="(/[^"]*)"`).FindAllStringSubmatch(text, -1) {
		if !strings.HasPrefix(m[1], base+"/") && !strings.HasPrefix(m[1], "/assets/") {
			t.Errorf("a link to %s leaves the share link", m[1])
		}
	}
	for _, path := range []string{"/", "/sites", "/sites/blog", "/sites/blog/top/page", "/sites/shop?from=2026-05-01",
		"/sites/shop/top/page?period=2026",
		"/sites/shop?period=today"} {
		r, text := ask(t, g.Handler, base+path, "Accept", "text/html")
		if path == "/" && r.Code == http.StatusSeeOther {
			continue
		}
		if r.Code != http.StatusForbidden || !strings.Contains(r.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%s: %d: %s", path, r.Code, text)
		}
	}
	r, text = ask(t, g.Handler, base[:len(base)-1]+"/sites/shop", "Accept", "text/html")
	if r.Code != http.StatusUnauthorized || !strings.Contains(text, "the link is not valid") {
		t.Errorf("a cut link: %d: %s", r.Code, text)
	}
	if r, _ := ask(t, g.Handler, "/share/"+g.token("shop")+"/sites/shop"); r.Code != http.StatusUnauthorized {
		t.Errorf("a token in a link: %d", r.Code)
	}
}

// A browser exchanges a token for a cookie, and back.
func TestBrowsersLogIn(t *testing.T) {
	public, err := url.Parse("https://stats.example")
	if err != nil {
		t.Fatal(err)
	}
	g := newGuarded(t, Options{Public: public}, nil)
	token := g.token("shop")
	do := func(method, address, body string, header ...string) *httptest.ResponseRecorder {
		t.Helper()
		r := httptest.NewRequestWithContext(t.Context(), method, "https://stats.example"+address, strings.NewReader(body))
		r.Header.Set("Accept", "text/html,*/*;q=0.8")
		for i := 0; i < len(header); i += 2 {
			if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
				r.Host = header[i+1]
			}
		}
		w := httptest.NewRecorder()
		g.ServeHTTP(w, r)
		return w
	}
	form := func(token, next string) string { return url.Values{"token": {token}, "next": {next}}.Encode() }
	const kind, urlencoded, origin, own = "Content-Type", "application/x-www-form-urlencoded", "Origin", "https://stats.example"

	if w := do("GET", "/sites/shop?by=day", ""); w.Code != http.StatusSeeOther ||
		w.Header().Get("Location") != "/login?next=%2Fsites%2Fshop%3Fby%3Dday" {
		t.Errorf("without a cookie: %d, to %s", w.Code, w.Header().Get("Location"))
	}
	w := do("GET", "/login?next=%2Fsites%2Fshop", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `value="/sites/shop"`) || w.Header().Get("Refresh") != "" ||
		w.Header().Get("Referrer-Policy") != "same-origin" {
		t.Errorf("the form: %d, %v: %s", w.Code, w.Header(), w.Body)
	}
	if w := do("GET", "/login?next=%2Fsites%2Fshop", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest",
		"document"); w.Header().Get("Refresh") != "0; url=/sites/shop" {
		t.Errorf("led here from another site: %v", w.Header())
	}
	w = do("POST", "/login", form(token, "/sites/shop?by=day"), kind, urlencoded, origin, own)
	cookies := w.Result().Cookies()
	if w.Code != http.StatusSeeOther || w.Header().Get("Location") != "/sites/shop?by=day" || len(cookies) != 1 {
		t.Fatalf("logging in: %d, %v: %s", w.Code, w.Header(), w.Body)
	}
	if c := cookies[0]; !c.HttpOnly || !c.Secure || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" ||
		!strings.HasPrefix(c.Name, "__Host-") || c.MaxAge <= 0 {
		t.Errorf("the cookie %+v", c)
	}
	cookie := cookies[0].Name + "=" + cookies[0].Value
	for _, address := range []string{"/sites/shop?by=day", "/api/v1/sites/shop/sessions", "/?search=shop"} {
		if w := do("GET", address, "", "Cookie", cookie); w.Code != http.StatusOK {
			t.Errorf("%s with the cookie: %d: %s", address, w.Code, w.Body)
		}
	}
	if w := do("GET", "/login", "", "Cookie", cookie); !strings.Contains(w.Body.String(), "Log out") {
		t.Errorf("the form of who is logged in: %s", w.Body)
	}
	w = do("POST", "/logout", "", "Cookie", cookie, origin, own)
	if out := w.Result().Cookies(); w.Code != http.StatusSeeOther || len(out) != 1 || out[0].MaxAge >= 0 || out[0].Value != "" {
		t.Errorf("logging out: %d, %v", w.Code, w.Header())
	}
	for what, c := range map[string]struct {
		w      *httptest.ResponseRecorder
		status int
	}{
		"a wrong token": {do("POST", "/login", form(token[:50], "/"), kind, urlencoded, origin, own), http.StatusUnauthorized},
		"a share link": {do("POST", "/login", form(g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}}), "/"),
			kind, urlencoded, origin, own), http.StatusUnauthorized},
		"from another origin": {do("POST", "/login", form(token, "/"), kind, urlencoded, origin, "https://evil.example"),
			http.StatusForbidden},
		"from nowhere": {do("POST", "/login", form(token, "/"), kind, urlencoded, origin, "null"), http.StatusForbidden},
		"from another page": {do("POST", "/logout", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate",
			"Sec-Fetch-Dest", "document", origin, "https://evil.example"), http.StatusForbidden},
		"another host": {do("GET", "/sites/shop", "", "Cookie", cookie, "Host", "evil.example"), http.StatusMisdirectedRequest},
		"a host that begins so": {do("GET", "/sites/shop", "", "Cookie", cookie, "Host", "stats.example.evil.example"),
			http.StatusMisdirectedRequest},
		"a page of another origin": {do("GET", "/api/v1/sites/shop/stats", "", "Cookie", cookie, origin, "https://evil.example"),
			http.StatusForbidden},
		"a picture elsewhere": {do("GET", "/api/v1/sites/shop/stats", "", "Cookie", cookie, "Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "no-cors", "Sec-Fetch-Dest", "image"), http.StatusForbidden},
		"another site":      {do("GET", "/sites/blog", "", "Cookie", cookie), http.StatusForbidden},
		"posting elsewhere": {do("POST", "/sites/shop", "", "Cookie", cookie, origin, own), http.StatusMethodNotAllowed},
		"a form without end": {do("POST", "/login", "token="+strings.Repeat("x", maxForm), kind, urlencoded, origin, own),
			http.StatusBadRequest},
	} {
		if c.w.Code != c.status || c.status != http.StatusForbidden && len(c.w.Result().Cookies()) > 0 {
			t.Errorf("%s: %d, want %d: %s", what, c.w.Code, c.status, c.w.Body)
		}
	}
	for _, next := range []string{"/\u202e", "/a b", "https://evil.example/", "//evil.example", `/\evil.example`, "javascript:alert(1)",
		"/\t/evil.example", "evil", ""} {
		w := do("POST", "/login", form(token, next), kind, urlencoded, origin, own)
		if to := w.Header().Get("Location"); to != "/" {
			t.Errorf("next=%q leads to %q", next, to)
		}
	}
}
