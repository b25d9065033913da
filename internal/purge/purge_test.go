package purge_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/alerts"
	"github.com/footfall/footfall/internal/annotations"
	"github.com/footfall/footfall/internal/purge"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/sinks"
)

// site is the site that tests purge, and other one that stays.
const (
	site  = "site-0"
	other = "site-1"
)

// noted is a table that remembers to which partition keys anything was written.
type noted struct {
	sinks.Table
	mu  sync.Mutex // covers pks
	pks map[string]bool
}

func note(t sinks.Table) *noted { return &noted{Table: t, pks: make(map[string]bool)} }

func (n *noted) add(pk string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.pks[pk] = true
}

func (n *noted) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	n.add(u.Key.PK)
	return n.Table.Update(ctx, u)
}

func (n *noted) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	n.add(p.Item.Key().PK)
	return n.Table.Put(ctx, p)
}

func (n *noted) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	for _, it := range items {
		n.add(it.Key().PK)
	}
	return n.Table.BatchPut(ctx, items)
}

// of returns all items of a site, but for revisions of rules and the progress of purges.
func (n *noted) of(w *testpipeline.World, site string) map[sinks.Key]sinks.Item {
	n.mu.Lock()
	pks := slices.Sorted(maps.Keys(n.pks))
	n.mu.Unlock()
	all := make(map[sinks.Key]sinks.Item)
	for _, pk := range pks {
		for _, it := range w.Query(pk, "") {
			key := it.Key()
			if s, ok := sinks.SiteOf(key); ok && s == site || slices.Contains([]string{sinks.AnnotationsPK, sinks.AlertsPK, sinks.FindingsPK}, pk) &&
				it[sinks.AttrSiteID].Str() == site ||
				slices.Contains(it[sinks.AttrSiteIDs].Strings(), site) {
				all[key] = it
			}
		}
	}
	return all
}

// entities counts items by entity.
func entities(items map[sinks.Key]sinks.Item) map[string]int {
	n := make(map[string]int)
	for _, it := range items {
		n[it[sinks.AttrEntity].Str()]++
	}
	return n
}

// decide decides all that can be decided about the site.
func decide(t *testing.T, w *testpipeline.World, table sinks.Table) {
	t.Helper()
	on := true
	d := sites.Decision{Table: table, Site: site, Now: time.Now()}
	err := sites.Create(t.Context(), table, sinks.Keys{}, sites.Definition{ID: site, Owner: "acme"}, time.Now())
	if err == nil {
		_, err = d.Update(t.Context(), sites.Changes{NewVisitors: &on})
	}
	if err == nil {
		err = d.CreateGoal(t.Context(), sites.Goal{ID: "bought", On: sites.Pattern{On: "page", How: "prefix", Text: "/p"}})
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
	if err != nil {
		t.Fatal(err)
	}
	tokens := access.Store{Table: table, Now: time.Now}
	for _, of := range [][]string{{site}, {site, other}, {other}} {
		_, _, err := tokens.Create(t.Context(), access.Stored{Kind: access.Token, Sites: of, Rights: []access.Right{access.Read}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func options(w *testpipeline.World) pipeline.Options {
	o := w.Options()
	o.Seal.After, o.Seal.Interval = -72*time.Hour, 10*time.Minute
	return o
}

// TestPurgeLeavesNothing: a site is purged while its events come and the pipeline runs. Nothing of it is left, and another site is as it
// was. The site can be created again and has only what comes then. What was deleted is a difference if it is there again.
func TestPurgeLeavesNothing(t *testing.T) {
	testpipeline.InBubble(t, 3, 2, func(t *testing.T, w *testpipeline.World, _ *kfake.VirtualNetwork) {
		table := note(w.Table)
		w.Table = table
		decide(t, w, table)
		drain := sync.OnceFunc(w.Start(options(w)).Drain)
		t.Cleanup(drain)
		records := testpipeline.Traffic(4, 2, 900, time.Now().Add(-time.Hour))
		w.Produce(records[:600]...)
		w.Settled()
		w.Pass(30 * time.Minute) // Until days are sealed.
		before := table.of(w, site)
		for _, entity := range []string{sinks.EntitySite, sinks.EntitySiteEntry, sinks.EntityStats, sinks.EntitySession, sinks.EntityVisitor,
			sinks.EntityArrival, sinks.EntityEvent, sinks.EntityConversion, sinks.EntityGoal, sinks.EntityUniques, sinks.EntityBreakdown,
			sinks.EntitySealedBreakdown, sinks.EntityNewSessions, sinks.EntityAnnotation, sinks.EntityToken,
			sinks.EntitySegment, sinks.EntityAlert, sinks.EntityFinding} {
			if entities(before)[entity] == 0 {
				t.Errorf("the site has no %s to purge: %v", entity, entities(before))
			}
		}
		estimate, err := purge.Count(t.Context(), purge.Options{Table: table, Site: site})
		if err != nil || estimate.Items < int64(len(before))-2 {
			t.Errorf("%+v, %v; want %d items", estimate, err, len(before)-2)
		}
		w.Produce(records[600:700]...)
		report, err := purge.Run(t.Context(), purge.Options{Table: table, Site: site})
		if err != nil || !report.Over() || report.Items < estimate.Items {
			t.Fatalf("%+v, %v; estimated %+v", report, err, estimate)
		}
		if left := table.of(w, site); len(left) > 0 {
			t.Errorf("left: %v", slices.Sorted(func(yield func(string) bool) {
				for key := range left {
					yield(fmt.Sprint(key))
				}
			}))
		}
		if n := len(table.of(w, other)); n < 100 {
			t.Errorf("%d items of another site are left", n)
		}
		w.Produce(records[700:800]...)
		w.Settled()
		if left := table.of(w, site); len(left) > 0 {
			t.Errorf("back: %v", entities(left))
		}
		w.Recounted()
		again(t, w, before)

		if err := sites.Create(t.Context(), table, sinks.Keys{}, sites.Definition{ID: site}, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.Pass(5 * time.Minute)
		w.Produce(records[800:]...)
		w.Settled()
		drain()
		w.Recounted()
		if n := entities(table.of(w, site)); n[sinks.EntitySession] == 0 || n[sinks.EntityGoal] > 0 ||
			n[sinks.EntityAnnotation]+n[sinks.EntityAlert]+n[sinks.EntityFinding] > 0 {
			t.Errorf("created again it has %v", n)
		}
	})
}

// again puts one item of each kind back: each must be a difference.
func again(t *testing.T, w *testpipeline.World, before map[sinks.Key]sinks.Item) {
	t.Helper()
	seen := map[string]bool{sinks.EntityAnnotation: true, sinks.EntityToken: true, sinks.EntityAlert: true,
		sinks.EntityFinding: true} // They follow from nothing.
	for key, it := range before {
		entity := it[sinks.AttrEntity].Str()
		if seen[entity] || it.Expired(time.Now().Unix()) {
			continue
		}
		seen[entity] = true
		if _, err := w.Table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
		if r, err := w.Verify(w.Options()); err != nil || r.DifferenceCount == 0 {
			t.Errorf("%s %v is there again, and nothing differs: %v, %v", entity, key, r.LeftOut, err)
		}
		if _, err := w.Table.Delete(t.Context(), sinks.Delete{Key: key}); err != nil {
			t.Fatal(err)
		}
	}
}
