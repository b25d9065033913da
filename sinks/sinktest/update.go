package sinktest

import (
	"fmt"
	"testing"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

var updateBehaviours = []behaviour{
	{name: "UpdateAddsToAnAbsentItem", check: func(t *testing.T, s Store) {
		r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("views", 3), count("down", -4)}})
		if r.Refused || r.Item != nil {
			t.Errorf("Update = %+v, want neither a refusal nor an item that nobody asked for", r)
		}
		if r.Units < 1 {
			t.Errorf("Update consumed %v units, want 1 at least", r.Units)
		}
		wantItem(t, "after the first ADD", get(t, s, key("n")), item(key("n"), count("views", 3), count("down", -4)))
	}},
	{name: "UpdateAddsToWhatIsThere", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("views", 40), attr("kept", sinks.Str("as it was")))})
		update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("views", 2), count("fresh", 7)}})
		update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("views", -50), count("fresh", 0)}})
		wantItem(t, "after two ADDs", get(t, s, key("n")),
			item(key("n"), count("views", -8), count("fresh", 7), attr("kept", sinks.Str("as it was"))))
	}},
	{name: "UpdateSumsBeyond64Bits", check: func(t *testing.T, s Store) {
		for range 3 {
			update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{
				attr("up", number(t, "9223372036854775807")),
				attr("down", number(t, "-9223372036854775808")),
				attr("wide", number(t, "11111111111111111111111111111111111111")),
			}})
		}
		wantItem(t, "after three ADDs", get(t, s, key("n")), item(key("n"),
			attr("up", number(t, "27670116110564327421")),
			attr("down", number(t, "-27670116110564327424")),
			attr("wide", number(t, "33333333333333333333333333333333333333"))))
		update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{
			attr("up", number(t, "-27670116110564327422")),
			attr("down", number(t, "27670116110564327424")),
			attr("wide", number(t, "-33333333333333333333333333333333333333")),
		}})
		wantItem(t, "after the way back", get(t, s, key("n")),
			item(key("n"), count("up", -1), count("down", 0), count("wide", 0)))
	}},
	{name: "UpdateAddsSetsAndRemovesTogether", check: func(t *testing.T, s Store) {
		put(t, s, sinks.Put{Item: item(key("n"), count("views", 1), attr("gone", sinks.Str("x")),
			attr("page", sinks.Str("/a")), attr("kept", sinks.Bytes([]byte{1})))})
		r := update(t, s, sinks.Update{
			Key: key("n"),
			Add: []sinks.Attr{count("views", 1), count("events", 5)},
			Set: []sinks.Attr{attr("page", sinks.Str("/b")), attr("list", sinks.Strings([]string{"x", "", "x"})),
				count(sinks.AttrTTL, 4102444800)},
			Remove: []string{"gone", "never there"},
			Return: true,
		})
		want := item(key("n"), count("views", 2), count("events", 5), attr("page", sinks.Str("/b")),
			attr("list", sinks.Strings([]string{"x", "", "x"})), count(sinks.AttrTTL, 4102444800), attr("kept", sinks.Bytes([]byte{1})))
		wantItem(t, "returned", r.Item, want)
		wantItem(t, "stored", get(t, s, key("n")), want)
	}},
	{name: "UpdateSetChangesTheKindOfAnAttribute", check: func(t *testing.T, s Store) {
		kinds := []sinks.Value{sinks.Str("s"), sinks.Int(1), sinks.Bytes([]byte("s")), sinks.Strings([]string{"s"})}
		for _, v := range kinds {
			update(t, s, sinks.Update{Key: key("n"), Set: []sinks.Attr{attr("a", v)}})
			wantItem(t, "after SET", get(t, s, key("n")), item(key("n"), attr("a", v)))
		}
	}},
	{name: "UpdateReturnsTheItemAfterIt", check: func(t *testing.T, s Store) {
		for i := int64(1); i <= 3; i++ {
			r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{count("ep", 1)},
				Set: []sinks.Attr{attr("own", sinks.Str("me"))}, Return: true})
			wantItem(t, "returned", r.Item, item(key("n"), count("ep", i), attr("own", sinks.Str("me"))))
		}
	}},
	{name: "UpdateAddRefusesWhatIsNoNumber", check: func(t *testing.T, s Store) {
		before := item(key("n"), attr("a", sinks.Str("text")), count("b", 1))
		put(t, s, sinks.Put{Item: before})
		_, err := s.Update(t.Context(), sinks.Update{Key: key("n"), Add: []sinks.Attr{count("b", 1), count("a", 1)}})
		if err == nil || sinks.Retryable(err) {
			t.Errorf("ADD to a string = %v, want an error that repeating does not cure", err)
		}
		wantItem(t, "after the error", get(t, s, key("n")), before)
	}},
	{name: "UpdateRefusesToChangeKeys", check: func(t *testing.T, s Store) {
		for _, u := range []sinks.Update{
			{Key: key("n"), Set: []sinks.Attr{attr(sinks.AttrPK, sinks.Str("SITE#b"))}},
			{Key: key("n"), Set: []sinks.Attr{attr(sinks.AttrSK, sinks.Str("m"))}},
			{Key: key("n"), Remove: []string{sinks.AttrSK}, Set: []sinks.Attr{count("a", 1)}},
		} {
			if _, err := s.Update(t.Context(), u); err == nil {
				t.Errorf("Update %+v succeeded, want an error", u)
			}
		}
		wantItem(t, "after the errors", get(t, s, key("n")), nil)
	}},
	{name: "UpdateRefusesToNameAnAttributeTwice", check: func(t *testing.T, s Store) {
		for _, u := range []sinks.Update{
			{Key: key("n"), Add: []sinks.Attr{count("a", 1)}, Set: []sinks.Attr{count("a", 1)}},
			{Key: key("n"), Add: []sinks.Attr{count("a", 1), count("a", 1)}},
			{Key: key("n"), Set: []sinks.Attr{count("a", 1)}, Remove: []string{"a"}},
		} {
			if _, err := s.Update(t.Context(), u); err == nil {
				t.Errorf("Update %+v succeeded, want an error", u)
			}
		}
		wantItem(t, "after the errors", get(t, s, key("n")), nil)
	}},
	{name: "UpdateCarriesManyMarks", check: func(t *testing.T, s Store) {
		marks := slow.Of(t, 50, 400)
		want := item(key("n"), count("views", int64(2*marks)))
		for step := int64(1); step <= 2; step++ {
			for p := range int32(marks) {
				mark := sinks.AttrMark("stats", sinks.TP{Topic: 12, Partition: p})
				want[mark] = sinks.Int(step)
				u := sinks.Update{Key: key("n"), Add: []sinks.Attr{count("views", 1)}, Set: []sinks.Attr{count(mark, step)},
					If: []sinks.Cond{{Attr: mark, Op: sinks.AbsentOrLess, Value: sinks.Int(step)}}}
				if r := update(t, s, u); r.Refused {
					t.Fatalf("step %d of partition %d was refused", step, p)
				}
			}
		}
		wantItem(t, "with all marks", get(t, s, key("n")), want)
	}},
	{name: "UpdateTakesAnyAttributeName", check: func(t *testing.T, s Store) {
		// Reserved words of DynamoDB, and what its expressions read as paths or placeholders.
		want := item(key("n"))
		for i, name := range []string{"name", "value", "size", "status", "a.b", "a[0]", "1x", "#n", ":v", "käse", "with space", "ADD"} {
			v := sinks.Int(int64(i + 1))
			want[name] = v
			c := []sinks.Cond{{Attr: name, Op: sinks.Absent}}
			if r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{{Name: name, Value: v}}, If: c}); r.Refused {
				t.Errorf("ADD of %q was refused as if it were there", name)
			}
			if r := update(t, s, sinks.Update{Key: key("n"), Add: []sinks.Attr{{Name: name, Value: v}}, If: c}); !r.Refused {
				t.Errorf("second ADD of %q was not refused", name)
			}
		}
		wantItem(t, "stored", get(t, s, key("n")), want)
	}},
	{name: "UpdateOfOneItemLeavesOthersAlone", check: func(t *testing.T, s Store) {
		keys := []sinks.Key{{PK: "A", SK: "B"}, {PK: "A", SK: "C"}, {PK: "AB", SK: "B"}, {PK: "a", SK: "B"}, {PK: "A", SK: "b"},
			{PK: "A", SK: "B "}}
		for i, k := range keys {
			update(t, s, sinks.Update{Key: k, Add: []sinks.Attr{count("n", int64(i+1))}})
		}
		for i, k := range keys {
			wantItem(t, fmt.Sprint(k), get(t, s, k), item(k, count("n", int64(i+1))))
		}
	}},
}
