package sqlite

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// change runs statements in a table's file as another program would.
func change(t *testing.T, path string, statements ...string) {
	t.Helper()
	c, err := open(path, mayCreate)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	for _, s := range statements {
		if _, err := c.exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAlterMendsIndexes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	table := openTable(t, path)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	it := sinks.Item{"pk": sinks.Str("P"), "sk": sinks.Str("S"), sinks.AttrGSI1PK: sinks.Str("U"), sinks.AttrGSI1SK: sinks.Str("1")}
	if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
		t.Fatal(err)
	}
	change(t, path, "DROP INDEX gsi1", "DROP INDEX expiry", "CREATE INDEX expiry ON items (ttl)")
	want := []string{"index gsi1: made, and filled from the items that are there",
		"index expiry: made, and filled from the items that are there"}
	for _, c := range []struct {
		change      sinks.Change
		done        []string
		differences int
	}{{sinks.Change{Dry: true}, want, 2}, {sinks.Change{}, want, 0}, {sinks.Change{OnDemand: true}, nil, 0}} {
		a, err := table.Alter(t.Context(), c.change)
		if err != nil || !slices.Equal(a.Done, c.done) || (a.Without != nil) != c.change.OnDemand {
			t.Errorf("Alter %+v = %+v, %v, want %q done", c.change, a, err, c.done)
		}
		if d, err := table.Describe(t.Context()); err != nil || len(d.Differences) != c.differences || d.Lasting != nil {
			t.Errorf("Describe after Alter %+v = %+v, %v, want %d differences", c.change, d, err, c.differences)
		}
	}
	if p, err := table.Query(t.Context(), sinks.Query{Index: sinks.GSI1, PK: "U"}); err != nil || len(p.Items) != 1 {
		t.Errorf("the item in the index that was made anew: %+v, %v", p, err)
	}
}

func TestAlterLeavesItemsThatLieOtherwise(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	table := openTable(t, path)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	change(t, path, "ALTER TABLE items ADD COLUMN more TEXT", "DROP INDEX gsi1")
	a, err := table.Alter(t.Context(), sinks.Change{})
	if d, err := table.Describe(t.Context()); err != nil || len(d.Lasting) != 1 || !strings.Contains(d.Lasting[0], "items was made as") {
		t.Errorf("Describe = %+v, %v, want that the items' difference lasts", d, err)
	}
	if shape, ok := errors.AsType[*sinks.ShapeError](err); !ok || len(shape.Differences) != 2 || a.Done != nil {
		t.Errorf("Alter = %+v, %v, want a *ShapeError and nothing done", a, err)
	}
}
