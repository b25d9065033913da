package sites_test

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/sites"
)

// TestRowsOfASite changes rows of dimensions one after the other.
func TestRowsOfASite(t *testing.T) {
	table := newTable(t)
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "shop"}, now); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		rows  map[string]int
		rules string // part of them
		fault string
	}{
		{rows: map[string]int{"page": 4000}, rules: `"rows":{"page":4000}`},
		{rows: map[string]int{"city": 1000}, rules: `"rows":{"city":1000,"page":4000}`},
		{rows: map[string]int{"country": 1}, fault: "rows of 3 dimensions: 5001 together: choose 5000 at most"},
		{rows: map[string]int{"page": 5001}, fault: "rows page=5001: choose 1 to 5000"},
		{rows: map[string]int{"page": -1}, fault: "rows page=-1: choose 1 to 5000"},
		{rows: map[string]int{"pages": 0}, fault: `dimension "pages" is unknown`},
		{rows: map[string]int{"page": 0}, rules: `"rows":{"city":1000}`},
		{rows: map[string]int{"city": 0, "page": 5000}, rules: `"rows":{"page":5000}`},
	} {
		_, err := (sites.Decision{Table: table, Site: "shop", Now: now}).Update(t.Context(), sites.Changes{Rows: c.rows})
		if c.fault != "" {
			if err == nil || !strings.Contains(err.Error(), c.fault) {
				t.Errorf("rows %v: %v, want a fault with %q", c.rows, err, c.fault)
			}
			continue
		}
		if got := read(t, table, nil).At(read(t, table, nil).Rev()).Site("shop").String(); err != nil || !strings.Contains(got, c.rules) {
			t.Errorf("rows %v: %v, rules %s, want %s in them", c.rows, err, got, c.rules)
		}
	}
}
