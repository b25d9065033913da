package schema_test

import (
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/sinks"
)

// What people decide and record in a world.

// create creates the shop, with a retention of its own for everything.
func (w *world) create() {
	w.t.Helper()
	d := sites.Definition{ID: shop, Name: "Shop", Domains: []string{"shop.example", "www.shop.example"}, Owner: "acme", Shards: 4,
		ExcludedPaths: []string{"/admin/*"},
		Days: map[string]int64{sinks.AttrRawDays: 7, sinks.AttrSessionDays: 14, sinks.AttrHourDays: 21, sinks.AttrDayDays: sites.Never,
			sinks.AttrVisitorDays: 30}}
	if err := sites.Create(w.t.Context(), w.table, sinks.Keys{}, d, w.start); err != nil {
		w.t.Fatal(err)
	}
	planned := sites.Decision{Table: w.table, Site: "planned", Now: w.start}
	err := sites.Create(w.t.Context(), w.table, sinks.Keys{}, sites.Definition{ID: planned.Site, Zone: "Europe/Berlin"}, w.start)
	for _, c := range []sites.Changes{{Zone: "Europe/Paris"}, {Shards: 4}} {
		if err == nil {
			_, err = planned.Update(w.t.Context(), c)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// budget creates a site whose budget its events of a minute exceed by one.
func (w *world) budget() {
	w.t.Helper()
	d := sites.Definition{ID: "busy", EventsPerSecond: 1}
	if err := sites.Create(w.t.Context(), w.table, sinks.Keys{}, d, w.start); err != nil {
		w.t.Fatal(err)
	}
	events := make([]map[string]any, 61)
	for i := range events {
		events[i] = w.event("busy", "page_view", 2*time.Second, "id", fmt.Sprint("busy-", i), "visitorId", fmt.Sprint("visitor-", i), "sessionId",
			"s-1",
			"url", fmt.Sprintf("https://busy.example/posts/%d", i%12), "userAgent", firefox, "country", "CH")
	}
	w.produce(1, events...)
}

// firefox is a user agent.
const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

// goals gives the shop goals that its sessions reach by pages, by an event and by how long they last, and deletes another; and has its new
// visitors counted.
func (w *world) goals() {
	w.t.Helper()
	d := sites.Decision{Table: w.table, Site: shop, Now: w.start}
	for _, g := range []sites.Goal{
		{ID: "looked", Name: "Looked at kettles", On: sites.Pattern{On: sites.OnPage, How: sites.MatchPrefix, Text: "/kettles"},
			Value: new(int64(2_500_000))},
		{ID: "bought", On: sites.Pattern{On: sites.OnEvent, Type: "purchase"}},
		{ID: "stayed", DurationMs: 25_000},
		{ID: "tried", On: sites.Pattern{On: sites.OnEvent, Name: "play"}},
	} {
		if err := d.CreateGoal(w.t.Context(), g); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := d.DeleteGoal(w.t.Context(), "tried"); err != nil {
		w.t.Fatal(err)
	}
	if _, err := d.Update(w.t.Context(), sites.Changes{NewVisitors: new(true)}); err != nil {
		w.t.Fatal(err)
	}
}

// funnels creates a funnel of the shop, and changes it; and a segment.
func (w *world) funnels() {
	w.t.Helper()
	saved := segments.Store{Table: w.table, By: "a test", Now: time.Now}
	if _, err := saved.Create(w.t.Context(), shop, "germany", []string{"country=DE", "device!=mobile"}); err != nil {
		w.t.Fatal(err)
	}
	store := sites.FunnelStore{Table: w.table, By: "a test", Now: time.Now}
	d := sites.Funnel{ID: "checkout", Name: "Checkout", Window: sites.DefaultFunnelWindow, Steps: []sites.Pattern{
		{On: sites.OnPage, How: sites.MatchPrefix, Text: "/kettles"}, {On: sites.OnPage, How: sites.MatchExact, Text: "/cart"},
		{On: sites.OnEvent, Type: "purchase"}}}
	if _, err := store.Create(w.t.Context(), shop, d); err != nil {
		w.t.Fatal(err)
	}
	if _, err := store.Update(w.t.Context(), shop, d.ID, 1, func(d *sites.Funnel) { d.Strict = true }); err != nil {
		w.t.Fatal(err)
	}
}

// tokens creates a token and a share link of the shop, and uses the link.
func (w *world) tokens() {
	w.t.Helper()
	store := access.Store{Table: w.table, By: "a test", Now: time.Now}
	for _, s := range []access.Stored{
		{Kind: access.Token, AllSites: true, Rights: access.Rights, Note: "everything"},
		{Kind: access.Share, Sites: []string{shop}, Rights: []access.Right{access.Read}, ExpiresAt: time.Now().Add(time.Hour),
			Limits: access.Limits{From: "-30d", Origins: []string{"https://shop.example"}}},
	} {
		_, token, err := store.Create(w.t.Context(), s)
		if err != nil {
			w.t.Fatal(err)
		}
		keeper := access.NewKeeper(access.KeeperOptions{Table: w.table, Now: time.Now})
		if _, err := keeper.Grant(w.t.Context(), token); err != nil {
			w.t.Fatal(err)
		}
	}
}

// recorded keeps the results of recounts, of the shop in a range and of all sites, and annotations of the shop.
func (w *world) recorded() {
	w.t.Helper()
	left := map[string]int64{"its retention has passed": 3, "the log no longer holds all of it": 12}
	compared := map[string]int64{"breakdown": 40, "checkpoint": 4, "checkpoint history": 4, "day stats": 14, "event": 1200, "hour stats": 90,
		"metadata": 2, "realtime": 30, "recent sessions": 200, "session": 400, "site": 5, "table": 1, "topic": 1, "visitor": 300}
	all := verified.Result{At: w.start, Zone: "UTC", Topic: topic, Records: 2000, Compared: compared, LeftOut: left}
	ofShop := all
	ofShop.Site, ofShop.From, ofShop.To = shop, w.start.Add(-24*time.Hour), w.start
	ofShop.Bound = verified.Bound{Generation: 1, Months: map[string]verified.BoundMonth{"1999-12": {At: w.start.UnixMilli(),
		Digests: verified.Digests{"sV6wEYk4us-2", "YGV24FW3o_SU", "gqkWudds6geu", "0PWin_wr1MhF"}}}}
	notes := annotations.Store{Table: w.table, By: "a test", Now: time.Now}
	for range 2 {
		if _, err := notes.Create(w.t.Context(), shop, w.start, "<b>A release</b> of the new checkout, with a longer text "+
			"that says more"); err != nil {
			w.t.Fatal(err)
		}
	}
	found := alerts.Store{Table: w.table, By: "a test", Now: time.Now}
	rule, err := alerts.Parse("pageViews drops")
	if err != nil {
		w.t.Fatal(err)
	}
	var f alerts.Finding
	a, err := found.Create(w.t.Context(), alerts.Alert{Site: shop, ID: "page views", Rule: rule,
		Webhook: "https://hooks.example/footfall/a-path"})
	if err == nil {
		f = alerts.Finding{Site: shop, Alert: a.ID, Hour: alerts.Hour(w.start), When: rule.String(),
			Found: []alerts.Deviation{{Hours: 2, Count: 40, Usual: 121.5}}, JudgedAt: w.start, Delivery: alerts.Delivery{State: alerts.Pending}}
		_, err = found.Keep(w.t.Context(), f)
	}
	if err == nil {
		err = found.Delivered(w.t.Context(), f, alerts.Delivery{State: alerts.Sent, Attempts: 1, At: w.start})
	}
	if err == nil {
		err = found.PutMark(w.t.Context(), shop, alerts.Mark{Hour: alerts.Hour(w.start), Waiting: []int32{3},
			Skipped: []alerts.Span{{From: alerts.Hour(w.start) - 9, To: alerts.Hour(w.start) - 4, Why: alerts.TooLate}}})
	}
	if err != nil {
		w.t.Fatal(err)
	}
	later := all
	later.At = w.start.Add(time.Second)
	for generation, r := range []verified.Result{all, ofShop, later} { // 0 and 1 are the first one.
		if err := verified.Write(w.t.Context(), w.table, sinks.KeysOfGeneration(generation), r); err != nil {
			w.t.Fatal(err)
		}
	}
}
