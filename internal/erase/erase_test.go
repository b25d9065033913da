package erase_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/erase"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
	"github.com/footfall/footfall/sinks/sinktest"
)

func TestMain(m *testing.M) { testenv.Main(m) }

const (
	site = "shop#1"
	gone = "visitor-gone"
	rest = "visitor-rest"
)

var now = time.Date(2026, 5, 12, 14, 35, 0, 0, time.UTC)

var suite = []struct {
	name string
	test func(*testing.T, shop)
}{
	{"RecordsOfManyPagesGo", testPages},
	{"LaterEventsStay", testLater},
	{"TwoRunsAtOnceMakeOneErasure", testRace},
	{"RunGoesOnWhereAnotherEnded", testResumed},
	{"DryRunWritesNothing", testDryRun},
	{"AnnotationsThatNameThePersonGo", testAnnotations},
	{"SiteThatNobodyKnows", testUnknownSite},
	{"DamagedItemsOfOthersAreNoHindrance", testDamagedOthers},
}

func TestSQLite(t *testing.T) {
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			table := testworld.Table(t)
			s.test(t, opened(t, table))
		})
	}
}

func TestRealDynamoDB(t *testing.T) {
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range suite {
		t.Run(s.name, func(t *testing.T) {
			table := dynamo.New(client, testenv.UniqueName(t))
			if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
				t.Fatal(err)
			}
			s.test(t, opened(t, table))
		})
	}
}

// shop is a site of a table that no pipeline writes to any more, so that nobody is waited for.
type shop struct {
	t     *testing.T
	table sinks.Table
	keys  sinks.Keys
}

func opened(t *testing.T, table sinks.Table) shop {
	t.Helper()
	var keys sinks.Keys
	if _, err := sinks.EnsureTableSettings(t.Context(), table, keys, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, keys, site); err != nil {
		t.Fatal(err)
	}
	return shop{t, retry.Policy{Within: time.Minute}.Reads(table), keys}
}

func (s shop) options(id string) erase.Options {
	return erase.Options{Table: s.table, Site: site, Person: sites.Visitor, ID: id, Until: now, Grace: time.Nanosecond}
}

// events puts n raw events of a visitor, from an instant on, a millisecond apart. All lie in one shard, each of some bytes.
func (s shop) events(visitor string, from time.Time, n, size int) {
	s.t.Helper()
	shard := sinks.ShardOf("one", sinks.DefaultShards)
	var items []sinks.Item
	for i := range n {
		at := from.Add(time.Duration(i) * time.Millisecond).UnixMilli()
		id := event.ULID([]byte(site), []byte(fmt.Sprint(visitor, i)), event.Origin{}, at)
		key := s.keys.Event(site, shard, id.String())
		items = append(items, sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrEntity: sinks.Str(sinks.EntityEvent), sinks.AttrSiteID: sinks.Str(site), sinks.AttrVisitorID: sinks.Str(visitor),
			"timestamp": sinks.Int(at), "properties": sinks.Str(fmt.Sprintf("%q", strings.Repeat("x", size)))})
	}
	for batch := range slices.Chunk(items, sinks.MaxBatchPut) {
		for len(batch) > 0 {
			r, err := s.table.BatchPut(s.t.Context(), sinktest.Batch(batch...))
			if err != nil {
				s.t.Fatal(err)
			}
			batch = slices.DeleteFunc(batch, func(it sinks.Item) bool { return !slices.Contains(r.Left, it.Key()) })
		}
	}
}

// left returns how many raw events of a visitor there are, and on how many pages those of all visitors lie.
func (s shop) left(visitor string) (events, pages int) {
	s.t.Helper()
	q := sinks.Query{PK: s.keys.Shard(site, sinks.ShardOf("one", sinks.DefaultShards)), Prefix: sinks.EventPrefix, Consistent: true}
	for page, err := range sinks.Pages(s.t.Context(), s.table, q) {
		if err != nil {
			s.t.Fatal(err)
		}
		pages++
		for _, it := range page.Items {
			if it[sinks.AttrVisitorID].Str() == visitor {
				events++
			}
		}
	}
	return events, pages
}

