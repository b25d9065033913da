package capacity

import (
	"fmt"
	"testing"

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
	want := []SiteSpent{{"", 2, 1}, {"a", 6, 1}, {"b", 2, 0.5}}
	if s := h.Spent(); fmt.Sprint(s.Sites) != fmt.Sprint(want) || s.Others != (SiteSpent{}) {
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

func TestSitesBeyondTheBusiestAreOneRow(t *testing.T) {
	table, h, _ := heated(t)
	const sites = heatRows + 50
	for i := range sites {
		if _, err := table.Put(t.Context(), sinks.Put{Item: someItem(fmt.Sprintf("SITE#s%d", i), 10)}); err != nil {
			t.Fatal(err)
		}
	}
	r := ReportCost([]SpentOf{{"http://one", h.Spent()}}, DefaultPrices(), 3)
	if len(r.Sites) != 3 || r.More != heatRows-3 || r.Others.Writes <= 0 {
		t.Errorf("report %+v, want 3 sites, %d more, and others", r, heatRows-3)
	}
	if seconds := r.Processes[0].Seconds; r.Total.Writes*seconds < sites-0.5 || r.Total.Writes*seconds > sites+0.5 || r.Total.Share != 1 {
		t.Errorf("total %+v in %v s, want %d units", r.Total, seconds, sites)
	}
}
