package sinktest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
)

var pagingBehaviours = []behaviour{
	{name: "PagesJoinToTheWhole", check: func(t *testing.T, s Store) {
		putAll(t, s, numbered("O", 3))
		putAll(t, s, numbered("P", 53))
		putAll(t, s, numbered("Q", 3))
		for _, q := range []sinks.Query{
			{}, {Desc: true}, {Prefix: "01"}, {Prefix: "01", Desc: true}, {From: "005", To: "048"}, {From: "005", To: "048", Desc: true},
		} {
			q.PK, q.Consistent = "P", true
			whole := sortKeys(walk(t, s, q))
			for _, limit := range []int{1, 2, 7, 50, 52, 53, 54} {
				q.Limit = limit
				items, pages := walkPages(t, s, q)
				if got := sortKeys(items); !slices.Equal(got, whole) {
					t.Errorf("Query %+v in pages found\n%q, want\n%q", q, got, whole)
				}
				if least := (len(whole) + limit - 1) / limit; pages < least {
					t.Errorf("Query %+v came in %d pages, want %d at least", q, pages, least)
				}
			}
		}
	}},
	{name: "PagesOfAnIndexJoinToTheWhole", check: func(t *testing.T, s Store) {
		// Many items have the same sort key in the index; their order among themselves is the store's own, but a
		// page that ends between them neither repeats nor skips one.
		var items []sinks.Item
		for i := range 60 {
			k := sinks.Key{PK: fmt.Sprint("P", i%3), SK: fmt.Sprintf("%03d", i)}
			items = append(items, indexed(k, "I", fmt.Sprint("tie ", i/20)))
		}
		putAll(t, s, items)
		wantSet(t, s, sinks.Query{Index: sinks.GSI1, PK: "I"}, items)
		for _, limit := range []int{1, 7, 20, 60} {
			wantSet(t, s, sinks.Query{Index: sinks.GSI1, PK: "I", Limit: limit}, items)
			wantSet(t, s, sinks.Query{Index: sinks.GSI1, PK: "I", Limit: limit, Desc: true}, items)
			wantSet(t, s, sinks.Query{Index: sinks.GSI1, PK: "I", Limit: limit, Prefix: "tie 1"}, items[20:40])
		}
	}},
	{name: "PagesEndByBytesWhereNoLimitIsGiven", check: func(t *testing.T, s Store) {
		// 3 MB under one partition key: more than a page of DynamoDB holds.
		var want []string
		for i := range 10 {
			sk := fmt.Sprintf("%03d", i)
			put(t, s, sinks.Put{Item: item(sinks.Key{PK: "P", SK: sk}, attr("text", sinks.Str(strings.Repeat("x", 300<<10))))})
			want = append(want, sk)
		}
		wantKeys(t, s, sinks.Query{PK: "P", Consistent: true}, want...)
		slices.Reverse(want)
		wantKeys(t, s, sinks.Query{PK: "P", Desc: true, Consistent: true}, want...)
	}},
	{name: "PagesGoOnWhileItemsComeAndGo", check: func(t *testing.T, s Store) {
		putAll(t, s, numbered("P", 10))
		q := sinks.Query{PK: "P", Limit: 4, Consistent: true}
		first, err := s.Query(t.Context(), q)
		if err != nil || len(first.Items) == 0 || first.Next == "" {
			t.Fatalf("first page = %d items, next %q, %v", len(first.Items), first.Next, err)
		}
		last := first.Items[len(first.Items)-1].Key()
		remove(t, s, sinks.Delete{Key: last}) // The very item that the cursor stands on.
		bare(t, s, "P", "000x", last.SK+"x")  // One behind the cursor, one before it.
		q.After = first.Next
		got := append(sortKeys(first.Items), sortKeys(walk(t, s, q))...)
		var want []string
		for _, it := range numbered("P", 10) {
			want = append(want, it.Key().SK)
			if it.Key() == last {
				want = append(want, last.SK+"x")
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("the pages held\n%q, want\n%q", got, want)
		}
	}},
	{name: "QueryRefusesACursorThatIsNotItsOwn", check: func(t *testing.T, s Store) {
		putAll(t, s, []sinks.Item{
			indexed(sinks.Key{PK: "P", SK: "1"}, "I", "1"),
			indexed(sinks.Key{PK: "P", SK: "2"}, "I", "2"),
		})
		p, err := s.Query(t.Context(), sinks.Query{PK: "P", Limit: 1, Consistent: true})
		if err != nil || p.Next == "" {
			t.Fatalf("Query = %+v, %v, want a first page of two", p, err)
		}
		for _, c := range []struct {
			name string
			q    sinks.Query
		}{
			{"garbage", sinks.Query{PK: "P", After: "garbage"}},
			{"garbage of other letters", sinks.Query{PK: "P", After: "%\x00☃"}},
			{"another partition key", sinks.Query{PK: "Q", After: p.Next}},
			{"an index", sinks.Query{Index: sinks.GSI1, PK: "I", After: p.Next}},
		} {
			if _, err := s.Query(t.Context(), c.q); err == nil || sinks.Retryable(err) {
				t.Errorf("%s: Query = %v, want an error that repeating does not cure", c.name, err)
			}
		}
	}},
}

// wantSet checks that q finds each of these items once, by their sort keys, in the index's order but for ties.
// It asks again for a while, as wantKeys does.
func wantSet(t *testing.T, s Store, q sinks.Query, want []sinks.Item) {
	t.Helper()
	var keys []string
	for _, it := range want {
		keys = append(keys, it[sinks.AttrSK].Str())
	}
	slices.Sort(keys)
	byIndex := func(a, b sinks.Item) int {
		return strings.Compare(a[sinks.AttrGSI1SK].Str(), b[sinks.AttrGSI1SK].Str())
	}
	if q.Desc {
		byIndex = func(a, b sinks.Item) int {
			return strings.Compare(b[sinks.AttrGSI1SK].Str(), a[sinks.AttrGSI1SK].Str())
		}
	}
	await(func(last bool) bool {
		items := walk(t, s, q)
		got := sortKeys(items)
		slices.Sort(got)
		ok := slices.Equal(got, keys) && slices.IsSortedFunc(items, byIndex)
		if last && !ok {
			t.Errorf("Query %+v found\n%q, want in the index's order\n%q", q, got, keys)
		}
		return ok
	})
}
