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
	if _, err := choose("plan", " theme"); err == nil || !strings.Contains(err.Error(), `property " theme" begins or ends with a blank`) {
		t.Errorf("a key with a blank before it: %v, want an error", err)
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

// TestDroppedPropertiesAreNamed: what a list leaves out is lost, and the notes say so.
func TestDroppedPropertiesAreNamed(t *testing.T) {
	table := newTable(t)
	if err := sites.Create(t.Context(), table, keys, sites.Definition{ID: "shop"}, now); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ list, note string }{
		{"plan theme lang", ""},
		{"lang theme plan", ""},
		{"theme", `This drops property "plan", "lang": its figures so far can no longer be queried. A key that comes back counts from zero ` +
			"and uses up one of the 97 numbers that the site has left for properties."},
		{"", `This drops property "theme": its figures so far can no longer be queried. A key that comes back counts from zero ` +
			"and uses up one of the 97 numbers that the site has left for properties."},
		{"plan", ""},
	} {
		list := strings.Fields(c.list)
		notes, err := sites.Decision{Table: table, Site: "shop", Now: now}.Update(t.Context(), sites.Changes{Properties: &list})
		if err != nil || strings.Join(notes, "|") != c.note {
			t.Errorf("properties %q: notes %q, %v; want %q", c.list, notes, err, c.note)
		}
	}
}
