package query_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/golden"
	"github.com/footfall/footfall/internal/show"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// showcase is a world with something for every column, ids and pages that would upset a terminal or a spreadsheet
// among them.
func showcase(t *testing.T) *world {
	w := newWorld(t)
	w.shopHours()
	w.day(shop, at(0), future, 60, 95, 20)
	w.day(shop, at(-24), future, 4, 4, 1) // Its hours are gone.
	w.minute(shop, at(14).Add(33*time.Minute), future, tp0, 4, visitors(sketch.NewMinute(), 0, 3), map[string]int{"/": 2, "/\x1b[31mred": 1})
	w.minute(shop, at(14).Add(25*time.Minute), past, tp0, 4, visitors(sketch.NewMinute(), 0, 3), nil)
	w.session(shop, "s-1", at(9), future, tp0, "v-1", "u-1")
	w.session(shop, "s-2", at(9).Add(time.Minute), future, tp1, "v\u202e2", "")
	w.session(shop, "s-2", at(9).Add(2*time.Minute), future, tp0, "v\u202e2", "")
	w.recent(shop, at(9), future, tp0, 1, "s-1")
	w.recent(shop, at(9).Add(time.Minute), future, tp1, 1, "s-2")
	w.event(shop, 16, "s-1", at(9), future, 1, sinks.Item{
		"url": sinks.Str("https://shop.example/" + strings.Repeat("long/", 20) + "?a=1&b=<2>"), "visitorId": sinks.Str("v-1"),
		"userId":     sinks.Str("u-1"),
		"properties": sinks.Str(`{"big":12345678901234567890.10,"a":"b"}`)})
	w.event(shop, 16, "s-1", at(9).Add(1500*time.Millisecond), future, 2, sinks.Item{"type": sinks.Str("purchase"),
		"name":  sinks.Str("two\nlines, \"quoted\""),
		"value": sinks.Str("-12.5"), "country": sinks.Str("DE"), "os": sinks.Str("Linux"), "bot": sinks.Str("rate")})
	w.event(shop, 16, "s-1", at(9).Add(2*time.Second), past, 3, nil)
	w.metadata(shop, "acme", 16)
	w.funnel(shop, "buy", true, "page-contains:/long/", "event:purchase", "page-regexp:<never>")
	w.funnel(shop, "none", false, "name:never", "event:page_view name:\x1b[31mred")
	w.site("plain", 16)
	w.withBots("crawled")
	w.site("busy", 16)
	w.breakdown("busy", at(10), future, tp0, 2, func(b *sketch.Breakdown) {
		views(b, "/few", 3, 0)
		views(b, "/many", 100, 100)
	})
	w.site("crowded", 16)
	w.hour("crowded", at(10), future, 2000, 2000, 0, nil)
	w.part("crowded", at(10), future, tp0, small(0, 1500))
	w.hour("crowded", at(11), future, 3, 3, 0, map[sinks.TP]sinks.Value{tp0: small(0, 3)})
	w.rules("grown", &sites.Rules{NewVisitors: true, NewVisitorsSince: at(9).UnixMilli()})
	for _, start := range []time.Time{at(-48), at(-24 + 9), at(10)} {
		w.hour("grown", start, future, 6, 8, 3, map[sinks.TP]sinks.Value{tp0: small(0, 4)})
		it := figures(6+int64(start.Day()), 28, 3+int64(start.Day()))
		it[sinks.AttrNewVisitors] = sinks.Int(2)
		w.put(w.keys.DayStats("grown", start.Truncate(24*time.Hour).UnixMilli()), future, it)
	}
	w.rules("forgetful", &sites.Rules{Days: map[string]int64{sinks.AttrRawDays: 7}})
	w.rules("ruled", &sites.Rules{UserAgents: []string{"shopbot", "price\x1bwatch"}, Referrers: []string{"spam.example"},
		Shards: []sites.Shards{{N: 4}, {From: date(6, 1).UnixMilli(), N: 4}, {From: date(7, 1).UnixMilli(), N: 8}},
		Zones: []sites.Zone{{From: date(3, 1).UnixMilli(), Name: "Africa/Abidjan"}, {From: date(6, 1).UnixMilli(), Name: "Africa/Abidjan"},
			{From: date(8, 1).UnixMilli(), Name: "UTC"}}})
	w.site("aims", 16)
	w.goals("aims")
	w.conversion("aims", 2, "s-1", at(10).Add(1500*time.Millisecond), future, tp0, sinks.Item{sinks.AttrVisitorID: sinks.Str("v\u202e1"),
		sinks.AttrUserID: sinks.Str("u"),
		sinks.AttrPage:   sinks.Str("/thanks\x1b"), sinks.AttrValueMicros: sinks.Int(2_500_000)})
	w.conversion("aims", 2, "s-2", at(11), future, tp1, sinks.Item{"type": sinks.Str("buy"), sinks.AttrName: sinks.Str("order")})
	w.breakdown(shop, at(10), future, tp0, 1, func(b *sketch.Breakdown) {
		views(b, "/gone", 1, 40)
		views(b, "/\x1b[31mred", 3, 0)
		b.Attend("/\x1b[31mred", 2, sketch.Attention{Timed: 2, TimeMs: 61_001, Scrolled: 3, Depth: 200})
		b.Book(sketch.Page, "/\x1b[31mred", 2, sketch.Booking{Exits: -2})
		order := sketch.Hit{Visitor: 7, HasValue: true, Value: 2_500_000}
		b.Event(sketch.EventName, "order", 40_001, order)
		b.Event(sketch.Channel, "Direct", 40_001, order)
	})
	return w
}

