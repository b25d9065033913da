package serve

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/query"
)

// fired has an alert of the shop that fired at noon of 12 May, and hours that were left out.
func (g *guarded) fired() {
	g.t.Helper()
	store := alerts.Store{Table: g.table, By: "a test", Now: func() time.Time { return g.now }}
	rule, err := alerts.Parse("silence")
	if err != nil {
		g.t.Fatal(err)
	}
	hour := alerts.Hour(time.Date(2026, 5, 12, 12, 0, 0, 0, time.UTC))
	a, err := store.Create(g.t.Context(), alerts.Alert{Site: "shop", ID: "the silence", Rule: rule,
		Webhook: "https://hooks.example/of-a-secret"})
	if err == nil {
		_, err = store.Keep(g.t.Context(), alerts.Finding{Site: "shop", Alert: a.ID, Hour: hour, When: rule.String(), JudgedAt: g.now,
			Found: []alerts.Deviation{{Hours: 2, Usual: 4711}}, Delivery: alerts.Delivery{State: alerts.Sent, Attempts: 1}})
	}
	if err == nil {
		err = store.PutMark(g.t.Context(), "", alerts.Mark{Hour: hour + 80, Skipped: []alerts.Span{{From: hour + 3, To: hour + 5,
			Why: alerts.TooLate}}})
	}
	if err == nil {
		err = store.PutMark(g.t.Context(), "shop", alerts.Mark{Hour: hour + 70, Waiting: []int32{3}})
	}
	if err != nil {
		g.t.Fatal(err)
	}
}

const (
	alertsOfShop = "/api/v1/sites/shop/alerts"
	pageOfShop   = "/sites/shop?from=2026-05-10&to=2026-05-13&by=day"
)

// Page and API have what was found, and the API what was not judged. The graph marks it, with a link to the list.
func TestFindingsAreShown(t *testing.T) {
	g := newGuarded(t, Options{}, nil)
	g.fired()
	token := g.token("shop")
	w, text := g.bearer(alertsOfShop, g.create(access.Stored{Kind: access.Token, AllSites: true, Rights: access.Rights}))
	var a query.AlertsAnswer
	if err := json.Unmarshal([]byte(text), &a); err != nil || w.Code != http.StatusOK || len(a.Findings) != 1 || len(a.Alerts) != 1 {
		t.Fatalf("%d %s: %v", w.Code, text, err)
	}
	day := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	if a.JudgedThrough == nil || !a.JudgedThrough.Equal(day.Add(83*time.Hour)) || len(a.WaitingFor) != 1 || a.WaitingFor[0] != 3 ||
		len(a.Skipped) != 1 || !a.Skipped[0].Start.Equal(day.Add(15*time.Hour)) || !a.Skipped[0].End.Equal(day.Add(17*time.Hour)) {
		t.Errorf("judged through %v, waits for %v, skipped %+v", a.JudgedThrough, a.WaitingFor, a.Skipped)
	}
	if _, text := g.bearer(alertsOfShop, token); !strings.Contains(text, `"waitingFor": []`) {
		t.Errorf("who may not hear of partitions hears which are waited for: %s", text)
	}
	if strings.Contains(text, "of-a-secret") {
		t.Errorf("the answer has the webhook's path: %s", text)
	}
	if _, text = g.bearer(alertsOfShop+"?from=2026-05-01&to=2026-05-12", token); strings.Contains(text, "4711") || strings.Contains(text,
		"too late") {
		t.Errorf("before the finding: %s", text)
	}
	for address, marks := range map[string]int{pageOfShop: 1, strings.Replace(pageOfShop, "day", "hour", 1): 1,
		strings.Replace(pageOfShop, "by=day", "by=month", 1): 0} {
		w, page := g.bearer(address, token)
		if w.Code != http.StatusOK || !strings.Contains(page, `id="alert-1"`) || !strings.Contains(page, "the silence: 0 in 2 hours, usually 4711") {
			t.Errorf("%s: %d: the list lacks the finding: %s", address, w.Code, page)
		}
		if n := strings.Count(page, `href="#alert-1" aria-label="Alerts: 12 May 2026, 12:00: the silence`); n != marks {
			t.Errorf("%s: %d marks, want %d: %s", address, n, marks, page)
		}
	}
}

// Those who may see a part of a site, or another site, see nothing that was found: it is compared with all of the site.
func TestLimitedCredentialsSeeNoFindings(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.fired()
	begin, end := "2026-05-10", "2026-05-13"
	for what, c := range map[string]struct {
		token string
		page  int // its status
	}{
		"another site":             {g.token("blog"), http.StatusForbidden},
		"filters":                  {s.product(map[string]any{"where": []string{"country=DE"}}), http.StatusOK},
		"a range":                  {s.product(map[string]any{"from": begin, "to": end}), http.StatusOK},
		"another site's signature": {s.product(map[string]any{"sites": []string{"blog"}}), http.StatusForbidden},
	} {
		if w, text := g.bearer(alertsOfShop, c.token); w.Code != http.StatusForbidden || strings.Contains(text, "4711") {
			t.Errorf("%s: %d %s", what, w.Code, text)
		}
		if w, page := g.bearer(pageOfShop, c.token); w.Code != c.page || strings.Contains(page, "4711") || strings.Contains(page, "alert-1") {
			t.Errorf("%s: the page: %d, want %d without what was found: %s", what, w.Code, c.page, page)
		}
	}
	share := "/share/" + g.create(access.Stored{Kind: access.Share, Sites: []string{"shop"}})
	if w, text := ask(t, g.Handler, share+alertsOfShop); w.Code != http.StatusForbidden || strings.Contains(text, "4711") {
		t.Errorf("a share link: %d %s", w.Code, text)
	}
	if w, page := ask(t, g.Handler, share+pageOfShop); w.Code != http.StatusOK || strings.Contains(page, "4711") || strings.Contains(page,
		"alert-1") {
		t.Errorf("the page of a share link: %d %s", w.Code, page)
	}
	if _, page := g.bearer(pageOfShop, g.token("shop")); !strings.Contains(page, "4711") {
		t.Errorf("who may see all sees nothing: %s", page)
	}
}
