package tables

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/cli/queries"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// dearCost adds up what the kinds of the first site cost.
func dearCost(r capacity.CostReport) (dollars float64) {
	for _, k := range r.Sites[0].Kinds {
		dollars += k.Dollars
	}
	return dollars
}

func TestCostBySiteAddsUpWhatProcessesReport(t *testing.T) {
	eachTable(t, func(t *testing.T, tableURL string) {
		if code, _, errs := clitest.Footfall(t, "table", "create", "--table", tableURL); code != 0 {
			t.Fatalf("table create: exit code %d, stderr %q", code, errs)
		}
		table, err := connect.Open(t.Context(), tableURL)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		patient := retry.Policy{}.Table(table.Table) // A busy machine may not answer in time.
		first, one := serveHot(t, patient)
		second, other := serveHot(t, patient)
		put := func(through sinks.Table, site string, items int) {
			t.Helper()
			for i := range items {
				key := sinks.Keys{}.HourStats(site, int64(i)*3_600_000)
				it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK)}
				if _, err := through.Put(t.Context(), sinks.Put{Item: it}); err != nil {
					t.Fatal(err)
				}
			}
		}
		put(one, "dear.example", 30)
		put(other, "dear.example", 20)
		put(other, "cheap.example", 10)
		args := []string{"cost", "--by", "site", "--metrics-url", first, "--metrics-url", second}
		code, out, errs := clitest.Footfall(t, append(args, "--output", "json", "--limit", "1")...)
		var r capacity.CostReport
		if err := json.Unmarshal([]byte(out), &r); code != 0 || err != nil {
			t.Fatalf("exit code %d, stderr %q, %v in\n%s", code, errs, err, out)
		}
		if len(r.Sites) != 1 || r.Sites[0].Site != "dear.example" || r.More != 1 || len(r.Processes) != 2 {
			t.Fatalf("report %+v, want dear.example alone and one more", r)
		}
		if share := r.Sites[0].Share; r.Sites[0].Writes <= 0 || math.Abs(share-50./60) > 0.02 { // Windows end at different moments.
			t.Errorf("dear.example has %v of the cost, want 50 of 60 units", share)
		}
		code, out, _ = clitest.Footfall(t, args...)
		if code != 0 || !strings.Contains(out, "dear.example") || !strings.Contains(out, "cheap.example") || !strings.Contains(out, "total") {
			t.Errorf("exit code %d, stdout\n%s", code, out)
		}
		if sum := dearCost(r); math.Abs(sum-r.Sites[0].Dollars) > 1e-6 || len(r.Unmetered) == 0 {
			t.Errorf("kinds of dear.example cost %v together, want %v, and what is not metered", sum, r.Sites[0].Dollars)
		}
		site := []string{"query", "site", "dear.example", "--table", tableURL, "--metrics-url", first, "--metrics-url", second}
		code, out, errs = clitest.Footfall(t, append(site, "--output", "json")...)
		var a queries.SiteAndCost
		if err := json.Unmarshal([]byte(out), &a); code != 3 || err != nil || a.Cost.Site == nil || a.Cost.Site.Writes <= 0 || a.SiteID == "" {
			t.Errorf("query site: exit code %d, stderr %q, %v in\n%s", code, errs, err, out)
		}
		code, out, _ = clitest.Footfall(t, site...)
		if code != 3 || !strings.Contains(out, "Cost by the meters of 2 processes") || !strings.Contains(out, sinks.EntityStats) {
			t.Errorf("query site: exit code %d, stdout\n%s", code, out)
		}
		if code, _, errs := clitest.Footfall(t, append(site, "--output", "csv")...); code != 2 || !strings.Contains(errs, "--output csv") {
			t.Errorf("query site as CSV: exit code %d, stderr %q", code, errs)
		}
		if code, _, errs := clitest.Footfall(t, "cost", "--by", "day"); code != 2 || !strings.Contains(errs, `--by "day"`) {
			t.Errorf("--by day: exit code %d, stderr %q", code, errs)
		}
	})
}
