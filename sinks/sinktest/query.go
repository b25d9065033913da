package sinktest

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/footfall/footfall/sinks"
)

// bare puts items that are nothing but their keys.
func bare(t *testing.T, s Store, pk string, sks ...string) {
	t.Helper()
	var items []sinks.Item
	for _, sk := range sks {
		items = append(items, item(sinks.Key{PK: pk, SK: sk}))
	}
	putAll(t, s, items)
}

// indexed makes an item that is in the index.
func indexed(k sinks.Key, pk, sk string) sinks.Item {
	return item(k, attr(sinks.AttrGSI1PK, sinks.Str(pk)), attr(sinks.AttrGSI1SK, sinks.Str(sk)))
}

// inByteOrder are sort keys in the order of their UTF-8 bytes, which is neither that of UTF-16 code units (the last
// two would change places) nor that of any language.
var inByteOrder = []string{
	" ", "!", "#", "%", "%23", "0", "10", "2", "A", "AB", "Z", "_", "a", "a ", "a#", "a#b", "aa", "ab", "b", "z", "~",
	"\u007f", "\u0080", "Ä", "ß", "ä", "е", "あ", "日本", "\ue000", "ﬀ", "ａ", "\ufffd", "𝒳", "😀",
}

var queryBehaviours = []behaviour{
	{name: "QueryOrdersByBytes", check: func(t *testing.T, s Store) {
		shuffled := slices.Clone(inByteOrder)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		bare(t, s, "P", shuffled...)
		bare(t, s, "Q", "in another partition key")
		wantKeys(t, s, sinks.Query{PK: "P", Consistent: true}, inByteOrder...)
		backwards := slices.Clone(inByteOrder)
		slices.Reverse(backwards)
		wantKeys(t, s, sinks.Query{PK: "P", Desc: true, Consistent: true}, backwards...)
	}},
	{name: "QueryFindsWholeItems", check: func(t *testing.T, s Store) {
		items := numbered("P", 4)
		putAll(t, s, items)
		got := walk(t, s, sinks.Query{PK: "P", Consistent: true})
		if len(got) != len(items) {
			t.Fatalf("Query found %d items, want %d", len(got), len(items))
		}
		for i := range items {
			wantItem(t, "found", got[i], items[i])
		}
	}},
	{name: "QueryOfNothingIsEmpty", check: func(t *testing.T, s Store) {
		for _, index := range []sinks.Index{sinks.Base, sinks.GSI1} {
			wantKeys(t, s, sinks.Query{Index: index, PK: "P"})
			wantKeys(t, s, sinks.Query{Index: index, PK: "P", Prefix: "x", Desc: true})
		}
	}},
	{name: "QuerySelectsByPrefix", check: func(t *testing.T, s Store) {
		bare(t, s, "P", "EVENT", "EVENT#", "EVENT#1", "EVENT#2", "EVENT$", "EVENTS", "event#1", "é", "éa", "ê", "\U0010ffff", "\U0010ffffa")
		for _, c := range []struct {
			prefix string
			want   []string
		}{
			{"EVENT#", []string{"EVENT#", "EVENT#1", "EVENT#2"}},
			{"EVENT#1", []string{"EVENT#1"}},
			{"EVENT#3", nil},
			{"e", []string{"event#1"}},
			{"é", []string{"é", "éa"}},
			{"\U0010ffff", []string{"\U0010ffff", "\U0010ffffa"}},
			{"%", nil}, // No pattern.
			{"_", nil},
		} {
			wantKeys(t, s, sinks.Query{PK: "P", Prefix: c.prefix, Consistent: true}, c.want...)
			slices.Reverse(c.want)
			wantKeys(t, s, sinks.Query{PK: "P", Prefix: c.prefix, Desc: true, Consistent: true}, c.want...)
		}
	}},
	{name: "QuerySelectsByBounds", check: func(t *testing.T, s Store) {
		bare(t, s, "P", "a", "b", "b#1", "c", "d")
		for _, c := range []struct {
			from, to string
			want     []string
		}{
			{"", "", []string{"a", "b", "b#1", "c", "d"}},
			{"b", "c", []string{"b", "b#1", "c"}}, // Both ends included.
			{"b", "", []string{"b", "b#1", "c", "d"}},
			{"", "b", []string{"a", "b"}},
			{"b!", "b~", []string{"b#1"}},
			{"b", "b", []string{"b"}},
			{"x", "", nil},
		} {
			wantKeys(t, s, sinks.Query{PK: "P", From: c.from, To: c.to, Consistent: true}, c.want...)
			slices.Reverse(c.want)
			wantKeys(t, s, sinks.Query{PK: "P", From: c.from, To: c.to, Desc: true, Consistent: true}, c.want...)
		}
	}},
	{name: "QueryOfAnIndexFindsKeysOnly", check: func(t *testing.T, s Store) {
		k := key("SESSION#1")
		it := item(k, attr(sinks.AttrGSI1PK, sinks.Str("U")), attr(sinks.AttrGSI1SK, sinks.Str("1")), count("views", 3))
		put(t, s, sinks.Put{Item: it})
		q := sinks.Query{Index: sinks.GSI1, PK: it[sinks.AttrGSI1PK].Str()}
		wantKeys(t, s, q, k.SK)
		for _, got := range walk(t, s, q) {
			wantItem(t, "found in the index", got, item(k, attr(sinks.AttrGSI1PK, it[sinks.AttrGSI1PK]),
				attr(sinks.AttrGSI1SK, it[sinks.AttrGSI1SK])))
		}
	}},
	{name: "QueryOfAnIndexOrdersBySortKey", check: func(t *testing.T, s Store) {
		var items []sinks.Item
		var want []string
		for i, sk := range inByteOrder {
			k := sinks.Key{PK: "P" + sk, SK: string(rune('z' - i%26))} // The table's own order is another.
			items = append(items, indexed(k, "I", sk))
			want = append(want, k.SK)
		}
		items = append(items, indexed(sinks.Key{PK: "P", SK: "x"}, "J", "in another partition key"))
		putAll(t, s, items)
		wantKeys(t, s, sinks.Query{Index: sinks.GSI1, PK: "I"}, want...)
		slices.Reverse(want)
		wantKeys(t, s, sinks.Query{Index: sinks.GSI1, PK: "I", Desc: true}, want...)
	}},
	{name: "QueryOfAnIndexSelects", check: func(t *testing.T, s Store) {
		var items []sinks.Item
		for _, sk := range []string{"2026-05-11T23#s", "2026-05-12T00#s", "2026-05-12T01#s", "2026-05-13T00#s"} {
			items = append(items, indexed(key(sk), "I", sk))
		}
		putAll(t, s, items)
		wantKeys(t, s, sinks.Query{Index: sinks.GSI1, PK: "I", Prefix: "2026-05-12"}, "2026-05-12T00#s", "2026-05-12T01#s")
		wantKeys(t, s, sinks.Query{Index: sinks.GSI1, PK: "I", From: "2026-05-12T01", To: "2026-05-14"}, "2026-05-12T01#s", "2026-05-13T00#s")
		wantKeys(t, s, sinks.Query{Index: sinks.GSI1, PK: "I", To: "2026-05-12", Desc: true}, "2026-05-11T23#s")
	}},
	{name: "ItemsEnterMoveInAndLeaveAnIndex", check: func(t *testing.T, s Store) {
		k := sinks.Key{PK: "P", SK: sinks.AttrGSI1PK}
		at := func(pk string) sinks.Query { return sinks.Query{Index: sinks.GSI1, PK: pk} }

		update(t, s, sinks.Update{Key: k, Add: []sinks.Attr{count("n", 1)}})
		wantKeys(t, s, at("U1"))
		update(t, s, sinks.Update{Key: k, Set: []sinks.Attr{attr(sinks.AttrGSI1PK, sinks.Str("U1"))}}) // One key is not enough.
		wantKeys(t, s, at("U1"))
		update(t, s, sinks.Update{Key: k, Set: []sinks.Attr{attr(sinks.AttrGSI1SK, sinks.Str("5"))}})
		wantKeys(t, s, at("U1"), k.SK)
		update(t, s, sinks.Update{Key: k, Add: []sinks.Attr{count("n", 1)}}) // Leaves it where it is.
		wantKeys(t, s, at("U1"), k.SK)
		update(t, s, sinks.Update{Key: k, Set: []sinks.Attr{attr(sinks.AttrGSI1PK, sinks.Str("U2"))}})
		wantKeys(t, s, at("U1"))
		wantKeys(t, s, at("U2"), k.SK)
		update(t, s, sinks.Update{Key: k, Remove: []string{sinks.AttrGSI1PK, sinks.AttrGSI1SK}})
		wantKeys(t, s, at("U2"))
		wantItem(t, "the item itself", get(t, s, k), item(k, count("n", 2)))

		put(t, s, sinks.Put{Item: indexed(k, "U3", "1")})
		wantKeys(t, s, at("U3"), k.SK)
		put(t, s, sinks.Put{Item: item(k)})
		wantKeys(t, s, at("U3"))
		put(t, s, sinks.Put{Item: indexed(k, "U3", "1")})
		remove(t, s, sinks.Delete{Key: k})
		wantKeys(t, s, at("U3"))
	}},
	{name: "QueryRefusesAStrongReadOfAnIndex", check: func(t *testing.T, s Store) {
		if _, err := s.Query(t.Context(), sinks.Query{Index: sinks.GSI1, PK: "I", Consistent: true}); err == nil {
			t.Errorf("strong Query of the index succeeded, want an error")
		}
	}},
}
