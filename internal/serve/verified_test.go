package serve

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/sinks"
)

// Who may read one site does not see how many records and items of others a recount of all has compared; a link to a range sees no recount
// of another one.
func TestRecountsShowNothingOfOthers(t *testing.T) {
	g, link := sharedServer(t, someDays)
	at := sinks.Item{"k": sinks.Int(1), "d": sinks.Int(1), "thr": sinks.Int(now.UnixMilli()), "ver": sinks.Str(`{"lateMs":3600000}`)}
	if _, err := sinks.EnsureTableSettings(t.Context(), g.table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := sinks.EnsureTopic(t.Context(), g.table, sinks.Keys{}, "events"); err != nil {
		t.Fatal(err)
	}
	key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1}, "stats")
	at[sinks.AttrPK], at[sinks.AttrSK] = sinks.Str(key.PK), sinks.Str(key.SK)
	if _, err := g.table.Put(t.Context(), sinks.Put{Item: at}); err != nil {
		t.Fatal(err)
	}
	r := verified.Result{At: now, Zone: "UTC", Topic: "events", Records: 4_711, Compared: map[string]int64{"session": 815}}
	if err := verified.Write(t.Context(), g.table, sinks.Keys{}, r); err != nil {
		t.Fatal(err)
	}
	const path = "/api/v1/sites/shop/verified"
	everything := g.create(access.Stored{Kind: access.Token, AllSites: true})
	answer, text := g.bearer(path+"?to=2026-05-11", everything)
	wants(t, "a token of all sites", answer, text, http.StatusOK, "4711")
	answer, text = g.bearer(path+"?to=2026-05-11", g.token("shop"))
	wants(t, "a token of one site", answer, text, http.StatusOK, `"counts": null`)
	answer, text = ask(t, g.Handler, link+path)
	wants(t, "a share link", answer, text, http.StatusOK, `"covers": true`)
	for _, secret := range []string{"4711", "815"} {
		if strings.Contains(text, secret) {
			t.Errorf("a share link shows %s: %s", secret, text)
		}
	}
	own := r // Of this site, and of all times.
	own.Site, own.At = "shop", now.Add(time.Second)
	if err := verified.Write(t.Context(), g.table, sinks.Keys{}, own); err != nil {
		t.Fatal(err)
	}
	answer, text = ask(t, g.Handler, link+path)
	wants(t, "a share link, a recount of more than its range", answer, text, http.StatusOK, `"counts": null`)
	if wrong := beyond(t, "", text); wrong != "" || strings.Contains(text, "4711") {
		t.Errorf("a share link shows of a recount of all times %s: %s", wrong, text)
	}
	_, page := ask(t, g.Handler, link+"/sites/shop", "Accept", "text/html")
	if !strings.Contains(page, "Recounted at 12 May 2026") {
		t.Errorf("the page of a share link does not have the recount: %s", page)
	}
	r.Site, r.At, r.From = "shop", now.Add(time.Minute), now.Add(-time.Hour)
	if err := verified.Write(t.Context(), g.table, sinks.Keys{}, r); err != nil {
		t.Fatal(err)
	}
	answer, text = ask(t, g.Handler, link+path+"?from=2026-05-10")
	wants(t, "a share link, the last recount is of another range", answer, text, http.StatusOK, `"covers": true`)
	at["ver"] = sinks.Str(`{"lateMs":-1}`)
	if _, err := g.table.Put(t.Context(), sinks.Put{Item: at}); err != nil {
		t.Fatal(err)
	}
	g.now = g.now.Add(time.Minute) // Checkpoints are remembered for a while.
	answer, text = ask(t, g.Handler, link+path)
	wants(t, "a share link, no recount covers its range", answer, text, http.StatusOK, `"lastVerified": null`)
}
