package capacity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
)

func TestUnitsAreMeteredBySite(t *testing.T) {
	table, h, clock := heated(t)
	ctx := t.Context()
	for _, pk := range []string{"SITE#a", "SITE#a#SHARD#01", "G2#SITE#a#UNIQUES", "SITE#b", "CHAIN#1"} {
		if _, err := table.Put(ctx, sinks.Put{Item: someItem(pk, 1500)}); err != nil { // 2 units
			t.Fatal(err)
		}
	}
	if _, err := table.Query(ctx, sinks.Query{PK: "SITE#b"}); err != nil { // half a unit
		t.Fatal(err)
	}
	keys := []sinks.Key{{PK: "SITE#a", SK: "S"}, {PK: "CHAIN#1", SK: "S"}}
	if _, err := table.BatchGet(ctx, sinks.BatchGet{Keys: keys, Consistent: true}); err != nil { // a unit each
		t.Fatal(err)
	}
	want := []SiteSpent{{"", 2, 1, 0, spentOn(otherKind, 2, 1)}, {"a", 6, 1, 0, spentOn(otherKind, 6, 1)},
		{"b", 2, 0.5, 0, spentOn(otherKind, 2, 0.5)}}
	if s := h.Spent(); fmt.Sprint(s.Sites) != fmt.Sprint(want) || s.Others.WriteUnits > 0 || s.Floor > 0 {
		t.Errorf("spent %+v, want %v", s, want)
	}
	*clock = clock.Add(heatWindow)
	if _, err := table.Put(ctx, sinks.Put{Item: someItem("SITE#b", 10)}); err != nil {
		t.Fatal(err)
	}
	if s := h.Spent(); fmt.Sprint(s.Sites) != fmt.Sprint(want) || s.To.Sub(s.From) != heatWindow {
		t.Errorf("spent after the window %+v, want %v in %v", s, want, heatWindow)
	}
}

func spentOn(kind string, writes, reads float64) []KindSpent {
	return []KindSpent{{kind, writes, reads}}
}

// TestUnitsAreMeteredByKind: each unit is of one kind, and events count where an hour has taken them.
func TestUnitsAreMeteredByKind(t *testing.T) {
	table, h, _ := heated(t)
	ctx, keys, tp := t.Context(), sinks.Keys{}, sinks.TP{Topic: 1}
	hour := sinks.Update{Key: keys.HourStats("a", 0), Set: []sinks.Attr{{Name: "m", Value: sinks.Int(1)}}, Add: []sinks.Attr{
		{Name: sinks.AttrEvents, Value: sinks.Int(3)}, {Name: sinks.AttrBotEvents, Value: sinks.Int(2)},
		{Name: sinks.AttrExcludedEvents, Value: sinks.Int(1)}, {Name: sinks.AttrSessions, Value: sinks.Int(7)}},
		If: []sinks.Cond{{Attr: "m", Op: sinks.AbsentOrLess, Value: sinks.Int(1)}}}
	day := hour
	day.Key = keys.DayStats("a", 0)
	for _, u := range []sinks.Update{hour, hour, day} { // The second is refused, and costs a unit all the same.
		if _, err := table.Update(ctx, u); err != nil {
			t.Fatal(err)
		}
	}
	for _, key := range []sinks.Key{keys.Event("a", 1, "01"), keys.Session("a", "s", tp, 16), keys.Checkpoint(tp, "stats")} {
		if _, err := table.Put(ctx, sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK)}}); err != nil {
			t.Fatal(err)
		}
	}
	pk, from := keys.Sessions("a", "s", 16)
	if _, err := table.Query(ctx, sinks.Query{PK: pk, Prefix: from, Consistent: true}); err != nil {
		t.Fatal(err)
	}
	want := []SiteSpent{{"", 1, 0, 0, spentOn(sinks.EntityCheckpoint, 1, 0)},
		{"a", 5, 1, 6, []KindSpent{{sinks.EntityEvent, 1, 0}, {sinks.EntitySession, 1, 1}, {sinks.EntityStats, 3, 0}}}}
	s := h.Spent()
	if fmt.Sprint(s.Sites) != fmt.Sprint(want) {
		t.Errorf("spent %+v, want %+v", s.Sites, want)
	}
	s.To = s.From.Add(time.Second)
	r := ReportCost([]SpentOf{{"http://one", s}}, DefaultPrices(), 3)
	million := (5*0.625 + 1*0.125) / 6 // By six events.
	a := r.Of("a")
	if a == nil || r.Of("b") != nil || math.Abs(*a.PerMillion-million) > 1e-9 || a.Kinds[0].Kind != sinks.EntityStats ||
		r.Table.PerMillion != nil {
		t.Fatalf("report %+v, want %v dollars a million events of a", r, million)
	}
	kinds, sites := 0.0, r.Table.Dollars
	for _, k := range r.Total.Kinds {
		kinds += k.Dollars
	}
	for _, c := range r.Sites {
		sites += c.Dollars
	}
	if math.Abs(kinds-r.Total.Dollars) > 1e-9 || math.Abs(sites-r.Total.Dollars) > 1e-9 {
		t.Errorf("kinds cost %v, sites %v, want the total %v", kinds, sites, r.Total.Dollars)
	}
}

