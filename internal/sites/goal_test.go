package sites_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

var thanks = sites.Pattern{On: sites.OnPage, How: sites.MatchExact, Text: "/thanks"}

func TestGoalNamesEveryFault(t *testing.T) {
	long := strings.Repeat("x", 257)
	for _, c := range []struct {
		name string
		goal sites.Goal
		says []string // nothing: it is right
	}{
		{"a pattern", sites.Goal{ID: "g", On: thanks}, nil},
		{"a duration", sites.Goal{ID: "g", DurationMs: 1}, nil},
		{"a day", sites.Goal{ID: strings.Repeat("g", 64), DurationMs: 86_400_000, Value: new(-sites.MaxGoalValue)}, nil},
		{"no id", sites.Goal{On: thanks}, []string{"id is empty", "name the goal"}},
		{"long texts", sites.Goal{ID: long[:65], Name: long, On: thanks}, []string{"65 bytes", "shorten it to 64", "257 bytes"}},
		{"no UTF-8", sites.Goal{ID: "\xff", On: thanks}, []string{`"\xff" is not valid UTF-8`}},
		{"nothing", sites.Goal{ID: "g"}, []string{"nothing reaches it", "give a pattern"}},
		{"both", sites.Goal{ID: "g", On: thanks, DurationMs: 5}, []string{"an event and a duration"}},
		{"before its beginning", sites.Goal{ID: "g", DurationMs: -1}, []string{"-1ms", "at most 24h"}},
		{"more than a day", sites.Goal{ID: "g", DurationMs: 86_400_001}, []string{"24h0m0.001s", "at most 24h"}},
		{"a pattern that means nothing", sites.Goal{ID: "g", On: sites.Pattern{On: sites.OnPage, How: sites.MatchRegexp, Text: "("}},
			[]string{"\"(\" is not a regular expression: missing closing ) at `(`"}},
		{"too dear", sites.Goal{ID: "g", On: thanks, Value: new(sites.MaxGoalValue + 1)}, []string{"1000000000000000 millionths",
			"below 1,000,000,000"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.goal.Validate()
			if (err == nil) != (c.says == nil) {
				t.Fatalf("Validate = %v", err)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("Validate = %v, want it to say %q", err, part)
				}
			}
		})
	}
}

func TestNumbersOfGoalsAreNotGivenAgain(t *testing.T) {
	s := new(sites.Rules)
	add := func(id string) {
		t.Helper()
		if err := s.AddGoal(sites.Goal{ID: id, N: 99, On: thanks}); err != nil {
			t.Fatal(err)
		}
	}
	add("a")
	add("b")
	s.DeleteGoal("b")
	s = s.Clone()
	add("c")
	s.DeleteGoal("a")
	add("a")
	if a, c := s.Goal("a"), s.Goal("c"); a.N != 4 || c.N != 3 || s.Goal("b") != nil || len(s.Goals) != 2 {
		t.Errorf("goals %+v, want c with number 3 and a with 4", s.Goals)
	}
	if err := s.AddGoal(sites.Goal{ID: "a", On: thanks}); err == nil {
		t.Error("a second goal of the same id was added")
	}
	s.LastGoal = sites.MaxGoalNumber
	if err := s.AddGoal(sites.Goal{ID: "z", On: thanks}); err == nil || !strings.Contains(err.Error(), "16383") {
		t.Errorf("AddGoal = %v, want that there is no number left", err)
	}
}

