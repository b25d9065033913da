package verify_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sketch"
)

// richest returns the item of each kind that has the most attributes, of the last step if there is one. Hours and
// days count as two kinds.
func richest(items map[sinks.Key]sinks.Item) map[string]sinks.Item {
	best := make(map[string]sinks.Item)
	for _, key := range slices.SortedFunc(maps.Keys(items), func(a, b sinks.Key) int { return strings.Compare(a.PK+a.SK, b.PK+b.SK) }) {
		it := items[key]
		name := it[sinks.AttrEntity].Str()
		if strings.HasPrefix(key.SK, sinks.DayStatsPrefix) {
			name = "day " + name
		}
		if rank(it) > rank(best[name]) {
			best[name] = it
		}
	}
	return best
}

func rank(it sinks.Item) int64 {
	n := int64(len(it))
	for name, v := range it {
		if strings.HasPrefix(name, "w") && strings.Contains(name, "_") {
			n += 100 * v.Int()
		}
		if name == sinks.AttrPages {
			n += int64(len(v.Bytes()))
		}
	}
	return n
}

// with returns an item that has another value of an attribute, or none.
func with(it sinks.Item, name string, value sinks.Value) sinks.Item {
	changed := maps.Clone(it)
	changed[name] = value
	if value.Kind() == sinks.None {
		delete(changed, name)
	}
	return changed
}

// wrong are the ways in which a value can be wrong.
func wrong(t *testing.T, name string, v sinks.Value) map[string]sinks.Value {
	bad := map[string]sinks.Value{"removed": {}, "of another kind": sinks.Strings([]string{"x"})}
	switch v.Kind() {
	case sinks.Number:
		bad["one more"] = sinks.Num(v.Num().Plus(int128.From(1)))
		bad["of a step to come"] = sinks.Num(v.Num().Plus(int128.From(7)))
		bad["far below"] = sinks.Num(v.Num().Plus(int128.From(-1 << 40)))
	case sinks.String:
		bad["another text"] = sinks.Str(v.Str() + "x")
	case sinks.List:
		bad["one more"] = sinks.Strings(append(slices.Clone(v.Strings()), "stranger"))
		bad["one twice"] = sinks.Strings(append(slices.Clone(v.Strings()), v.Strings()[0]))
		bad["one less"] = sinks.Strings(v.Strings()[1:])
	case sinks.Binary:
		bad["damaged"] = sinks.Bytes(append(slices.Clone(v.Bytes()), 0))
		if sketch.UnpackBreakdown(v.Bytes(), new(sketch.Breakdown)) == nil {
			wrongBreakdowns(t, v.Bytes(), bad)
		} else if u := sketchOf(name); u != nil {
			if err := u.UnmarshalBinary(v.Bytes()); err != nil {
				t.Fatal(err)
			}
			u.Add(12345)
			b, err := u.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			bad["with a stranger"] = sinks.Bytes(b)
		}
		if name == sinks.AttrListed {
			wrongLists(t, v.Bytes(), bad)
		}
		if name == sinks.AttrPages {
			top := sketch.NewTop(50)
			if err := top.UnmarshalBinary(v.Bytes()); err != nil {
				t.Fatal(err)
			}
			top.Add([]byte("/a"))
			b, err := top.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			bad["with a page view more"] = sinks.Bytes(b)
		}
	}
	return bad
}

// wrongLists are lists by visitor that differ from one in an entry.
func wrongLists(t *testing.T, b []byte, bad map[string]sinks.Value) {
	for how, change := range map[string]func([]state.ListedSession) []state.ListedSession{
		"one less": func(all []state.ListedSession) []state.ListedSession { return all[1:] },
		"one more": func(all []state.ListedSession) []state.ListedSession {
			return append(all, state.ListedSession{Session: "stranger"})
		},
		"one twice":     func(all []state.ListedSession) []state.ListedSession { return append(all, all[0]) },
		"another's":     func(all []state.ListedSession) []state.ListedSession { all[0].Visitor++; return all },
		"of other time": func(all []state.ListedSession) []state.ListedSession { all[0].OpenedAt++; return all },
	} {
		all, err := state.DecodeListed(b, 0, sinks.TP{})
		if err != nil {
			t.Fatal(err)
		}
		all = change(all)
		slices.SortFunc(all, state.ListedSession.Compare)
		bad[how] = sinks.Bytes(state.AppendListed(nil, all, 0, sinks.TP{}))
	}
}

// wrongBreakdowns are breakdowns that differ from one in as little as can be.
func wrongBreakdowns(t *testing.T, part []byte, bad map[string]sinks.Value) {
	for how, change := range map[string]func(b *sketch.Breakdown){
		"an event more":           func(b *sketch.Breakdown) { b.Event(sketch.Page, "/a", 1<<40, sketch.Hit{}) },
		"a row more":              func(b *sketch.Breakdown) { b.Event(sketch.City, "Nowhere", 1<<40, sketch.Hit{}) },
		"an exit more":            func(b *sketch.Breakdown) { b.Book(sketch.Page, "/a", 1<<40, sketch.Booking{Exits: 1}) },
		"a session without a row": func(b *sketch.Breakdown) { b.Book(sketch.City, "Nowhere", 1<<40, sketch.Booking{Sessions: 1}) },
	} {
		b := new(sketch.Breakdown)
		if err := sketch.UnpackBreakdown(part, b); err != nil {
			t.Fatal(err)
		}
		change(b)
		packed, err := sketch.PackBreakdown(b)
		if err != nil {
			t.Fatal(err)
		}
		bad[how] = sinks.Bytes(packed)
	}
}

func sketchOf(attr string) *sketch.Uniques {
	switch {
	case attr == sinks.AttrVisitors:
		return sketch.NewMinute()
	case attr == sinks.AttrPart, strings.HasPrefix(attr, "h") && strings.Contains(attr, "_"):
		return sketch.NewHour()
	}
	return nil
}
