package sinks

import (
	"fmt"
	"testing"
	"time"
)

// timed are keys of items of an instant, by what they are.
func timed(k Keys, at int64) map[string]Key {
	tp := TP{1, 17}
	hour := at - at%(60*60_000)
	return map[string]Key{
		"hour stats": k.HourStats("shop", hour), "hour stats at half past": k.HourStats("shop", hour+30*60_000),
		"day stats": k.DayStats("shop", at),
		"uniques":   k.Uniques("shop", hour, tp), "breakdown": k.Breakdown("shop", hour, tp), "late": k.Late("shop", hour, tp, 7, 0),
		"sealed uniques": k.DayUniques("shop", at), "sealed breakdown": k.DayBreakdown("shop", at),
		"recent": k.Recent("shop", at, tp, 7, 0), "new sessions": k.NewSessions("shop", at, tp, 7),
		"sessions of visitors": k.VisitorSessions("shop", VisitorBucket{Depth: 3, Bits: 5}, hour, tp, 7, 0),
		"sessions of a user":   {k.User("shop", "u"), SessionOrder(at, "s", tp)},
		"conversions":          {k.GoalConversions("shop", 3, 1), SessionOrder(at, "s", tp)},
	}
}

// TestListsAreSplitAtADate: each list by time is divided at the beginning of a date, and what is of before has lesser sort keys.
func TestListsAreSplitAtADate(t *testing.T) {
	date := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, k := range []Keys{{}, {Generation: 12}} {
		for _, at := range []int64{date - 400*24*60*60_000, date - 1, date, date + 1, date + 400*24*60*60_000} {
			for name, key := range timed(k, at) {
				split, ok := SplitAt(key.PK, key.SK, date)
				switch {
				case !ok || split.Earlier(key.SK) != (at < date):
					t.Errorf("%s of %d ms after the date: %+v, %v, earlier %v", name, at-date, split, ok, split.Earlier(key.SK))
				case at < date && key.SK > split.Last:
					t.Errorf("%s of %d ms after the date: %q is after the last, %q", name, at-date, key.SK, split.Last)
				case at >= date && key.SK < split.First:
					t.Errorf("%s of %d ms after the date: %q is before the first, %q", name, at-date, key.SK, split.First)
				}
				third := Keys{Generation: 3}
				if got := Rekey(key.PK, third); KeysOf(got) != third || Rekey(got, third) != got || Rekey(got, k) != key.PK {
					t.Errorf("%s: %q becomes %q", name, key.PK, got)
				}
			}
		}
	}
}

// TestMonthsAreSplitByName: the month of the date is a later one, and straddles the date unless it begins there.
func TestMonthsAreSplitByName(t *testing.T) {
	k := Keys{Generation: 2}
	for _, c := range []struct {
		date, month        string
		earlier, straddles bool
	}{
		{"2026-05-12", "2026-04", true, false}, {"2026-05-12", "2026-05", false, true}, {"2026-05-12", "2026-06", false, false},
		{"2026-05-01", "2026-04", true, false}, {"2026-05-01", "2026-05", false, false}, {"2026-01-01", "2025-12", true, false},
	} {
		date, _ := ParseDay(c.date)
		month, _ := ParseMonth(c.month)
		for _, key := range []Key{k.MonthStats("shop", month), k.MonthUniques("shop", month), k.MonthBreakdown("shop", month)} {
			split, ok := SplitAt(key.PK, key.SK, date)
			if !ok || split.Earlier(key.SK) != c.earlier || Straddles(key, date) != c.straddles {
				t.Errorf("%v at %s: %+v, %v, earlier %v, straddles %v; want %+v", key, c.date, split, ok, split.Earlier(key.SK),
					Straddles(key, date), c)
			}
		}
	}
}

// TestWhatHasNoDateIsNotSplit: of what is not in the order of time, and of what is of no site.
func TestWhatHasNoDateIsNotSplit(t *testing.T) {
	k, tp := Keys{Generation: 2}, TP{1, 17}
	for _, key := range []Key{k.Session("shop", "s", tp, 16), k.VisitorState("shop", "v", tp, 16), k.Budget("shop", tp),
		k.Realtime("shop", 0, tp), k.Metadata("shop"), k.SiteEntry("shop"), k.Checkpoint(tp, "stats"), k.TableSettings(), k.Rules(1)} {
		if split, ok := SplitAt(key.PK, key.SK, 0); ok {
			t.Errorf("%v is split: %+v", key, split)
		}
	}
}

// TestKeptEntries: what the settings say of kept dates is read, changed and refused where it is damaged.
func TestKeptEntries(t *testing.T) {
	may, june := time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC).UnixMilli(), time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	g := Generations{Live: 3, Last: 3}
	g.Kept = Kept{Of: 2, From: 1, Date: may}.String() + " " + Kept{Of: 3, From: 2, Date: june}.String()
	if g.Kept != "2:1:2026-05-12 3:2:2026-06-01" {
		t.Fatalf("kept: %q", g.Kept)
	}
	read, err := readGenerations(Item{AttrGeneration: Int(3), AttrGenerations: Int(3), AttrKept: Str(g.Kept)})
	if err != nil || read != g {
		t.Errorf("read %+v, %v, want %+v", read, err, g)
	}
	if k, ok := g.KeptBefore(3); !ok || k != (Kept{3, 2, june}) {
		t.Errorf("before generation 3: %+v, %v", k, ok)
	}
	if got := fmt.Sprint(g.ReadKeys()); got != "[{3} {2} {0}]" {
		t.Errorf("readers see the generations of %s", got)
	}
	for generation, want := range map[int]int64{1: may, 2: june, 3: 0} {
		if got := g.KeepsBefore(generation); got != want {
			t.Errorf("generation %d keeps what is before %d, want %d", generation, got, want)
		}
	}
	if got := (Generations{Live: 1, Building: 2, KeepBefore: may}).KeepsBefore(1); got != may {
		t.Errorf("the live generation keeps what is before %d for the one that is rebuilt, want %d", got, may)
	}
	for _, text := range []string{"2", "1:2:2026-05-12", "2:0:2026-05-12", "2:1:yesterday", "x:1:2026-05-12"} {
		if _, err := readGenerations(Item{AttrKept: Str(text)}); err == nil {
			t.Errorf("%q is read", text)
		}
	}
}
