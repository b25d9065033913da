package segments

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/query/filters"
	"github.com/footfall/footfall/query/ranges"
	"github.com/footfall/footfall/sinks"
)

func newStore(t *testing.T) *Store {
	t.Helper()
	store := &Store{Table: testworld.Table(t), By: "ada", Now: time.Now}
	for _, site := range []string{"shop", "blog"} {
		if _, err := sinks.EnsureSiteEntry(t.Context(), store.Table, sinks.Keys{}, site); err != nil {
			t.Fatal(err)
		}
	}
	return store
}

// Filters are kept as they were parsed, whatever characters they have.
func TestFiltersAreKeptAsTheyAre(t *testing.T) {
	store := newStore(t)
	texts := []string{"country!=DE", "page^=/a=b&c#d", `property:a "b"!~=ü "x"`, "referrer=", "goal=bought", "city~= 'é' "}
	where, err := filters.ParseConditions(texts)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(t.Context(), "shop", "odd", texts); err != nil {
		t.Fatal(err)
	}
	got, err := Resolve(t.Context(), store.Table, "shop", "odd")
	if err != nil || fmt.Sprint(got) != fmt.Sprint(where) {
		t.Errorf("%v, %v; want %v", got, err, where)
	}
	under, err := Under(t.Context(), store.Table, "shop", "odd", []string{"goal=bought", "device=mobile"})
	if want := append(filters.Texts(where), "device=mobile"); err != nil || !slices.Equal(under, want) {
		t.Errorf("%q, %v; want %q", under, err, want)
	}
}

// A segment is created once; with other filters its name is taken. One that is deleted is gone, on its own site alone.
func TestASegmentIsCreatedOnce(t *testing.T) {
	store, ctx := newStore(t), t.Context()
	germany := []string{"country=DE"}
	first, err := store.Create(ctx, "shop", "de", germany)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := store.Create(ctx, "shop", "de", germany); err != nil || !again.CreatedAt.Equal(first.CreatedAt) {
		t.Errorf("again: %+v, %v; want %+v", again, err, first)
	}
	if _, err := store.Create(ctx, "shop", "de", []string{"country=AT"}); err == nil || !strings.Contains(err.Error(), "country=DE") {
		t.Errorf("with other filters: %v", err)
	}
	if _, err := store.Create(ctx, "nowhere", "de", germany); err == nil || !strings.Contains(err.Error(), "is not known") {
		t.Errorf("of an unknown site: %v", err)
	}
	if _, err := store.Create(ctx, "blog", "de", germany); err != nil {
		t.Fatal(err)
	}
	if err := Delete(ctx, store.Table, "shop", "de"); err != nil {
		t.Fatal(err)
	}
	if err := Delete(ctx, store.Table, "shop", "de"); err == nil {
		t.Error("a segment was deleted twice")
	}
	_, err = Resolve(ctx, store.Table, "shop", "de")
	if wrong, ok := errors.AsType[*ranges.ParamError](err); !ok || wrong.Param != "segment" {
		t.Errorf("a deleted one: %v", err)
	}
	if _, err := Resolve(ctx, store.Table, "blog", "de"); err != nil {
		t.Errorf("that of another site: %v", err)
	}
}

func TestWrongSegmentsAreRefused(t *testing.T) {
	store := newStore(t)
	many := make([]string, filters.MaxConditions+1)
	for i := range many {
		many[i] = fmt.Sprintf("page!=/%d", i)
	}
	long := []string{"property:" + strings.Repeat("k", MaxBytes) + "=x"}
	for _, c := range []struct {
		name, says string
		where      []string
	}{
		{"", "empty", []string{"country=DE"}}, {strings.Repeat("x", 65), "65 bytes", []string{"country=DE"}},
		{"with blank", "letters, digits", []string{"country=DE"}}, {"none", "missing: write a filter", nil},
		{"many", "11 filters", many}, {"twice", "given twice", []string{"country=DE", "country=DE"}}, {"long", "shorten them to 4000", long},
	} {
		if _, err := store.Create(t.Context(), "shop", c.name, c.where); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.9q: %v, want that says %q", c.name, err, c.says)
		}
	}
}

// A site has as many segments as it may have, and no more until one is deleted; other sites are not concerned.
func TestSegmentsOfASiteAreBounded(t *testing.T) {
	store, ctx, where := newStore(t), t.Context(), []string{"country=DE"}
	for i := range MaxPerSite {
		if _, err := store.Create(ctx, "shop", fmt.Sprint("s", i), where); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := store.Create(ctx, "shop", "more", where); err == nil || !strings.Contains(err.Error(), "delete some") {
		t.Errorf("one more: %v", err)
	}
	if _, err := store.Create(ctx, "shop", "s7", where); err != nil {
		t.Errorf("one that is there: %v", err)
	}
	if _, err := store.Create(ctx, "blog", "more", where); err != nil {
		t.Errorf("another site: %v", err)
	}
	if err := Delete(ctx, store.Table, "shop", "s7"); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Create(ctx, "shop", "more", where); err != nil {
		t.Errorf("in the place of one that is gone: %v", err)
	}
	if a, err := List(ctx, store.Table, ListParams{Site: "shop"}); err != nil || len(a.Segments) != MaxPerSite ||
		!slices.IsSorted(Names(a.Segments)) {
		t.Errorf("%d segments, %v", len(a.Segments), err)
	}
}

// A table that a former release may return to, which cannot read segments, gets none.
func TestSegmentsWaitForTheFormat(t *testing.T) {
	store, key := newStore(t), sinks.Keys{}.TableSettings()
	if _, err := sinks.EnsureTableSettings(t.Context(), store.Table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	format := func(n int64) {
		t.Helper()
		_, err := store.Table.Update(t.Context(), sinks.Update{Key: key, Set: []sinks.Attr{{Name: sinks.AttrFormat, Value: sinks.Int(n)}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	format(sinks.FormatOfLists - 1)
	_, err := store.Create(t.Context(), "shop", "phones", []string{"device=mobile"})
	early, ok := errors.AsType[*sinks.EarlyError](err)
	if !ok || early.Release != "0.1.0" || !strings.Contains(err.Error(), `segment "phones": release 0.1.0 `) ||
		!strings.Contains(err.Error(), "footfall upgrade finalize") {
		t.Errorf("%v", err)
	}
	if all, err := All(t.Context(), store.Table, ListParams{"shop", true}); len(all) != 0 || err != nil {
		t.Errorf("%v, %v", all, err)
	}
	format(sinks.FormatOfLists)
	if _, err := store.Create(t.Context(), "shop", "phones", []string{"device=mobile"}); err != nil {
		t.Error(err)
	}
}
