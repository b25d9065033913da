package sites_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sketch"
)

// TestPropertiesOfASite chooses properties one list after the other: no number is given twice.
func TestPropertiesOfASite(t *testing.T) {
	table := newTable(t)
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "shop"}, now); err != nil {
		t.Fatal(err)
	}
	choose := func(list ...string) (string, error) {
		_, err := sites.Decision{Table: table, Site: "shop", Now: now}.Update(t.Context(), sites.Changes{Properties: &list})
		log := read(t, table, nil)
		var have []string
		for _, p := range log.At(log.Rev()).Site("shop").Properties {
			have = append(have, fmt.Sprint(p.Key, " ", p.N))
		}
		return strings.Join(have, ", "), err
	}
	for _, c := range []struct{ list, have, fault string }{
		{"plan", "plan 1", ""},
		{"theme plan", "plan 1, theme 2", ""},
		{"theme plan", "plan 1, theme 2", ""},
		{"theme", "theme 2", ""},
		{"theme plan", "theme 2, plan 3", ""},
		{"", "", ""},
		{"a b c d e f g h", "a 4, b 5, c 6, d 7, e 8, f 9, g 10, h 11", ""},
		{"1 2 3 4 5 6 7 8 9", "a 4, b 5, c 6, d 7, e 8, f 9, g 10, h 11", "9 properties: name 8 at most"},
		{"x x", "a 4, b 5, c 6, d 7, e 8, f 9, g 10, h 11", `property "x" is named twice`},
	} {
		have, err := choose(strings.Fields(c.list)...)
		if have != c.have || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("properties %q: %q, %v; want %q and a fault with %q", c.list, have, err, c.have, c.fault)
		}
	}
	for n := 11; n < sketch.MaxProperty; n++ {
		if have, err := choose(fmt.Sprint("key", n)); err != nil || have != fmt.Sprintf("key%d %d", n, n+1) {
			t.Fatalf("choice %d: %q, %v", n, have, err)
		}
	}
	if _, err := choose("one more"); err == nil || !strings.Contains(err.Error(), "has had 100 properties") {
		t.Errorf("choice 101: %v, want an error", err)
	}
}
