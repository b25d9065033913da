package verify_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

// aim creates the plain site with goals that what first and second publish reaches, and one that was deleted.
func (w *world) aim() {
	w.t.Helper()
	w.create(plainSite)
	d := sites.Decision{Table: w.table, Site: plainSite, Now: w.start}
	for _, g := range []sites.Goal{
		{ID: "looked", Name: "Looked", On: sites.Pattern{On: sites.OnPage, How: sites.MatchRegexp, Text: "^/(a|c)$"},
			Value: new(int64(1_500_000))},
		{ID: "bought", On: sites.Pattern{On: sites.OnEvent, Type: "buy"}},
		{ID: "came late", On: sites.Pattern{On: sites.OnPage, How: sites.MatchExact, Text: "/late"}},
		{ID: "stayed", DurationMs: 20_000},
		{ID: "gone", DurationMs: 1},
	} {
		if err := d.CreateGoal(w.t.Context(), g); err != nil {
			w.t.Fatal(err)
		}
	}
	if err := d.DeleteGoal(w.t.Context(), "gone"); err != nil {
		w.t.Fatal(err)
	}
}

// goalItems are the items of goals and conversions, and the hours and days that have conversions.
func goalItems(items map[sinks.Key]sinks.Item) map[sinks.Key]sinks.Item {
	of := make(map[sinks.Key]sinks.Item)
	for key, it := range items {
		switch it[sinks.AttrEntity].Str() {
		case sinks.EntityGoal, sinks.EntityConversion:
			of[key] = it
		case sinks.EntityStats:
			if it[sinks.AttrConversions].Kind() != sinks.None {
				of[key] = it
			}
		}
	}
	return of
}

func TestGoalsAreRecounted(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.aim()
		_, two := w.filled()
		r := w.verify(nil)
		want(t, "goals", r, 0)
		conversions := 0
		for _, it := range two {
			if it[sinks.AttrEntity].Str() == sinks.EntityConversion {
				conversions++
			}
		}
		if int(r.Compared["conversion"]) != conversions || conversions < 10 || r.Compared["goal"] != 5 {
			t.Errorf("compared %v, want 5 goals and the table's %d conversions, 10 at least", r.Compared, conversions)
		}
		w.rename(plainSite, "New") // A revision that changes no goal publishes none again.
		want(t, "another name", w.verify(nil), 0)
	})
}

// TestEveryAttributeOfGoalsIsCompared changes each attribute of goals, conversions, and the sums of goals.
func TestEveryAttributeOfGoalsIsCompared(t *testing.T) {
	slow.Unraced(t) // One recount after the other, by the goroutines of every test here.
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.aim()
		_, two := w.filled()
		var all []damage
		items := goalItems(two)
		seen := make(map[string]int)
		for _, key := range slices.SortedFunc(maps.Keys(items), func(a, b sinks.Key) int {
			return slices.Compare([]string{a.PK, a.SK},
				[]string{b.PK, b.SK})
		}) {
			it := items[key]
			kind := it[sinks.AttrEntity].Str()
			if kind == sinks.EntityConversion {
				kind += it[sinks.AttrGoal].Str()
			}
			if seen[kind]++; seen[kind] > 2 {
				continue
			}
			for _, name := range append(slices.Collect(maps.Keys(it)), "stranger", "g77", "gv77") {
				value := it[name]
				_, _, sum := sinks.GoalSum(name)
				if name == sinks.AttrPK || name == sinks.AttrSK || it[sinks.AttrEntity].Str() == sinks.EntityStats && name != sinks.AttrConversions &&
					!sum {
					continue
				}
				if value.Kind() == sinks.None {
					value = sinks.Int(0)
				}
				for how, bad := range wrong(t, name, value) {
					if how == "removed" && (value.Kind() == sinks.Number && value.Int() == 0) || how == "of another kind" {
						continue
					}
					all = append(all, damaged(fmt.Sprintf("%v, %s %s", key, name, how), it, name, bad))
				}
			}
		}
		if len(all) < 150 {
			t.Errorf("only %d changes are tried, of %v", len(all), seen)
		}
		w.eachIsNamed(all)
		want(t, "all put back", w.verify(nil), 0)
	})
}

func TestEveryMissingGoalOrConversionIsFound(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.aim()
		_, two := w.filled()
		var all []damage
		for key, it := range goalItems(two) {
			all = append(all, damage{fmt.Sprint(key, " deleted"), it, nil, key, "(item)"})
		}
		w.eachIsNamed(all)
	})
}

func TestEverySurplusGoalOrConversionIsFound(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.aim()
		_, two := w.filled()
		var conversion, goal sinks.Item
		for _, it := range goalItems(two) {
			switch it[sinks.AttrEntity].Str() {
			case sinks.EntityConversion:
				conversion = it
			case sinks.EntityGoal:
				goal = it
			}
		}
		number, _, _ := sinks.LoadTopic(t.Context(), w.table, sinks.Keys{}, topic)
		keys, tp := sinks.Keys{}, sinks.TP{Topic: number}
		for text, s := range map[string]struct {
			key  sinks.Key
			like sinks.Item
		}{
			"of a goal that was not reached": {keys.Conversion(plainSite, 5, "s1", tp, sinks.DefaultShards), conversion},
			"of a session that was not":      {keys.Conversion(plainSite, 1, "never", tp, sinks.DefaultShards), conversion},
			"of no partition": {keys.Conversion(plainSite, 1, "s1", sinks.TP{Topic: number, Partition: 7}, sinks.DefaultShards),
				conversion},
			"of another site":                {keys.Conversion(oddSite, 1, "s1", tp, sinks.DefaultShards), conversion},
			"of a key that nobody spells":    {sinks.Key{PK: keys.Shard(plainSite, 3), SK: "CONVERSION#one#two"}, conversion},
			"a goal of no revision":          {keys.Goal(plainSite, "nowhere"), goal},
			"a goal of a site without rules": {keys.Goal(oddSite, "looked"), goal},
		} {
			it := maps.Clone(s.like)
			it[sinks.AttrPK], it[sinks.AttrSK] = sinks.Str(s.key.PK), sinks.Str(s.key.SK)
			w.set(s.key, it)
			onlyAt(t, "surplus: "+text, w.verify(nil), s.key, "(item)")
			w.set(s.key, nil)
		}
	})
}

// TestConversionsOfARange: a conversion is of the time of its event, whichever its session's is.
func TestConversionsOfARange(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.aim()
		_, two := w.filled()
		from, to := w.start.Add(60e9), w.start.Add(75e9)
		inside := int64(0)
		for _, it := range two {
			at := it[sinks.AttrAt].Int()
			if it[sinks.AttrEntity].Str() == sinks.EntityConversion && at >= from.UnixMilli() && at < to.UnixMilli() {
				inside++
			}
		}
		r := w.verify(func(o *scope.Options) { o.From, o.To = from, to })
		if want(t, "a range", r, 0); r.Compared["conversion"] != inside || inside == 0 {
			t.Errorf("compared %v, want %d conversions", r.Compared, inside)
		}
	})
}