func TestGoalsOfASiteAreBounded(t *testing.T) {
	s := new(sites.Rules)
	for i := range sites.MaxGoals {
		if err := s.AddGoal(sites.Goal{ID: fmt.Sprint(i), On: thanks}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.AddGoal(sites.Goal{ID: "more", On: thanks}); err == nil || !strings.Contains(err.Error(), "50 goals") {
		t.Errorf("AddGoal = %v, want that there are 50", err)
	}
	heavy := thanks
	heavy.Text = strings.Repeat("<", sites.MaxPatternBytes) // JSON takes six bytes for each.
	var err error
	for i := range sites.MaxGoals {
		g := *s.Goal(fmt.Sprint(i))
		g.On = heavy
		if err = s.SetGoal(g); err != nil {
			if i < 4 {
				t.Errorf("%d heavy goals: %v", i, err)
			}
			break
		}
	}
	if err == nil || !strings.Contains(err.Error(), "65536") {
		t.Errorf("SetGoal = %v, want that goals take 65,536 bytes at most", err)
	}
}

func TestGoalsThatAreOutOfOrderAreRefused(t *testing.T) {
	for _, text := range []string{
		`{"goals":[{"id":"a","n":2,"durationMs":1},{"id":"b","n":2,"durationMs":1}],"lastGoal":2}`,
		`{"goals":[{"id":"a","n":0,"durationMs":1}],"lastGoal":2}`,
		`{"goals":[{"id":"a","n":3,"durationMs":1}],"lastGoal":2}`,
		`{"goals":[{"id":"a","n":1,"on":{"on":"page","how":"regexp","text":"("}}],"lastGoal":2}`,
	} {
		if s, err := sites.ParseRules(text); err == nil {
			t.Errorf("Parse(%s) = %v, want an error", text, s)
		}
	}
}

// goalItem reads the item of a goal of the site s.
func goalItem(t *testing.T, table sinks.Table, id string) sinks.Item {
	t.Helper()
	key := keys.Goal("s", id)
	r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
	if err != nil {
		t.Fatal(err)
	}
	return r.Items[key]
}

// TestGoalsArePublishedAsTheLogHasThem, whoever comes first: an older log takes nothing back.
func TestGoalsArePublishedAsTheLogHasThem(t *testing.T) {
	table := newTable(t)
	var log *sites.Log
	histories := [][]sites.Revision{nil}
	decide := func(s *sites.Rules) {
		t.Helper()
		var err error
		if log, err = sites.AppendLog(t.Context(), table, keys, log, change("s", s)); err != nil {
			t.Fatal(err)
		}
		histories = append(histories, log.History("s"))
	}
	s := new(sites.Rules)
	add := func(g sites.Goal) {
		t.Helper()
		if err := s.AddGoal(g); err != nil {
			t.Fatal(err)
		}
	}
	add(sites.Goal{ID: "a", On: thanks})
	add(sites.Goal{ID: "b", DurationMs: time.Minute.Milliseconds()})
	decide(s) // 1
	s.Name = "changes no goal"
	decide(s) // 2
	a := *s.Goal("a")
	a.Inactive = true
	if err := s.SetGoal(a); err != nil {
		t.Fatal(err)
	}
	s.DeleteGoal("b")
	decide(s) // 3
	a.Inactive = false
	if err := s.SetGoal(a); err != nil {
		t.Fatal(err)
	}
	decide(s) // 4: as it was in 1
	add(sites.Goal{ID: "b", DurationMs: time.Minute.Milliseconds()})
	decide(s) // 5
	type view struct {
		rev, number, deleted int64
		active               bool
	}
	wants := map[int]map[string]view{
		1: {"a": {1, 1, 0, true}, "b": {1, 2, 0, true}}, 2: {"a": {1, 1, 0, true}, "b": {1, 2, 0, true}},
		3: {"a": {3, 1, 0, false}, "b": {3, 2, 1, true}}, 4: {"a": {4, 1, 0, true}, "b": {3, 2, 1, true}},
		5: {"a": {4, 1, 0, true}, "b": {5, 3, 0, true}},
	}
	for _, order := range [][]int{{1, 2, 3, 4, 5}, {1, 5, 3, 4}, {5, 1}, {3, 1, 2, 4, 3, 5, 4}} {
		for _, id := range []string{"a", "b"} {
			if _, err := table.Delete(t.Context(), sinks.Delete{Key: keys.Goal("s", id)}); err != nil {
				t.Fatal(err)
			}
		}
		latest := 0
		for _, rev := range order {
			if err := sites.PublishGoals(t.Context(), table, keys, "s", histories[rev]); err != nil {
				t.Fatal(err)
			}
			latest = max(latest, rev)
			for id, want := range wants[latest] {
				it := goalItem(t, table, id)
				g, err := sites.ParseGoal(it[sinks.AttrDefinition].Str())
				if err != nil {
					t.Fatal(err)
				}
				have := view{it[sinks.AttrRev].Int(), it[sinks.AttrGoalNumber].Int(), it[sinks.AttrDeleted].Int(), !g.Inactive}
				if have != want || int64(g.N) != have.number {
					t.Errorf("published in the order %v: goal %s after revision %d is %+v, want %+v", order, id, rev, have, want)
				}
			}
		}
	}
}

func TestMeaningSpellsTheValueAsPeopleWriteIt(t *testing.T) {
	for millionths, want := range map[int64]string{12_500_000: "12.5", 0: "0", 10_000_000: "10", -1: "-0.000001", -3_000_000: "-3",
		sites.MaxGoalValue: "999999999.999999"} {
		g := sites.Goal{ID: "g", On: thanks, Value: new(millionths)}
		if got := g.Meaning(); !strings.HasSuffix(got, ", worth "+want) {
			t.Errorf("Meaning = %q, want that it is worth %s", got, want)
		}
	}
}