// showcases are answers of all kinds about the showcase, by name. TestFiguresOfAnswers says what they are, and TestFormatsAgree holds what
// is printed of each against it.
func showcases(t *testing.T) map[string]any {
	w := showcase(t)
	ctx := t.Context()
	return map[string]any{
		"stats":     must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: shop, From: at(-24), To: now})),
		"stats-day": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: shop, From: at(-24), To: now, By: query.Day})),
		"stats-zone": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: shop, From: at(-24), To: now, By: query.Week,
			Zone: location(t, "Europe/Berlin")})),
		"stats-hour-zone": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: shop, From: at(-24), To: now,
			Zone: location(t, "America/New_York")})),
		"stats-compare": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: shop, From: at(0), To: now, By: query.Day,
			Compare: true})),
		"stats-compare-uneven": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: shop, From: at(-12 * 24), To: now,
			By: query.Month, Compare: true})),
		"stats-compare-grown": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: "grown", From: at(0), To: at(24), By: query.Day,
			Unit: query.Day, Compare: true})),
		"stats-more": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: shop, From: at(-24), To: now,
			Paging: query.Paging{Limit: 1}})),
		"uniques":       must[query.UniquesAnswer](t)(w.Uniques(ctx, query.UniquesParams{Site: shop, From: at(-24), To: now})),
		"top":           must[query.TopAnswer](t)(w.Top(ctx, query.TopParams{Site: shop, Dimension: "page", From: at(-24), To: now})),
		"top-estimates": must[query.TopAnswer](t)(w.Top(ctx, query.TopParams{Site: "busy", Dimension: "page", From: at(0), To: now})),
		"top-event": must[query.TopAnswer](t)(w.Top(ctx, query.TopParams{Dimension: "event", From: at(-24), To: now,
			Zone: location(t, "Europe/Berlin")})),
		"top-bots": must[query.TopAnswer](t)(w.Top(ctx, query.TopParams{Site: "crawled", Dimension: "page", From: at(-24), To: now,
			IncludeBots: true})),
		"uniques-bots": must[query.UniquesAnswer](t)(w.Uniques(ctx, query.UniquesParams{Site: "crawled", From: at(-24), To: now,
			IncludeBots: true})),
		"realtime":        must[query.RealtimeAnswer](t)(w.Realtime(ctx, query.RealtimeParams{Site: shop})),
		"stats-estimates": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: "crowded", From: at(10), To: at(12)})),
		"stats-estimates-then": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: "crowded", From: at(11), To: at(12),
			Compare: true})),
		"funnels": must[query.FunnelsAnswer](t)(w.Funnels(ctx, query.FunnelsParams{Site: shop})),
		"funnel":  must[query.FunnelAnswer](t)(w.Funnel(ctx, query.FunnelParams{Site: shop, Funnel: "buy"})),
		"funnel-report": must[query.FunnelReportAnswer](t)(w.FunnelReport(ctx, query.FunnelReportParams{Site: shop, Funnel: "buy",
			From: at(8), To: at(9).Add(2 * time.Second), IncludeBots: true})),
		"funnel-report-none": must[query.FunnelReportAnswer](t)(w.FunnelReport(ctx, query.FunnelReportParams{Site: shop, Funnel: "none",
			From: at(8), To: at(9).Add(2 * time.Second)})),
		"stats-bots": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: "crawled", From: at(-24), To: now, Compare: true,
			IncludeBots: true})),
		"stats-bots-apart": must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: "crawled", From: at(-24), To: now})),
		"realtime-bots":    must[query.RealtimeAnswer](t)(w.Realtime(ctx, query.RealtimeParams{Site: "crawled"})),
		"sessions":         must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: shop, Paging: query.Paging{Desc: true}})),
		"session":          must[query.SessionAnswer](t)(w.Session(ctx, query.SessionParams{Site: shop, Session: "s-2"})),
		"events":           must[query.EventsAnswer](t)(w.Events(ctx, query.EventsParams{Site: shop, From: at(9), To: at(10)})),
		"sessions-long-ago": must[query.SessionsAnswer](t)(w.Sessions(ctx, query.SessionsParams{Site: shop, From: at(-20 * 24),
			To: at(-19 * 24)})),
		"events-expired": must[query.EventsAnswer](t)(w.Events(ctx, query.EventsParams{Site: "forgetful", From: at(-20 * 24),
			To: at(-19 * 24)})),
		"stats-owner":  must[query.StatsAnswer](t)(w.StatsOfSites(ctx, query.SitesStatsParams{Owner: "acme", From: at(-24), To: now})),
		"top-owner":    must[query.TopAnswer](t)(w.Top(ctx, query.TopParams{Owner: "acme", Dimension: "page", From: at(-24), To: now})),
		"sites":        must[query.SitesAnswer](t)(w.Sites(ctx, query.SitesParams{})),
		"site":         must[query.SiteAnswer](t)(w.Site(ctx, query.SiteParams{Site: shop})),
		"site-rules":   must[query.SiteAnswer](t)(w.Site(ctx, query.SiteParams{Site: "ruled"})),
		"goals":        must[query.GoalsAnswer](t)(w.Goals(ctx, query.GoalsParams{Site: "aims", Deleted: true})),
		"goal-unknown": must[query.GoalAnswer](t)(w.Goal(ctx, query.GoalParams{Site: "aims", Goal: "never"})),
		"goal-stats":   must[query.GoalStatsAnswer](t)(w.GoalStats(ctx, query.StatsParams{Site: "aims", From: at(10), To: at(14)})),
		"goal-stats-more": must[query.GoalStatsAnswer](t)(w.GoalStats(ctx, query.StatsParams{Site: "aims", From: at(10), To: at(14),
			Paging: query.Paging{Limit: 1}})),
		"stats-goals":         must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: "aims", From: at(10), To: at(14)})),
		"conversions":         must[query.ConversionsAnswer](t)(w.Conversions(ctx, query.ConversionsParams{Site: "aims", Goal: "bought"})),
		"conversions-deleted": must[query.ConversionsAnswer](t)(w.Conversions(ctx, query.ConversionsParams{Site: "aims", Goal: "gone#1"})),
		"unknown-site":        must[query.StatsAnswer](t)(w.Stats(ctx, query.StatsParams{Site: "no\x1bwhere", From: at(-24), To: now})),
	}
}