// TestLedgerNamesTheDearestSites: of many more sites than rows, the dear ones are listed, each within the floor of what it has cost, and
// nothing is lost.
func TestLedgerNamesTheDearestSites(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l, truth, all := newLedger(50), make(map[string]uint64), uint64(0)
	for range 200_000 {
		n := rng.IntN(2000)
		if rng.IntN(2) == 0 {
			n = rng.IntN(10)
		}
		site := fmt.Sprint(n)
		l.of(site).write(rng.IntN(len(kinds)), 2)
		truth[site] += 2 * writeCost
		all += 2 * writeCost
	}
	sum := l.others.cost
	for site, a := range l.rows {
		sum += a.cost
		if a.cost > truth[site] || a.cost+a.missed < truth[site] || a.missed > l.floor {
			t.Errorf("site %s has a row of %d and missed %d, and has cost %d", site, a.cost, a.missed, truth[site])
		}
	}
	for site, cost := range truth {
		if l.rows[site] == nil && cost > l.floor {
			t.Errorf("site %s has cost %d and has no row: the floor is %d", site, cost, l.floor)
		}
	}
	if sum != all || len(l.rows) != 50 || l.rows["0"] == nil || l.rows["9"] == nil || l.floor*50 > all {
		t.Errorf("%d rows with %d in all, floor %d, want 50 with %d, the dearest among them", len(l.rows), sum, l.floor, all)
	}
}

func BenchmarkLedger(b *testing.B) {
	l := newLedger(heatRows)
	var keys []sinks.Key
	for i := range 10_000 {
		keys = append(keys, sinks.Keys{}.HourStats(fmt.Sprintf("site-%d.example", i), 0))
	}
	n := 0
	for b.Loop() { // Each write is of a site without a row.
		key := keys[n%len(keys)]
		l.of(siteOf(key)).write(kindOf(key), 1)
		n++
	}
}

func TestSitesBeyondTheBusiestAreOneRow(t *testing.T) {
	table, h, _ := heated(t)
	const sites = heatRows + 50
	for i := range sites {
		if _, err := table.Put(t.Context(), sinks.Put{Item: someItem(fmt.Sprintf("SITE#s%d", i), 10)}); err != nil {
			t.Fatal(err)
		}
	}
	r := ReportCost([]SpentOf{{"http://one", h.Spent()}}, DefaultPrices(), 3)
	if len(r.Sites) != 3 || r.More != heatRows-3 || r.Others.Writes <= 0 || r.AtMostMore <= 0 {
		t.Errorf("report %+v, want 3 sites, %d more, and others", r, heatRows-3)
	}
	if seconds := r.Processes[0].Seconds; r.Total.Writes*seconds < sites-0.5 || r.Total.Writes*seconds > sites+0.5 || r.Total.Share != 1 {
		t.Errorf("total %+v in %v s, want %d units", r.Total, seconds, sites)
	}
}