func (s shop) run(o erase.Options) erase.Report {
	s.t.Helper()
	report, err := erase.Run(s.t.Context(), o)
	if err != nil {
		s.t.Fatalf("Run = %v, %+v", err, report)
	}
	return report
}

// A page of DynamoDB has at most 1 MB.
func testPages(t *testing.T, s shop) {
	s.events(gone, now.Add(-time.Hour), 150, 12_000)
	s.events(rest, now.Add(-time.Hour), 150, 12_000)
	if _, pages := s.left(gone); pages < 2 {
		t.Fatalf("the events lie on %d pages, want more than one", pages)
	}
	var out bytes.Buffer
	exported, err := erase.Export(t.Context(), s.options(gone), &out)
	if err != nil || exported[erase.LineEvent] != 150 || bytes.Count(out.Bytes(), []byte("\n")) != 150 {
		t.Errorf("Export = %v, %v, and %d lines, want 150 events", exported, err, bytes.Count(out.Bytes(), []byte("\n")))
	}
	var line map[string]any
	if first, _, _ := bytes.Cut(out.Bytes(), []byte("\n")); json.Unmarshal(first, &line) != nil || line["kind"] != "event" ||
		line["visitorId"] != gone {
		t.Errorf("a line is %.200s", first)
	}
	if r := s.run(s.options(gone)); !r.Over() || r.Touched[erase.Events] != 150 {
		t.Errorf("%+v, want 150 raw events touched, and it done", r)
	}
	if n, _ := s.left(gone); n != 0 {
		t.Errorf("%d of his events are left", n)
	}
	if n, _ := s.left(rest); n != 150 {
		t.Errorf("%d of another visitor's events are left, want 150", n)
	}
	all, err := erase.List(t.Context(), s.table, site)
	if err != nil || len(all) != 1 || !all[0].Over() {
		t.Errorf("List = %+v, %v, want one erasure that is done", all, err)
	}
}

