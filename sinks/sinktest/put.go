package sinktest

import (
	"strings"
	"testing"

	"github.com/footfall/footfall/sinks"
)

var putBehaviours = []behaviour{
	{name: "PutReplacesTheWholeItem", check: func(t *testing.T, s Store) {
		r := put(t, s, sinks.Put{Item: item(key("n"), count("a", 1), count("b", 2))})
		if r.Refused || r.Item != nil || r.Units < 1 {
			t.Errorf("Put = %+v, want no refusal, no item, and 1 unit at least", r)
		}
		put(t, s, sinks.Put{Item: item(key("n"), count("b", 3))})
		wantItem(t, "after the second Put", get(t, s, key("n")), item(key("n"), count("b", 3)))
	}},
	{name: "PutKeepsEveryKindOfValue", check: func(t *testing.T, s Store) {
		want := item(key("n"),
			attr("string", sinks.Str("naïve ☃ 𝒳 \" ' \\ % \n\t")), attr("empty string", sinks.Str("")),
			attr("nul", sinks.Str("a\x00b")), attr("number text", sinks.Str("0012")),
			count("zero", 0), count("minus", -1), count("greatest", 1<<63-1), count("least", -1<<63), count("round", 1_000_000),
			attr("38 digits", number(t, "99999999999999999999999999999999999999")),
			attr("38 digits below zero", number(t, "-99999999999999999999999999999999999999")),
			attr("wide and round", number(t, "10000000000000000000000000000000000000")),
			attr("binary", sinks.Bytes([]byte{0, 0xff, 0x80, '\n'})), attr("empty binary", sinks.Bytes([]byte{})),
			attr("list", sinks.Strings([]string{"b", "a", "", "b", "☃"})), attr("empty list", sinks.Strings([]string{})),
		)
		put(t, s, sinks.Put{Item: want})
		wantItem(t, "stored", get(t, s, key("n")), want)
		put(t, s, sinks.Put{Item: want}) // Repeating changes nothing.
		wantItem(t, "stored again", get(t, s, key("n")), want)
	}},
	{name: "PutKeepsAnItemOfNothingButItsKey", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"))})
		wantItem(t, "stored", get(t, s, key("n")), item(key("n")))
	}},
	{name: "PutIsCopiedIntoTheStore", check: func(t *testing.T, s Store) {
		b := []byte("before")
		put(t, s, sinks.Put{Item: item(key("n"), attr("b", sinks.Bytes(b)))})
		copy(b, "after!")
		wantItem(t, "stored", get(t, s, key("n")), item(key("n"), attr("b", sinks.Bytes([]byte("before")))))
	}},
	{name: "PutOfAnAbsentItemHasOneWinner", check: func(t *testing.T, s Store) {
		absent := []sinks.Cond{{Attr: sinks.AttrPK, Op: sinks.Absent}}
		first := item(key("n"), attr("own", sinks.Str("first")))
		put(t, s, sinks.Put{Item: first, If: absent})
		r := put(t, s, sinks.Put{Item: item(key("n"), attr("own", sinks.Str("second"))), If: absent})
		wantOutcome(t, s, "the second Put", key("n"), r, false, first, nil)
	}},
	{name: "DeleteRemovesTheItem", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("a", 1))})
		put(t, s, sinks.Put{Item: item(key("m"), count("a", 2))})
		for range 2 { // The second finds nothing to remove, and that is no error.
			r := remove(t, s, sinks.Delete{Key: key("n")})
			if r.Refused || r.Item != nil || r.Units < 1 {
				t.Errorf("Delete = %+v, want no refusal, no item, and 1 unit at least", r)
			}
			wantItem(t, "after Delete", get(t, s, key("n")), nil)
		}
		wantItem(t, "its neighbour", get(t, s, key("m")), item(key("m"), count("a", 2)))
	}},
	{name: "UpdateAfterDeleteBeginsAtZero", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("a", 5), count("w", 9))})
		remove(t, s, sinks.Delete{Key: key("n")})
		r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("a", 1)},
			If: []sinks.Cond{{Attr: "w", Op: sinks.AbsentOrLess, Value: sinks.Int(1)}}, Return: true})
		wantItem(t, "returned", r.Item, item(key("n"), count("a", 1)))
	}},
	{name: "WriteUnitsGrowWithTheItem", check: func(t *testing.T, s Store) {
		big := attr("text", sinks.Str(strings.Repeat("x", 5000)))
		if r := put(t, s, sinks.Put{Item: item(key("n"), big)}); r.Units < 5 {
			t.Errorf("Put of 5,000 bytes consumed %v units, want 5 at least", r.Units)
		}
		if r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("a", 1)}}); r.Units < 5 {
			t.Errorf("Update of an item of 5,000 bytes consumed %v units, want 5 at least", r.Units)
		}
		if r := update(t, s, sinks.Update{Key: key("n"), Remove: []string{"text"}}); r.Units < 5 {
			t.Errorf("Update that took 5,000 bytes away consumed %v units, want 5 at least", r.Units)
		}
		if r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("a", 1)}}); r.Units != 1 {
			t.Errorf("Update of a small item consumed %v units, want 1", r.Units)
		}
	}},
}
