package sites_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

var bought = sites.Goal{ID: "bought", On: sites.Pattern{On: sites.OnPage, How: sites.MatchExact, Text: "/thanks"}}

func decision(table sinks.Table, id string) sites.Decision {
	return sites.Decision{Table: table, Keys: keys, Site: id, Now: now}
}

// ifRevision is a decision about site s that asks for a revision.
func ifRevision(table sinks.Table, rev *int64) sites.Decision {
	return sites.Decision{Table: table, Keys: keys, Site: "s", Now: now, IfRevision: rev}
}

// decisionAt is a decision about site s at another time.
func decisionAt(table sinks.Table, at time.Time) sites.Decision {
	return sites.Decision{Table: table, Keys: keys, Site: "s", Now: at}
}

// goalOf reads a goal back as anybody does; nil: there never was one.
func goalOf(t *testing.T, table sinks.Table, site, id string) *query.Goal {
	t.Helper()
	a, err := query.NewOf(table, keys, func() time.Time { return now }).Goal(t.Context(), query.GoalParams{Site: site, Goal: id,
		Consistent: true})
	if err != nil {
		t.Fatal(err)
	}
	return a.Goal
}

func TestGoalsAreCreatedChangedAndDeleted(t *testing.T) {
	table := newTable(t)
	counted(t, table, "shop")
	d := decision(table, "shop")
	check := func(what string, err error, number uint64, revision int64, deleted bool) *query.Goal {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		g := goalOf(t, table, "shop", "bought")
		if g == nil || g.Number != number || g.Revision != revision || g.Deleted != deleted {
			t.Fatalf("%s: goal %+v, want number %d, revision %d, deleted %v", what, g, number, revision, deleted)
		}
		return g
	}
	check("created", d.CreateGoal(t.Context(), bought), 1, 1, false)
	check("created again", d.CreateGoal(t.Context(), bought), 1, 1, false)
	other := bought
	other.DurationMs, other.On = 5000, sites.Pattern{}
	err := d.CreateGoal(t.Context(), other)
	if conflict, ok := errors.AsType[*sites.GoalConflictError](err); !ok || !strings.Contains(conflict.Error(),
		"page:/thanks, not a session of 5s") {
		t.Errorf("created as another: %v, want a conflict that names both", err)
	}
	d.IfRevision = new(int64(7))
	err = d.UpdateGoal(t.Context(), "bought", sites.GoalChanges{NoValue: true})
	if conflict, ok := errors.AsType[*sites.RevisionError](err); !ok || conflict.Have != 1 || conflict.Want != 7 {
		t.Errorf("changed on another revision: %v, want a conflict of revisions 1 and 7", err)
	}
	d.IfRevision = new(int64(1))
	minute := time.Minute
	g := check("changed", d.UpdateGoal(t.Context(), "bought", sites.GoalChanges{Duration: &minute, Value: new(int64(2_500_000)),
		Inactive: new(true)}), 1, 2, false)
	if g.On != "" || g.DurationMs != 60_000 || g.Value == nil || *g.Value != "2.5" || g.Active {
		t.Errorf("changed: %+v, want an inactive one of a minute that is worth 2.5", g)
	}
	d.IfRevision = nil
	check("changed to what it is", d.UpdateGoal(t.Context(), "bought", sites.GoalChanges{Duration: &minute}), 1, 2, false)
	check("deleted", d.DeleteGoal(t.Context(), "bought"), 1, 3, true)
	check("deleted again", d.DeleteGoal(t.Context(), "bought"), 1, 3, true)
	if err := d.UpdateGoal(t.Context(), "bought", sites.GoalChanges{Duration: &minute}); !errors.As(err, new(*sites.UnknownGoalError)) {
		t.Errorf("a deleted goal changed: %v, want it unknown", err)
	}
	check("created anew", d.CreateGoal(t.Context(), bought), 2, 4, false)
	if s := show(t, table, "shop"); !s.Site.Created || s.Site.CreatedAt == nil || s.Site.Revision != 4 {
		t.Errorf("the site is %+v, want it to have metadata of revision 4", s.Site)
	}
}

func TestGoalsOfNobodyAreRefused(t *testing.T) {
	table := newTable(t)
	if err := decision(table, "nowhere").CreateGoal(t.Context(), bought); err == nil || !strings.Contains(err.Error(), "site create") {
		t.Errorf("a goal of a site that nobody knows: %v, want an error with the remedy", err)
	}
	if err := decision(table, "").CreateGoal(t.Context(), bought); err == nil || !strings.Contains(err.Error(), "name the siteId") {
		t.Errorf("a goal of a site without an id: %v, want an error with the remedy", err)
	}
	counted(t, table, "shop")
	d := decision(table, "shop")
	for what, err := range map[string]error{"deleted": d.DeleteGoal(t.Context(), "never"),
		"changed": d.UpdateGoal(t.Context(), "never", sites.GoalChanges{NoValue: true})} {
		if unknown, ok := errors.AsType[*sites.UnknownGoalError](err); !ok || !strings.Contains(unknown.Error(), "goal create") {
			t.Errorf("a goal that never was, %s: %v; want it unknown, with the remedy", what, err)
		}
	}
	if err := d.CreateGoal(t.Context(), sites.Goal{ID: "empty"}); err == nil {
		t.Error("a goal that nothing reaches was created")
	}
	if s := show(t, table, "shop"); s.Site.Revision != 0 {
		t.Errorf("refused decisions have made revision %d", s.Site.Revision)
	}
}

