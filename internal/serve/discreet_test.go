package serve

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/internal/serve/permit"
	"github.com/footfall/footfall/internal/serve/reads"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// parked has a partition of a topic stop, and another lag.
func (g *guarded) parked() {
	g.t.Helper()
	if _, err := sinks.EnsureTableSettings(g.t.Context(), g.table, sinks.Keys{}, nil); err != nil {
		g.t.Fatal(err)
	}
	if _, err := sinks.EnsureTopic(g.t.Context(), g.table, sinks.Keys{}, "of-the-operator"); err != nil {
		g.t.Fatal(err)
	}
	for partition, more := range []sinks.Item{
		{"park": sinks.Str(`{"reason":"of-the-reason","since":"2026-05-12T13:00:00Z"}`), "thr": sinks.Int(now.Add(-2 * time.Hour).UnixMilli())},
		{"park": sinks.Str(`{"reason":"of-the-reason","since":"2026-05-12T12:00:00Z"}`), "thr": sinks.Int(now.Add(-3 * time.Hour).UnixMilli())},
		{"thr": sinks.Int(now.Add(-time.Hour).UnixMilli())},
	} {
		key := sinks.Keys{}.Checkpoint(sinks.TP{Topic: 1, Partition: int32(partition)}, "stats") //nolint:gosec // There are three.
		it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK), "k": sinks.Int(1),
			"at": sinks.Int(now.UnixMilli()), "ver": sinks.Str(`{"lateMs":3600000}`)}
		for name, value := range more {
			it[name] = value
		}
		if _, err := g.table.Put(g.t.Context(), sinks.Put{Item: it}); err != nil {
			g.t.Fatal(err)
		}
	}
}

// Who may read all sites hears which partitions stopped, and why. All others hear that records are missing, since when, and nothing of
// topics and partitions, of no operation and no page.
func TestPartitionsAreForWhoMayReadAllSites(t *testing.T) {
	g, link := sharedServer(t, access.Limits{})
	g.parked()
	all, own := g.create(access.Stored{Kind: access.Token, AllSites: true, Rights: access.Rights}), g.token("shop")
	warned := map[string]int{}
	for pattern, path := range pathsOf("shop") {
		if !strings.HasPrefix(pattern, "GET ") || strings.HasSuffix(path, "/stream") { // A stream has the answer of get-realtime.
			continue
		}
		if path == base+"/stats" {
			path += "?sites=*"
		}
		for who, asks := range map[string]func() (int, string){
			"all": func() (int, string) {
				r, text := ask(t, g.Handler, path, "Authorization", "Bearer "+all, "Accept", "text/html")
				return r.Code, text
			},
			"own": func() (int, string) {
				r, text := ask(t, g.Handler, path, "Authorization", "Bearer "+own, "Accept", "text/html")
				return r.Code, text
			},
			"share": func() (int, string) {
				r, text := ask(t, g.Handler, link+path, "Accept", "text/html")
				return r.Code, text
			},
		} {
			_, text := asks()
			names := strings.Contains(text, "of-the-operator") || strings.Contains(text, "of-the-reason")
			if names && who != "all" {
				t.Errorf("%s says to %s: %s", pattern, who, text)
			}
			switch {
			case names:
				warned[who]++
			case strings.Contains(text, `"kind": "parked"`) && strings.Count(text, `"kind"`) == 2 && strings.Contains(text, `"kind": "behind"`),
				strings.Contains(text, "The counting of some records, which may be of this site, has stopped. "+
					"They are counted up to 12 May 2026, 11:35:20."):
				warned[who]++
			}
		}
	}
	if warned["all"] != 8 || warned["own"] != 7 || warned["share"] != 6 { // A share link has no figures of many sites.
		t.Errorf("answers and pages that warn: %v", warned)
	}
}

// Why raw events do not answer names partitions to those alone who may read all sites.
func TestErrorsNamePartitionsToWhoMayReadAllSites(t *testing.T) {
	g, _ := sharedServer(t, access.Limits{})
	g.parked()
	all, own := g.create(access.Stored{Kind: access.Token, AllSites: true, Rights: access.Rights}), g.token("shop")
	for _, path := range []string{base + "/sites/shop/stats?exact=true&where=country%3DDE",
		"/sites/shop?where=country%3DDE&where=device%3Dmobile",
		"/sites/shop/top/type"} {
		for token, may := range map[string]bool{all: true, own: false} {
			r, text := ask(t, g.Handler, path, "Authorization", "Bearer "+token, "Accept", "text/html")
			names := may && path != "/sites/shop/top/type" // Errors on pages are for people; the page of a site warns of partitions.
			if got := strings.Contains(text, "of-the-operator"); got != names || !strings.Contains(text, "rawEvents: off") {
				t.Errorf("%s: %d, names partitions: %v, want %v: %s", path, r.Code, got, names, text)
			}
		}
	}
}

// A shared read ends by its own limit, not by that of the caller that reads for others, who is charged for it.
func TestSharedReadsHaveALimitOfTheirOwn(t *testing.T) {
	g, _ := sharedServer(t, access.Limits{})
	table := reads.NewMetered(g.table, reads.NewMetrics(prometheus.NewRegistry()))
	s := &server{reader: query.New(table, func() time.Time { return now }), limits: reads.DefaultLimits}
	s.current.Keep = currentKept
	limits := reads.DefaultLimits
	limits.ReadUnits = 0
	ctx, m := reads.WithMeter(access.With(t.Context(), access.Grant{Kind: access.Token, AllSites: true}), limits)
	if _, err := s.currentFigures(ctx, "shop", 10); err != nil || m.Read() <= 0 {
		t.Errorf("%v; %g read units are charged, want some", err, m.Read())
	}
	before := m.Read()
	if _, err := s.currentFigures(ctx, "shop", 10); err != nil || m.Read() != before {
		t.Errorf("%v; %g read units after a read that was remembered, want %g", err, m.Read(), before)
	}
}

// Every answer with warnings has them in a field that discreetAnswer finds.
func TestWarningsAreFoundInAllAnswers(t *testing.T) {
	c := query.Coverage{Warnings: []query.Warning{{Kind: query.WarnParked, Partition: "events/3", Detail: "secret"}}}
	for _, answer := range []any{query.StatsAnswer{Coverage: c}, query.UniquesAnswer{Coverage: c}, query.TopAnswer{Coverage: c},
		query.GoalStatsAnswer{Coverage: c}, query.EachSiteAnswer{Coverage: c}, query.FilteredStatsAnswer{Coverage: c},
		query.RetentionAnswer{Coverage: c}} {
		got := permit.WithoutPartitions(answer).(interface{ Covered() query.Coverage }).Covered().Warnings
		if len(got) != 1 || got[0].Partition != "" || got[0].Detail == "" || got[0].Detail == "secret" || c.Warnings[0].Partition == "" {
			t.Errorf("%v: %+v", reflect.TypeOf(answer), got)
		}
	}
}

// A limited credential hears nothing of raw events from a list that they do not answer.
func TestListsThatAreRefusedAreDiscreet(t *testing.T) {
	secret := &query.RawEventsError{}
	unsaid := locale.Say("Not known: raw events do not say it for this range, or have too many values.")
	for limited, says := range map[bool]string{false: secret.Error(), true: unsaid} {
		grant := access.Grant{Kind: access.Token, Sites: []string{"shop"}}
		if limited {
			grant.Kind = access.Share
		}
		if got := permit.WhyNoList(access.With(t.Context(), grant))(secret); !strings.HasPrefix(got, says) {
			t.Errorf("limited %v: %q, want %q", limited, got, says)
		}
	}
}
