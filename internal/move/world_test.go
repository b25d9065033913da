package move_test

import (
	"cmp"
	"encoding/json"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/move"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// site moves, and other stays in both tables.
const (
	site  = "site-0"
	other = "site-1"
)

const partitions = 2

// inTwoWorlds runs f with two installations. Each has a table, and a topic of the same name on a cluster of its own.
func inTwoWorlds(t *testing.T, f func(t *testing.T, from, to *testpipeline.World)) {
	slow.Unraced(t)
	testpipeline.InBubble(t, 1, partitions, func(t *testing.T, from *testpipeline.World, net *kfake.VirtualNetwork) {
		to := testpipeline.SecondCluster(t, from, net, partitions, testworld.Table(t))
		to.Begin()
		f(t, from, to)
	})
}

// member runs a pipeline until the test or stop ends it. It seals days at once.
func member(t *testing.T, w *testpipeline.World, packed bool) (stop func()) {
	t.Helper()
	o := options(w, packed)
	p, err := pipeline.New(o)
	if err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(w.Run(p).Drain)
	t.Cleanup(stop)
	return stop
}

func options(w *testpipeline.World, packed bool) pipeline.Options {
	o := w.Options()
	o.Log = slog.New(slog.DiscardHandler)
	o.Seal.After, o.Seal.Interval = -72*time.Hour, 10*time.Minute
	o.Settings.RawPacked = packed
	o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 1000} // What a flush changes of an hour stays in the journal.
	return o
}

// traffic is that of both sites, or of one. ids begin with a text.
func traffic(seed uint64, n int, start time.Time, of, ids string) (list []testpipeline.Record) {
	for _, r := range testpipeline.Traffic(seed, partitions, n, start) {
		var e map[string]any
		if err := json.Unmarshal(r.Value, &e); err != nil || of != "" && e["siteId"] != of {
			continue
		}
		e["id"] = ids + e["id"].(string)
		r.Value = testpipeline.MustJSON(e)
		list = append(list, r)
	}
	return list
}