// TestGoalsOfManyWritersAtOnce: each is decided on top of what the others did, and each has a number of its own.
func TestGoalsOfManyWritersAtOnce(t *testing.T) {
	const writers = 8
	table := newTable(t)
	counted(t, table, "shop")
	var wg sync.WaitGroup
	for i := range writers {
		wg.Go(func() {
			g := bought
			g.ID = fmt.Sprint("goal ", i)
			if err := decision(table, "shop").CreateGoal(t.Context(), g); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	a, err := query.NewOf(table, keys, time.Now).Goals(t.Context(), query.GoalsParams{Site: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	numbers := make(map[uint64]bool)
	for _, g := range a.Goals {
		numbers[g.Number] = true
	}
	if len(a.Goals) != writers || len(numbers) != writers || !numbers[writers] {
		t.Errorf("goals %+v, want %d with the numbers 1 to %d", a.Goals, writers, writers)
	}
}

// TestGoalThatWasNotPublishedIsRepaired: who appended the revision got no further; repeating publishes it, and makes no other.
func TestGoalThatWasNotPublishedIsRepaired(t *testing.T) {
	table := newTable(t)
	counted(t, table, "shop")
	cut := &unpublished{Table: table}
	if err := decision(cut, "shop").CreateGoal(t.Context(), bought); err == nil {
		t.Fatal("the goal was published")
	}
	if g := goalOf(t, table, "shop", "bought"); g != nil {
		t.Fatalf("the goal is there: %+v", g)
	}
	if err := decision(table, "shop").CreateGoal(t.Context(), bought); err != nil {
		t.Fatal(err)
	}
	if g := goalOf(t, table, "shop", "bought"); g == nil || g.Number != 1 || g.Revision != 1 {
		t.Errorf("goal %+v, want that of revision 1", g)
	}
}

// unpublished is a table that takes revisions of the rules and nothing else.
type unpublished struct{ sinks.Table }

func (u *unpublished) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if p.Item[sinks.AttrEntity].Str() == sinks.EntityRules {
		return u.Table.Put(ctx, p)
	}
	return sinks.Result{}, errors.New("gone")
}

func TestParseValue(t *testing.T) {
	for text, want := range map[string]int64{"12.5": 12_500_000, "0": 0, "-0.000001": -1, "999999999.999999": sites.MaxGoalValue,
		"7": 7_000_000, "007": 7_000_000} {
		if n, err := sites.ParseValue(text); n != want || err != nil {
			t.Errorf("ParseValue(%q) = %d, %v; want %d", text, n, err, want)
		}
	}
	for _, text := range []string{"", "-", ".5", "1.", "1.0000001", "1000000000", "1e3", "+1", "--1", "1,5", " 1", "1.-5"} {
		if n, err := sites.ParseValue(text); err == nil {
			t.Errorf("ParseValue(%q) = %d, want an error", text, n)
		}
	}
}

// TestGoalsSaySinceWhen: a goal counts from its revision on, or from when it was first active; where nothing was counted yet, from the
// beginning. Changes do not move that.
func TestGoalsSaySinceWhen(t *testing.T) {
	table := newTable(t)
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, keys, "s"); err != nil {
		t.Fatal(err)
	}
	hour := keys.HourStats("s", now.UnixMilli())
	first, second := now.Add(time.Minute), now.Add(2*time.Minute)
	check := func(what, id string, err error, want *time.Time) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		g := goalOf(t, table, "s", id)
		if (g.Since == nil) != (want == nil) || want != nil && !g.Since.Equal(*want) {
			t.Errorf("%s: since %v, want %v", what, g.Since, want)
		}
	}
	early, late, idle := bought, bought, bought
	early.ID, late.ID, idle.ID, idle.Inactive = "early", "late", "idle", true
	check("before anything was counted", "early", decisionAt(table, now).CreateGoal(t.Context(), early), nil)
	_, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(hour.PK), sinks.AttrSK: sinks.Str(hour.SK)}})
	if err != nil {
		t.Fatal(err)
	}
	check("created", "late", decisionAt(table, first).CreateGoal(t.Context(), late), &first)
	check("created again", "late", decisionAt(table, second).CreateGoal(t.Context(), late), &first)
	check("changed", "late", decisionAt(table, second).UpdateGoal(t.Context(), "late", sites.GoalChanges{Name: new("x"), Inactive: new(true)}),
		&first)
	check("active again", "late", decisionAt(table, second).UpdateGoal(t.Context(), "late", sites.GoalChanges{Inactive: new(false)}), &first)
	check("created inactive", "idle", decisionAt(table, first).CreateGoal(t.Context(), idle), &first)
	check("first active", "idle", decisionAt(table, second).UpdateGoal(t.Context(), "idle", sites.GoalChanges{Inactive: new(false)}), &second)
	check("deleted", "late", decisionAt(table, second).DeleteGoal(t.Context(), "late"), &first)
	check("another of its id", "late", decisionAt(table, second).CreateGoal(t.Context(), late), &second)
}
