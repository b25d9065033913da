package sites_test

import (
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// TestErasuresAreThoseOfTheRevision: a view has the erasures of its revision and those before, of its site alone; the first that
// holds at an event time is found, and how far the last one goes.
func TestErasuresAreThoseOfTheRevision(t *testing.T) {
	table := newTable(t)
	ann, bob := sites.PersonHash{1}, sites.PersonHash{2}
	var log *sites.Log
	for _, e := range []struct {
		site  string
		erase *sites.Erasure
	}{
		{"a", nil},
		{"a", &sites.Erasure{Person: sites.Visitor, Hash: ann, Until: 100}}, // revision 2
		{"b", &sites.Erasure{Person: sites.Visitor, Hash: bob, Until: 100}},
		{"a", &sites.Erasure{Person: sites.Visitor, Hash: ann, Until: 200}},
		{"a", &sites.Erasure{Person: sites.User, Hash: bob, Until: 50}},
	} {
		c := change(e.site, log.At(log.Rev()).Site(e.site))
		c.Erase = e.erase
		var err error
		if log, err = sites.AppendLog(t.Context(), table, keys, log, c); err != nil {
			t.Fatal(err)
		}
	}
	for name, log := range map[string]*sites.Log{"appended": log, "read": read(t, table, nil)} {
		for _, c := range []struct {
			rev   int64
			site  string
			kind  sites.Person
			hash  sites.PersonHash
			at    int64
			found int64 // revision; 0: none
			until int64
		}{
			{1, "a", sites.Visitor, ann, 50, 0, 0},
			{2, "a", sites.Visitor, ann, 50, 2, 100},
			{2, "a", sites.Visitor, ann, 100, 2, 100},
			{2, "a", sites.Visitor, ann, 101, 0, 100},
			{3, "a", sites.Visitor, ann, 101, 0, 100},
			{4, "a", sites.Visitor, ann, 101, 4, 200},
			{4, "a", sites.Visitor, ann, 100, 2, 200},
			{5, "a", sites.Visitor, bob, 10, 0, 0},
			{5, "a", sites.User, bob, 50, 5, 50},
			{5, "b", sites.User, bob, 50, 0, 0},
			{5, "c", sites.Visitor, ann, 50, 0, 0},
		} {
			e := log.At(c.rev).Erased(c.site)
			found, ok := e.At(c.kind, c.hash, c.at)
			if found.Rev != c.found || ok != (c.found > 0) || e.Until(c.kind, c.hash) != c.until {
				t.Errorf("%s: revision %d, %s %x of %s at %d: found %+v, erased up to %d; want %+v", name, c.rev, c.kind, c.hash[:1], c.site, c.at,
					found,
					e.Until(c.kind, c.hash), c)
			}
		}
	}
	if !log.At(5).Erased("c").None() || log.At(5).Erased("a").None() || !(sites.View{}).Erased("a").None() {
		t.Error("None is wrong")
	}
}

func TestErasureThatIsNotUnderstoodIsAnError(t *testing.T) {
	table := newTable(t)
	for _, text := range []string{"{", `{"person":"cat","hash":"00000000000000000000000000000000","until":1}`,
		`{"person":"user","hash":"00","until":1}`} {
		key := keys.Rules(1)
		_, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrRev: sinks.Int(1), sinks.AttrSiteID: sinks.Str("s"), sinks.AttrRules: sinks.Str("{}"), sinks.AttrErase: sinks.Str(text)}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := sites.ReadLog(t.Context(), table, keys, nil); err == nil {
			t.Errorf("erasure %s was read", text)
		}
	}
}