// A damaged item of another visitor does not stop an erasure. An item that does not show whose it is does.
func testDamagedOthers(t *testing.T, s shop) {
	s.events(gone, now.Add(-time.Hour), 5, 10)
	s.events(rest, now.Add(-time.Hour), 5, 10)
	damage := func(attr string) {
		pk := s.keys.Shard(site, sinks.ShardOf("one", sinks.DefaultShards))
		page, err := s.table.Query(t.Context(), sinks.Query{PK: pk, Prefix: sinks.EventPrefix, Consistent: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			if it[sinks.AttrVisitorID].Str() != rest {
				continue
			}
			if _, err := s.table.Update(t.Context(), sinks.Update{Key: it.Key(),
				Set: []sinks.Attr{{Name: attr, Value: sinks.Bytes([]byte("x"))}}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	damage("properties")
	if r := s.run(s.options(gone)); !r.Over() || r.Touched[erase.Events] != 5 {
		t.Errorf("%+v, want 5 raw events touched, and it done", r)
	}
	if n, _ := s.left(rest); n != 5 {
		t.Errorf("%d of another visitor's events are left, want 5", n)
	}
	damage(sinks.AttrVisitorID)
	o := s.options("visitor-else")
	if _, err := erase.Run(t.Context(), o); !errors.As(err, new(*sinks.DamagedError)) {
		t.Errorf("Run = %v, want an error that names an item which does not show whose it is", err)
	}
}

func testLater(t *testing.T, s shop) {
	s.events(gone, now.Add(-4*time.Millisecond), 10, 10) // Five of them up to the very instant.
	if r := s.run(s.options(gone)); r.Touched[erase.Events] != 5 || r.Later != 5 {
		t.Errorf("%+v, want 5 events touched, and 5 told as later", r)
	}
	if n, _ := s.left(gone); n != 5 {
		t.Errorf("%d events are left, want 5", n)
	}
}

func testRace(t *testing.T, s shop) {
	s.events(gone, now.Add(-time.Hour), 40, 10)
	var both sync.WaitGroup
	for range 4 {
		both.Go(func() {
			if r, err := erase.Run(context.Background(), s.options(gone)); err != nil || !r.Over() {
				t.Errorf("Run = %+v, %v", r, err)
			}
		})
	}
	both.Wait()
	if n, _ := s.left(gone); n != 0 {
		t.Errorf("%d events are left", n)
	}
	log, err := sites.ReadLog(t.Context(), s.table, s.keys, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range log.History(site) {
		if c.Erase == nil || c.Erase.Person != sites.Visitor {
			t.Errorf("revision %d is no tombstone: %+v", c.Rev, c)
		}
	}
}

// A table that ends a run at its n-th delete.
type mortal struct {
	sinks.Table
	mu   sync.Mutex // covers left
	left int
}

var errKilled = errors.New("killed")

func (m *mortal) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.left--; m.left < 0 {
		return sinks.Result{}, errKilled
	}
	return m.Table.Delete(ctx, d)
}

func testResumed(t *testing.T, s shop) {
	s.events(gone, now.Add(-time.Hour), 40, 10)
	o := s.options(gone)
	o.Table = &mortal{Table: s.table, left: 17}
	if r, err := erase.Run(t.Context(), o); !errors.Is(err, errKilled) || r.Revision != 1 {
		t.Fatalf("Run = %+v, %v, want it killed behind its tombstone", r, err)
	}
	if n, _ := s.left(gone); n != 23 {
		t.Fatalf("%d events are left, want 23", n)
	}
	if r := s.run(s.options(gone)); !r.Over() || r.Revision != 1 || r.Touched[erase.Events] != 40 {
		t.Errorf("%+v, want revision 1 done, and 40 events touched by both runs", r)
	}
}

func testDryRun(t *testing.T, s shop) {
	s.events(gone, now.Add(-time.Hour), 7, 10)
	o := s.options(gone)
	o.DryRun = true
	if r := s.run(o); r.Touched[erase.Events] != 7 || r.Revision != 0 {
		t.Errorf("%+v, want 7 events to be touched, and no tombstone", r)
	}
	if n, _ := s.left(gone); n != 7 {
		t.Errorf("%d events are left, want 7", n)
	}
	if all, err := erase.List(t.Context(), s.table, ""); err != nil || len(all) != 0 {
		t.Errorf("List = %+v, %v, want none", all, err)
	}
}

func testUnknownSite(t *testing.T, s shop) {
	o := s.options(gone)
	o.Site = "nobody.example"
	if _, err := erase.Run(t.Context(), o); !errors.Is(err, erase.ErrUnknownSite) {
		t.Errorf("Run = %v, want that the site is not known", err)
	}
	if _, err := erase.Export(t.Context(), o, &bytes.Buffer{}); !errors.Is(err, erase.ErrUnknownSite) {
		t.Errorf("Export = %v, want that the site is not known", err)
	}
	if r := s.run(s.options("never-seen")); !r.Over() || len(r.Touched) != 0 {
		t.Errorf("somebody of whom there is nothing: %+v, want it done with nothing touched", r)
	}
}

func TestIdsThatNoEventHasAreRefused(t *testing.T) {
	for _, id := range []string{"", "undefined", "0", "00000000-0000-0000-0000-000000000000", "\xff", strings.Repeat("x", 257)} {
		if err := (erase.Options{Site: site, Person: sites.User, ID: id}).Validate(); err == nil {
			t.Errorf("%.20q is taken for somebody", id)
		}
	}
	if err := (erase.Options{Site: site, Person: sites.User, ID: "u-1"}).Validate(); err != nil {
		t.Errorf("u-1: %v", err)
	}
}
