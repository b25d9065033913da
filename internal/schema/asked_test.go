package schema

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/consumed"
)

// An example names every type of item that its question queries, and no other: else its read units would be too few.
func TestExamplesNameWhatIsAsked(t *testing.T) {
	for _, q := range patterns {
		groups, err := q.listen(t.Context())
		if err != nil {
			t.Errorf("%s: %v", q.command, err)
			continue
		}
		asked := make(map[string]bool)
		for _, g := range groups {
			asked[g.item] = true
			if _, named := q.rows[g.item]; !named && !g.get {
				t.Errorf("%s: the example does not say how many items of the type %s it reads", q.command, g.item)
			}
		}
		for item := range q.rows {
			if !asked[item] {
				t.Errorf("%s: the example reads items of the type %s, which the question does not ask for", q.command, item)
			}
		}
	}
}

// What a question asks of the little table that listens, it asks of any: what follows from an answer is heard, too.
func TestQuestionsAreHeardInFull(t *testing.T) {
	want := map[string]string{
		"query session SITE SESSION":          "get table settings, query session",
		"query sessions SITE":                 "get table settings, query recent sessions, query new sessions, get session, get site",
		"query events SITE --session SESSION": "get table settings, query session, get site list entry, get site, query pack",
		"query stats SITE --by day": "get site list entry, get site, query topic, get checkpoint, query day stats, query month stats, " +
			"query hour stats, query journal entry, " +
			"query uniques, query day stats",
		"site list":               "query site list entry, get site",
		"site list --owner OWNER": "query site, get site, get site list entry",
		"query realtime SITE":     "query realtime minute",
	}
	found := make(map[string]bool)
	for _, q := range patterns {
		groups, err := q.listen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var heard []string
		for _, g := range groups {
			verb := "query"
			if g.get {
				verb = "get"
			}
			heard = append(heard, verb+" "+g.item)
		}
		w, ok := want[q.command]
		if q.items {
			w = strings.ReplaceAll(w, "query pack", "query event")
		}
		if ok && strings.Join(heard, ", ") != w {
			t.Errorf("%s: heard %q, want %s", q.asks, heard, w)
		}
		found[q.command] = true
	}
	for command := range want {
		if !found[command] {
			t.Errorf("%s is not among the patterns", command)
		}
	}
}

// Read units are computed as the table counts them.
func TestReadUnitsAreThoseOfTheTable(t *testing.T) {
	table := testworld.Table(t)
	keys, bytes := sinks.Keys{}, 0
	for i := range int64(40) {
		page, err := table.Query(t.Context(), sinks.Query{PK: keys.Site("shop")})
		if err != nil || page.Units != consumed.ReadUnits(bytes, false) {
			t.Fatalf("%d bytes: %v, %g units, computed %g", bytes, err, page.Units, consumed.ReadUnits(bytes, false))
		}
		key := keys.HourStats("shop", i*3_600_000)
		it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrName: sinks.Str(strings.Repeat("x", int(37*i)))}
		if _, err := table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
			t.Fatal(err)
		}
		bytes += it.Size()
	}
}

func TestListenerCannotBeWrittenTo(t *testing.T) {
	l := &listener{items: pattern{}.askedItems()}
	_, err1 := l.Update(t.Context(), sinks.Update{})
	_, err2 := l.Put(t.Context(), sinks.Put{})
	_, err3 := l.Delete(t.Context(), sinks.Delete{})
	_, err4 := l.BatchPut(t.Context(), nil)
	for i, err := range []error{err1, err2, err3, err4} {
		if !errors.Is(err, errReadOnly) {
			t.Errorf("verb %d: %v, want %v", i, err, errReadOnly)
		}
	}
	if _, err := l.Query(t.Context(), sinks.Query{PK: "OTHER"}); err == nil {
		t.Error("a partition key that no template spells was answered")
	}
}

// A question that asks otherwise with --consistent cannot be written on one line.
func TestQuestionsAskTheSameEitherWay(t *testing.T) {
	q := pattern{ask: func(ctx context.Context, r *query.Reader, strong bool) error {
		if !strong {
			return nil
		}
		_, err := r.Item(ctx, sinks.Key{PK: "a", SK: "b"})
		return err
	}}
	if groups, err := q.listen(t.Context()); err == nil {
		t.Errorf("heard %s, want an error", fmt.Sprint(groups))
	}
}
