package main

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/capacity"
	"github.com/footfall/footfall/sinks"
)

func TestCostBySiteAddsUpWhatProcessesReport(t *testing.T) {
	eachTable(t, func(t *testing.T, tableURL string) {
		if code, _, errs := footfall(t, "table", "create", "--table", tableURL); code != 0 {
			t.Fatalf("table create: exit code %d, stderr %q", code, errs)
		}
		table, err := openTable(t.Context(), tableURL)
		if err != nil {
			t.Fatal(err)
		}
		defer table.Close()
		first, one := serveHot(t, table.Table)
		second, other := serveHot(t, table.Table)
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
		code, out, errs := footfall(t, append(args, "--output", "json", "--limit", "1")...)
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
		code, out, _ = footfall(t, args...)
		if code != 0 || !strings.Contains(out, "dear.example") || !strings.Contains(out, "cheap.example") || !strings.Contains(out, "total") {
			t.Errorf("exit code %d, stdout\n%s", code, out)
		}
		if code, _, errs := footfall(t, "cost", "--by", "day"); code != 2 || !strings.Contains(errs, `--by "day"`) {
			t.Errorf("--by day: exit code %d, stderr %q", code, errs)
		}
	})
}
