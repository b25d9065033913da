package manage

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/retry"
)

// dynamoURL is that of a fresh table of DynamoDB Local that knows the site shop.
func dynamoURL(t *testing.T) string {
	t.Helper()
	name := "footfall-" + rand.Text()
	testenv.SetAWS(t)
	client, err := dynamo.Connect(t.Context(), dynamo.ConnectOptions{AttemptTimeout: testenv.AttemptTimeout})
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, name)
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	patient := retry.Policy{Within: testenv.AttemptTimeout}.Table(table)
	if _, err := sinks.EnsureSiteEntry(t.Context(), patient, sinks.Keys{}, "shop"); err != nil {
		t.Fatal(err)
	}
	return "dynamodb://" + name
}

func TestGoalCommands(t *testing.T) { testGoalCommands(t, clitest.TableURL(t)) }

func TestRealGoalCommands(t *testing.T) { testGoalCommands(t, dynamoURL(t)) }

// testGoalCommands goes through the life of goals: created, refused as others, listed by pages, changed, deleted, not found.
func testGoalCommands(t *testing.T, url string) {
	run := func(code int, says string, args ...string) (out string) {
		t.Helper()
		got, out, errs := clitest.Footfall(t, append(args, "--table", url)...)
		if got != code || !strings.Contains(out+errs, says) {
			t.Fatalf("%q: exit %d, out %q, err %q; want exit %d and %q", args, got, out, errs, code, says)
		}
		return out
	}
	out := run(0, "", "goal", "create", "shop", "bought", "--on", "page:/thanks", "--value", "2.5", "--name", "Bought", "-o", "json")
	var a query.GoalAnswer
	if err := json.Unmarshal([]byte(out), &a); err != nil || a.Goal == nil || a.Goal.On != "page:/thanks" || *a.Goal.Value != "2.5" ||
		a.Goal.Number != 1 ||
		a.Goal.Revision != 1 || !a.Goal.Active {
		t.Errorf("created: %s (%v)", out, err)
	}
	run(0, "page:/thanks", "goal", "create", "shop", "bought", "--on", "page:/thanks", "--value", "2.5", "--name", "Bought")
	run(1, "already exists as page:/thanks", "goal", "create", "shop", "bought", "--on", "page:/other")
	run(1, "has revision 1, not 7", "goal", "update", "shop", "bought", "--inactive", "--if-revision", "7")
	run(0, "page-prefix:/thanks", "goal", "update", "shop", "bought", "--on", "page-prefix:/thanks", "--no-value", "--inactive",
		"--if-revision", "1")
	run(1, `site "nowhere" is not known`, "goal", "create", "nowhere", "bought", "--on", "page:/thanks")
	run(1, `site "shop" has no goal "never"`, "goal", "update", "shop", "never", "--inactive")
	run(1, `site "shop" has no goal "never"`, "goal", "delete", "shop", "never")
	run(command.CodeUnknown, "has never had this goal", "goal", "show", "shop", "never")
	run(command.CodeUnknown, `Site "nowhere" is not known`, "goal", "show", "nowhere", "bought")
	code, _, errs := clitest.Footfall(t, "goal", "create", "shop", "slashless", "--on", "page:thanks", "--table", url)
	if code != 0 || !strings.Contains(errs, "is /thanks meant?") {
		t.Errorf("a page without a slash: exit %d, err %q; want a warning", code, errs)
	}
	run(0, "slashless", "goal", "delete", "shop", "slashless")
	for i := range 4 {
		run(0, "a session of 1m", "goal", "create", "shop", fmt.Sprint("stayed ", i), "--duration", "1m")
	}
	var ids []string
	for cursor := ""; ; {
		var l query.GoalsAnswer
		out := run(0, "", "goal", "list", "shop", "--limit", "2", "-o", "json", "--cursor", cursor)
		if err := json.Unmarshal([]byte(out), &l); err != nil || len(l.Goals) > 2 {
			t.Fatalf("list: %s (%v)", out, err)
		}
		for _, g := range l.Goals {
			ids = append(ids, g.ID)
		}
		if cursor = l.Cursor; cursor == "" {
			break
		}
	}
	if got, want := strings.Join(ids, ", "), "bought, stayed 0, stayed 1, stayed 2, stayed 3"; got != want {
		t.Errorf("goals %s, want %s", got, want)
	}
	run(0, " yes ", "goal", "delete", "shop", "stayed 1")
	run(0, " yes ", "goal", "delete", "shop", "stayed 1")
	if out := run(0, "stayed 2", "goal", "list", "shop"); strings.Contains(out, "stayed 1") {
		t.Errorf("a deleted goal is listed:\n%s", out)
	}
	run(0, "stayed 1", "goal", "list", "shop", "--deleted")
	run(0, "In all", "query", "goals", "shop")
	run(0, "None.", "query", "conversions", "shop", "bought")
	run(0, "The goal was deleted", "query", "conversions", "shop", "stayed 1")
	run(command.CodeUnknown, "has never had this goal", "query", "conversions", "shop", "never")
	run(command.CodeUnknown, `Site "nowhere" is not known`, "query", "conversions", "nowhere", "bought")
}

func TestGoalCommandLines(t *testing.T) {
	url := clitest.TableURL(t)
	for _, c := range []struct {
		says string
		args []string
	}{
		{"nothing reaches the goal", []string{"create", "shop", "g"}},
		{"--on pattern", []string{"create", "shop", "g", "--on", "thanks"}},
		{"is not a regular expression", []string{"create", "shop", "g", "--on", "page-regexp:("}},
		{"give whole milliseconds", []string{"create", "shop", "g", "--duration", "0s"}},
		{"give whole milliseconds", []string{"create", "shop", "g", "--duration", "999us"}},
		{"give whole milliseconds", []string{"create", "shop", "g", "--duration", (sites.MaxGoalDuration + time.Millisecond).String()}},
		{"write a decimal", []string{"create", "shop", "g", "--on", "page:/", "--value", "1e3"}},
		{"shorten it to 64", []string{"create", "shop", strings.Repeat("g", 65), "--on", "page:/"}},
		{"choose one", []string{"create", "shop", "g", "--on", "page:/", "--duration", "1m"}},
		{"there is nothing to change", []string{"update", "shop", "g"}},
		{"--if-revision -1", []string{"delete", "shop", "g", "--if-revision", "-1"}},
		{"table, json or csv", []string{"delete", "shop", "g", "-o", "xml"}},
	} {
		code, _, errs := clitest.Footfall(t, append(append([]string{"goal"}, c.args...), "--table", url)...)
		if code != command.CodeUsage || !strings.Contains(errs, c.says) {
			t.Errorf("%q: exit %d, err %q; want exit 2 and %q", c.args, code, errs, c.says)
		}
	}
	for _, d := range []time.Duration{time.Millisecond, sites.MaxGoalDuration} {
		if code, _, errs := clitest.Footfall(t, "goal", "create", "shop", "of "+d.String(), "--duration", d.String(), "--table", url); code != 0 {
			t.Errorf("--duration %v: exit %d, err %q; want the first and the last that are allowed to be taken", d, code, errs)
		}
	}
}
