package sinktest

import (
	"fmt"
	"testing"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// standing is the item that conditions are tried on.
func standing(k sinks.Key) sinks.Item {
	return item(k, count("n", 5), count("zero", 0), attr("wide", sinks.Num(wide)), attr("s", sinks.Str("text")),
		attr("b", sinks.Bytes([]byte{0, 1, 255})), attr("l", sinks.Strings([]string{"x", "y"})), attr("empty", sinks.Str("")))
}

// wide is 2^64, which no int64 holds.
var wide = int128.From(1 << 62).Plus(int128.From(1 << 62)).Plus(int128.From(1 << 62)).Plus(int128.From(1 << 62))

var widest = wide.Plus(int128.From(1))

var conditions = []struct {
	name         string
	cond         sinks.Cond
	onItem, none bool // whether it holds on the standing item, and where there is no item
}{
	{"absent attribute", sinks.Cond{Attr: "m", Op: sinks.Absent}, true, true},
	{"absent, but it is there", sinks.Cond{Attr: "n", Op: sinks.Absent}, false, true},
	{"absent, but it is empty", sinks.Cond{Attr: "empty", Op: sinks.Absent}, false, true},
	{"absent item", sinks.Cond{Attr: sinks.AttrPK, Op: sinks.Absent}, false, true},
	{"present attribute", sinks.Cond{Attr: "n", Op: sinks.Present}, true, false},
	{"present, empty", sinks.Cond{Attr: "empty", Op: sinks.Present}, true, false},
	{"present, but it is not", sinks.Cond{Attr: "m", Op: sinks.Present}, false, false},
	{"present item", sinks.Cond{Attr: sinks.AttrPK, Op: sinks.Present}, true, false},
	{"equal number", sinks.Cond{Attr: "n", Op: sinks.Equal, Value: sinks.Int(5)}, true, false},
	{"other number", sinks.Cond{Attr: "n", Op: sinks.Equal, Value: sinks.Int(-5)}, false, false},
	{"equal zero", sinks.Cond{Attr: "zero", Op: sinks.Equal, Value: sinks.Int(0)}, true, false},
	{"zero is not absence", sinks.Cond{Attr: "m", Op: sinks.Equal, Value: sinks.Int(0)}, false, false},
	{"equal beyond 64 bits", sinks.Cond{Attr: "wide", Op: sinks.Equal, Value: sinks.Num(wide)}, true, false},
	{"other beyond 64 bits", sinks.Cond{Attr: "wide", Op: sinks.Equal, Value: sinks.Num(widest)}, false, false},
	{"equal string", sinks.Cond{Attr: "s", Op: sinks.Equal, Value: sinks.Str("text")}, true, false},
	{"string in other case", sinks.Cond{Attr: "s", Op: sinks.Equal, Value: sinks.Str("Text")}, false, false},
	{"equal empty string", sinks.Cond{Attr: "empty", Op: sinks.Equal, Value: sinks.Str("")}, true, false},
	{"equal binary", sinks.Cond{Attr: "b", Op: sinks.Equal, Value: sinks.Bytes([]byte{0, 1, 255})}, true, false},
	{"other binary", sinks.Cond{Attr: "b", Op: sinks.Equal, Value: sinks.Bytes([]byte{0, 1})}, false, false},
	{"equal list", sinks.Cond{Attr: "l", Op: sinks.Equal, Value: sinks.Strings([]string{"x", "y"})}, true, false},
	{"list in other order", sinks.Cond{Attr: "l", Op: sinks.Equal, Value: sinks.Strings([]string{"y", "x"})}, false, false},
	{"string is not binary", sinks.Cond{Attr: "s", Op: sinks.Equal, Value: sinks.Bytes([]byte("text"))}, false, false},
	{"number is not string", sinks.Cond{Attr: "n", Op: sinks.Equal, Value: sinks.Str("5")}, false, false},
	{"less, absent", sinks.Cond{Attr: "m", Op: sinks.AbsentOrLess, Value: sinks.Int(-100)}, true, true},
	{"less", sinks.Cond{Attr: "n", Op: sinks.AbsentOrLess, Value: sinks.Int(6)}, true, true},
	{"not less, equal", sinks.Cond{Attr: "n", Op: sinks.AbsentOrLess, Value: sinks.Int(5)}, false, true},
	{"not less, greater", sinks.Cond{Attr: "n", Op: sinks.AbsentOrLess, Value: sinks.Int(4)}, false, true},
	{"less as numbers, not as text", sinks.Cond{Attr: "n", Op: sinks.AbsentOrLess, Value: sinks.Int(10)}, true, true},
	{"zero less than one", sinks.Cond{Attr: "zero", Op: sinks.AbsentOrLess, Value: sinks.Int(1)}, true, true},
	{"zero not less than minus one", sinks.Cond{Attr: "zero", Op: sinks.AbsentOrLess, Value: sinks.Int(-1)}, false, true},
	{"less beyond 64 bits", sinks.Cond{Attr: "wide", Op: sinks.AbsentOrLess, Value: sinks.Num(widest)}, true, true},
	{"not less beyond 64 bits", sinks.Cond{Attr: "wide", Op: sinks.AbsentOrLess, Value: sinks.Num(wide)}, false, true},
	{"a string is not less than a number", sinks.Cond{Attr: "s", Op: sinks.AbsentOrLess, Value: sinks.Int(5)}, false, true},
}

var conditionBehaviours = []behaviour{
	{name: "UpdateHappensOnlyUnderItsConditions", check: func(t *testing.T, s Store) {
		for i, c := range conditions {
			k := key(fmt.Sprint("item", i))
			before := standing(k)
			put(t, s, sinks.Put{Item: before})
			r := update(t, s, sinks.Update{Key: k, Add: []sinks.Attr{count("n", 1)}, Set: []sinks.Attr{count("k", 9)}, If: []sinks.Cond{c.cond}})
			after := standing(k)
			after["n"], after["k"] = sinks.Int(6), sinks.Int(9)
			wantOutcome(t, s, c.name+", on an item", k, r, c.onItem, before, after)

			k = key(fmt.Sprint("none", i))
			r = update(t, s, sinks.Update{Key: k, Add: []sinks.Attr{count("n", 1)}, If: []sinks.Cond{c.cond}})
			wantOutcome(t, s, c.name+", on nothing", k, r, c.none, nil, item(k, count("n", 1)))
		}
	}},
	{name: "PutHappensOnlyUnderItsConditions", check: func(t *testing.T, s Store) {
		for i, c := range conditions {
			k := key(fmt.Sprint("item", i))
			before, after := standing(k), item(k, attr("new", sinks.Str("x")))
			put(t, s, sinks.Put{Item: before})
			r := put(t, s, sinks.Put{Item: after, If: []sinks.Cond{c.cond}})
			wantOutcome(t, s, c.name+", on an item", k, r, c.onItem, before, after)

			k = key(fmt.Sprint("none", i))
			after = item(k, attr("new", sinks.Str("x")))
			r = put(t, s, sinks.Put{Item: after, If: []sinks.Cond{c.cond}})
			wantOutcome(t, s, c.name+", on nothing", k, r, c.none, nil, after)
		}
	}},
	{name: "DeleteHappensOnlyUnderItsConditions", check: func(t *testing.T, s Store) {
		for i, c := range conditions {
			k := key(fmt.Sprint("item", i))
			before := standing(k)
			put(t, s, sinks.Put{Item: before})
			r := remove(t, s, sinks.Delete{Key: k, If: []sinks.Cond{c.cond}})
			wantOutcome(t, s, c.name+", on an item", k, r, c.onItem, before, nil)

			k = key(fmt.Sprint("none", i))
			r = remove(t, s, sinks.Delete{Key: k, If: []sinks.Cond{c.cond}})
			wantOutcome(t, s, c.name+", on nothing", k, r, c.none, nil, nil)
		}
	}},
	{name: "AllConditionsMustHold", check: func(t *testing.T, s Store) {
		k := key("n")
		put(t, s, sinks.Put{Item: standing(k)})
		held := []sinks.Cond{
			{Attr: "n", Op: sinks.Equal, Value: sinks.Int(5)},
			{Attr: "s", Op: sinks.Equal, Value: sinks.Str("text")},
			{Attr: "m", Op: sinks.Absent},
			{Attr: "n", Op: sinks.AbsentOrLess, Value: sinks.Int(6)}, // A second one on the same attribute.
		}
		for i := range held {
			broken := append([]sinks.Cond{}, held...)
			broken[i] = sinks.Cond{Attr: "l", Op: sinks.Absent}
			r := update(t, s, sinks.Update{Key: k, Set: []sinks.Attr{attr("s", sinks.Str("changed"))}, If: broken})
			wantOutcome(t, s, fmt.Sprint("condition ", i, " broken"), k, r, false, standing(k), nil)
		}
		after := standing(k)
		after["s"] = sinks.Str("changed")
		r := update(t, s, sinks.Update{Key: k, Set: []sinks.Attr{attr("s", sinks.Str("changed"))}, If: held})
		wantOutcome(t, s, "all hold", k, r, true, nil, after)
	}},
	{name: "RefusalAnswersWithTheItemAsItStands", check: func(t *testing.T, s Store) {
		// Return asks for the item after the update; a refusal brings the item before it all the same.
		put(t, s, sinks.Put{Item: standing(key("n"))})
		r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("n", 1)}, Return: true,
			If: []sinks.Cond{{Attr: "n", Op: sinks.AbsentOrLess, Value: sinks.Int(5)}}})
		wantOutcome(t, s, "refused with Return", key("n"), r, false, standing(key("n")), nil)
		if r.Units < 1 {
			t.Errorf("the refusal consumed %v units, want 1 at least", r.Units)
		}
	}},
}

// wantOutcome checks the answer to a conditional write, and what is stored after it: the item after when the
// conditions held, else the item before, which the answer then holds.
func wantOutcome(t *testing.T, s Store, what string, k sinks.Key, r sinks.Result, held bool, before, after sinks.Item) {
	t.Helper()
	if r.Refused == held {
		t.Errorf("%s: refused is %v, want %v", what, r.Refused, !held)
		return
	}
	if held {
		wantItem(t, what+": stored", get(t, s, k), after)
		return
	}
	wantItem(t, what+": answered", r.Item, before)
	wantItem(t, what+": stored", get(t, s, k), before)
}