// decide decides all that can be decided about the site, but for an erasure.
func decide(t *testing.T, table sinks.Table) {
	t.Helper()
	on := true
	d := sites.Decision{Table: table, Site: site, Now: time.Now()}
	err := sites.Create(t.Context(), table, sinks.Keys{}, sites.Definition{ID: site, Owner: "acme", Zone: "Europe/Berlin"}, time.Now())
	if err == nil {
		_, err = d.Update(t.Context(), sites.Changes{NewVisitors: &on})
	}
	for _, id := range []string{"bought", "gone"} {
		if err == nil {
			err = d.CreateGoal(t.Context(), sites.Goal{ID: id, On: sites.Pattern{On: "page", How: "prefix", Text: "/p"}})
		}
	}
	if err == nil {
		_, err = (&annotations.Store{Table: table, Now: time.Now}).Create(t.Context(), site, time.Now(), "a release")
	}
	if err == nil {
		store := alerts.Store{Table: table, Now: time.Now}
		var a alerts.Alert
		if a, err = store.Create(t.Context(), alerts.Alert{Site: site, ID: "quiet", Rule: alerts.Rule{Subject: alerts.Subject{Figure: "events"},
			Stops: true}}); err == nil {
			_, err = store.Keep(t.Context(), alerts.Finding{Site: site, Alert: a.ID, Hour: alerts.Hour(time.Now()) - 1, JudgedAt: time.Now()})
		}
	}
	if err == nil {
		_, err = (&segments.Store{Table: table, Now: time.Now}).Create(t.Context(), site, "germany", []string{"country=DE"})
	}
	if err == nil {
		_, err = (&sites.FunnelStore{Table: table, Now: time.Now}).Create(t.Context(), site, sites.Funnel{ID: "buy", Window: time.Hour,
			Steps: []sites.Pattern{{On: "page", How: "prefix", Text: "/p"}, {On: "page", How: "prefix", Text: "/p1"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// retire deletes the site in the old table.
func retire(t *testing.T, table sinks.Table) {
	t.Helper()
	if err := (sites.Decision{Table: table, Site: site, Now: time.Now()}).Delete(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// moved moves the site.
func moved(t *testing.T, from, to *testpipeline.World) move.Report {
	t.Helper()
	r, err := move.Run(t.Context(), move.Options{From: from.Table, To: to.Table, Site: site})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ofPartition finds the number of a topic in the name of a partition, and in the id of a visit.
var ofPartition = regexp.MustCompile(`("partition":"|~visit-[0-9a-f]{16}-)\d+_`)

// answers are what readers see of the site: every question's answer as JSON.
func answers(t *testing.T, table sinks.Table) (all []string) {
	t.Helper()
	r, ctx := query.New(table, time.Now), t.Context()
	dates, err := r.Dates(ctx, site)
	if err != nil {
		t.Fatal(err)
	}
	today, err := dates.Parse("today", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	from, to := today.AddDate(0, 0, -3), today.AddDate(0, 0, 3)
	take := func(answer any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(testpipeline.MustJSON(answer)), sites.MovedTopic("", site), "")
		all = append(all, ofPartition.ReplaceAllString(text, "${1}1_"))
	}
	for _, by := range []query.By{query.Hour, query.Day, query.Month} {
		s, err := r.Stats(ctx, query.StatsParams{Site: site, From: from, To: to, By: by, IncludeBots: true})
		for _, b := range s.Buckets {
			all = append(all, b.Start.String())
			take(b.Figures, nil)
		}
		take(s.Totals, err)
		g, err := r.GoalStats(ctx, query.StatsParams{Site: site, From: from, To: to, By: by})
		for _, b := range g.Buckets {
			take(b.GoalTotals, nil)
		}
		take(len(g.Buckets), err)
	}
	for _, d := range []string{"page", "referrer", "browser", "utm_campaign", "channel"} {
		top, err := r.Top(ctx, query.TopParams{Site: site, From: from, To: to, Dimension: d, Limit: 100})
		take(top.Rows, err)
	}
	u, err := r.Uniques(ctx, query.UniquesParams{Site: site, From: from, To: to})
	take(u.UniqueVisitors, err)
	for _, p := range []query.SessionsParams{{}, {User: testpipeline.SomeUser(1)}, {Visitor: "v0-1"}, {Visitor: "v1-7"}} {
		p.Site, p.Paging = site, query.Paging{Limit: query.MaxLimit}
		s, err := r.Sessions(ctx, p)
		take(s.Sessions, err)
	}
	e, err := r.Events(ctx, query.EventsParams{Site: site, From: from, To: to, Paging: query.Paging{Limit: query.MaxLimit}})
	take(e.Events, err)
	c, err := r.Conversions(ctx, query.ConversionsParams{Site: site, Goal: "bought", Paging: query.Paging{Limit: query.MaxLimit}})
	slices.SortStableFunc(c.Conversions, func(a, b query.Conversion) int { // Those of one instant are in an order that says nothing.
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Source, b.Source))
	})
	take(c.Conversions, err)
	f, err := r.FunnelReport(ctx, query.FunnelReportParams{Site: site, Funnel: "buy", From: from, To: to})
	take(f.Steps, err)
	a, err := r.Annotations(ctx, query.AnnotationsParams{Site: site})
	take(a.Annotations, err)
	found, err := r.Alerts(ctx, query.AlertsParams{Site: site})
	take(found.Alerts, err)
	take(found.Findings, err)
	saved, err := segments.List(ctx, table, segments.ListParams{Site: site})
	take(saved.Segments, err)
	goals, err := r.Goals(ctx, query.GoalsParams{Site: site, Deleted: true})
	for i := range goals.Goals {
		goals.Goals[i].Revision = 0
	}
	take(goals.Goals, err)
	return all
}

// differ fails the test for each answer that is not as it was.
func differ(t *testing.T, have, want []string) {
	t.Helper()
	if len(have) != len(want) || len(want) < 20 {
		t.Errorf("%d answers, want %d", len(have), len(want))
	}
	for i := range min(len(have), len(want)) {
		if have[i] != want[i] {
			at := 0
			for at < min(len(have[i]), len(want[i])) && have[i][at] == want[i][at] {
				at++
			}
			from := max(0, at-200)
			t.Errorf("answer %d:\n%.400s\nwant\n%.400s", i, have[i][from:], want[i][from:])
		}
	}
}

// events counts the site's events.
func events(t *testing.T, table sinks.Table) int64 {
	t.Helper()
	s, err := query.New(table, time.Now).Stats(t.Context(), query.StatsParams{Site: site, By: query.Day, IncludeBots: true,
		From: time.Now().Truncate(24*time.Hour).AddDate(0, 0, -5).Add(-time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	return s.Totals.Events
}

// sessionsOf are the sessions of a visitor.
func sessionsOf(t *testing.T, table sinks.Table, visitor string) []query.Session {
	t.Helper()
	s, err := query.New(table, time.Now).Sessions(t.Context(), query.SessionsParams{Site: site, Visitor: visitor,
		Paging: query.Paging{Limit: query.MaxLimit}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Sessions
}

// newTable is a table that nothing has used.
func newTable(t *testing.T) sinks.Table { return testworld.Table(t) }

// journaled counts the journal entries of the last days.
func journaled(w *testpipeline.World) (n int) {
	for back := range 3 {
		day := time.Now().AddDate(0, 0, -back).UnixMilli()
		n += len(w.Query(sinks.Keys{}.BreakdownOfDay(site, day), sinks.LatePrefix))
	}
	return n
}
