package page

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
)

// The link to a view has dates in the place of names, and keeps all else.
func TestLinkToAViewHasDates(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	on := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 0, 0, 0, berlin)
	}
	v := SiteView{At: links.Address{Site: "shop", Values: map[string]string{"period": "today", "pages": "exits", "figure": "pageViews"},
		Where: []query.Condition{{Dimension: "country", Op: query.Is, Values: []string{"DE"}}}},
		Stats: query.StatsAnswer{By: query.Hour, Zone: "Europe/Berlin", From: on(5, 12, 0), To: on(5, 13, 0),
			Previous: &query.Previous{From: on(4, 1, 0), To: on(5, 11, 5)}}}
	const zone = "&tz=Europe%2FBerlin&where=country%3DDE"
	for _, c := range []struct {
		change func()
		want   string
	}{
		{func() {}, "/sites/shop?by=hour&figure=pageViews&pages=exits&period=2026-05-12" + zone},
		{func() { v.At.Values["compare"] = links.YearComparison }, "/sites/shop?by=hour&compare=year" +
			"&figure=pageViews&pages=exits&period=2026-05-12" + zone},
		{func() { v.At.Values["compare"] = "28d" }, "/sites/shop?by=hour&compare=2026-04-01..2026-05-11T05%3A00%3A00%2B02%3A00" +
			"&figure=pageViews&pages=exits&period=2026-05-12" + zone},
		{func() { v.At.Values, v.Stats.To = map[string]string{"from": "-7d"}, on(5, 19, 0) },
			"/sites/shop?by=hour&from=2026-05-12&to=2026-05-19" + zone},
		{func() { v.Stats.From = on(5, 18, 14) }, "/sites/shop?by=hour&from=2026-05-18T14%3A00%3A00%2B02%3A00&to=2026-05-19" + zone},
		{func() { v.Stats.From, v.Stats.To = on(5, 1, 0), on(6, 1, 0) }, "/sites/shop?by=hour&period=2026-05" + zone},
		{func() { v.Stats.From, v.Stats.To = on(1, 1, 0), on(13, 1, 0) }, "/sites/shop?by=hour&period=2026" + zone},
		{func() { v.At.Base = "/embed/x.y.z" }, ""},
	} {
		c.change()
		if got := v.Link(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
	if page := siteOf(t, view("shop")); strings.Count(page, "Link to this view") != 1 {
		t.Error("the page has no link to itself")
	}
}