// printed is what people or programs see of an answer, and the notes that are not in it.
func printed(t *testing.T, format show.Format, answer any) (text, notes string) {
	t.Helper()
	var out, more bytes.Buffer
	if err := show.Print(&out, &more, show.Layout{Format: format}, answer); err != nil {
		t.Fatal(err)
	}
	return out.String(), more.String()
}

// TestAnswersPrintAsTheirGoldenFiles shows each layout of each format once.
func TestAnswersPrintAsTheirGoldenFiles(t *testing.T) {
	answers := showcases(t)
	for name, formats := range map[string][]show.Format{
		"stats":               {show.CSV},              // rows, with notes
		"stats-compare-grown": {show.Table, show.CSV},  // changes, marks and two sheets; a line for each figure
		"top":                 {show.Table, show.CSV},  // rows that are no values
		"top-estimates":       {show.Table},            // estimates
		"realtime":            {show.Table},            // sheets below one another
		"session":             {show.Table, show.JSON}, // a line for each field
		"events":              {show.Table, show.CSV},  // long and quoted texts
		"sites":               {show.Table},
		"site-rules":          {show.Table},
		"goal-stats":          {show.Table, show.CSV}, // a row for each goal of a bucket
		"funnel-report":       {show.Table},
		"unknown-site":        {show.Table}, // no rows
	} {
		t.Run(name, func(t *testing.T) {
			for _, format := range formats {
				text, notes := printed(t, format, answers[name])
				if notes != "" {
					text += "--- notes:\n" + notes
				}
				golden.Check(t, filepath.Join("testdata", name+"."+string(format)), text)
			}
		})
	}
}

func TestUnknownFormatIsRefused(t *testing.T) {
	var out bytes.Buffer
	err := show.Print(&out, &out, show.Layout{Format: "xml"}, query.SitesAnswer{})
	if err == nil || !strings.Contains(err.Error(), "table, json, ndjson, csv") {
		t.Errorf("Print as xml = %v, want an error that names the formats", err)
	}
}
