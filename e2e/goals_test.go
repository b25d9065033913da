//go:build unix

package e2e

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/realdata"
	"github.com/footfall/footfall/internal/slow"
)

// goalsRecounted is what scripts/recount-goals printed about the goals of testdata/goals.json, which it read from the same data.
const goalsRecounted = "testdata/goals-recounted.json"

// aim is a goal that was recounted.
type aim struct {
	Data, Goal, Site string
	On               json.RawMessage
	DurationMs       int64
	Value            json.Number
}

// aimed is what came of a goal.
type aimed struct {
	Sessions    int64            `json:"sessions"` // of its site
	Conversions int64            `json:"conversions"`
	ValueSum    string           `json:"valueSum"`
	Days        map[string]int64 `json:"days"`
	Digest      string           `json:"digest"` // of all conversions
}

// TestRecountOfGoalsIsThatOfTheScript: what is compared with is what the script prints.
func TestRecountOfGoalsIsThatOfTheScript(t *testing.T) {
	slow.Test(t)
	realdata.Recounted(t, "scripts/recount-goals", "e2e/"+goalsRecounted)
}

// Goals of real data are reached as an independent script counted them: how often, on which days, by which events, for how much.
func TestGoalsOfTheAccessLogAddUp(t *testing.T) {
	slow.Test(t)
	onEmbedded(t, func(t *testing.T, s *stage) {
		goals := s.aim(t, "access-log")
		if p := s.produce(t, "--from-file", realdata.Path(t, "access-log/apache_logs.gz"), "--count-assets", "--format", "combined", "--set",
			"siteId=www.example.com",
			"--visitor-salt", "fixed", "--create-topic", "--partitions", "4", "--retention", "never"); p.Sent != 9999 {
			t.Fatalf("produce says %+v, want 9,999 sent", p)
		}
		s.checkGoals(t, goals)
	})
}

func TestGoalsOfWikitickerAddUp(t *testing.T) {
	slow.Test(t)
	onEmbedded(t, func(t *testing.T, s *stage) {
		goals := s.aim(t, "wikiticker")
		p := s.produce(t, "--from-file", realdata.Path(t, "wikiticker/wikiticker-2015-09-12-sampled.asfetched.json.gz"), "--format", "ndjson",
			"--map", "siteId=channel", "--map", "timestamp=time", "--map", "visitorId=user", "--map", "url=/wiki/{page}", "--map", "name=namespace",
			"--map", "value=delta", "--set", "type=page_view", "--create-topic", "--partitions", "4", "--retention", "never")
		if p.Sent != 39244 || p.Refused != 0 || p.Failed != 0 {
			t.Fatalf("produce says %+v, want 39,244 sent", p)
		}
		s.checkGoals(t, goals)
	})
}

// aim creates the sites of the data's goals, and the goals, before anything is published.
func (s *stage) aim(t *testing.T, data string) (goals []aim) {
	t.Helper()
	s.forever()
	s.countBots()
	s.set("FOOTFALL_BREAKDOWNS_ROWS", "0") // Nobody asks for them here.
	s.set("FOOTFALL_RAW_EVENTS", "off")
	s.execute(t, "table", "create")
	testdata(t, "testdata/goals.json", &goals)
	goals = slices.DeleteFunc(goals, func(g aim) bool { return g.Data != data })
	created := make(map[string]bool)
	for _, g := range goals {
		if !created[g.Site] {
			created[g.Site] = true
			s.execute(t, "site", "create", g.Site)
		}
		args := []string{"goal", "create", g.Site, g.Goal}
		if g.DurationMs > 0 {
			args = append(args, "--duration", (time.Duration(g.DurationMs) * time.Millisecond).String())
		} else {
			args = append(args, "--on", string(g.On))
		}
		if g.Value != "" {
			args = append(args, "--value", g.Value.String())
		}
		s.execute(t, args...)
	}
	if len(goals) == 0 {
		t.Fatalf("no goals of %s", data)
	}
	return goals
}

// checkGoals has a consumer count what was published, and compares what came of the goals.
func (s *stage) checkGoals(t *testing.T, goals []aim) {
	t.Helper()
	s.countAll(t)
	want := make(map[string]aimed)
	testdata(t, goalsRecounted, &want)
	for _, g := range goals {
		got := s.aimed(t, g)
		if w := want[g.Goal]; got.Sessions != w.Sessions || got.Conversions != w.Conversions || got.ValueSum != w.ValueSum ||
			!maps.Equal(got.Days, w.Days) {
			t.Errorf("goal %s: %s, the script counted %s", g.Goal, spelled(t, got), spelled(t, w))
		}
		lines := s.conversions(t, g)
		slices.Sort(lines)
		digest := fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(lines, ""))))
		if int64(len(lines)) != got.Conversions || digest != want[g.Goal].Digest {
			t.Errorf("goal %s: %d conversions are listed and %d counted, of digest %s; the script's have %s", g.Goal, len(lines), got.Conversions,
				digest, want[g.Goal].Digest)
		}
	}
}

// aimed asks for the counts of a goal by day.
func (s *stage) aimed(t *testing.T, g aim) aimed {
	t.Helper()
	type counts struct {
		Sessions int64
		Goals    []struct {
			GoalID, ValueSum string
			Conversions      int64
		}
	}
	var a struct {
		Buckets []struct {
			Start string
			counts
		}
		Totals counts
	}
	s.answer(t, &a, "query", "goals", g.Site, "--from", "2015-01-01", "--to", "2016-01-01", "--by", "day", "--limit", "400")
	got := aimed{Sessions: a.Totals.Sessions, Days: make(map[string]int64)}
	for _, goal := range a.Totals.Goals {
		if goal.GoalID == g.Goal {
			got.Conversions, got.ValueSum = goal.Conversions, goal.ValueSum
		}
	}
	for _, b := range a.Buckets {
		date, _, _ := strings.Cut(b.Start, "T")
		for _, goal := range b.Goals {
			if goal.GoalID == g.Goal && goal.Conversions > 0 {
				got.Days[date] = goal.Conversions
			}
		}
	}
	return got
}

// conversions lists the conversions of a goal, a page of a hundred and another after it, each as the script spells it.
func (s *stage) conversions(t *testing.T, g aim) (lines []string) {
	t.Helper()
	for cursor, limit := "", "100"; ; limit = "10000" {
		var a struct {
			Conversions []struct {
				At    time.Time
				Page  string
				Value *string
			}
			Cursor string
		}
		s.answer(t, &a, "query", "conversions", g.Site, g.Goal, "--limit", limit, "--cursor", cursor)
		for _, c := range a.Conversions {
			value := ""
			if c.Value != nil {
				value = *c.Value
			}
			lines = append(lines, fmt.Sprintf("%d %s %s\n", c.At.UnixMilli(), c.Page, value))
		}
		if cursor = a.Cursor; cursor == "" {
			return lines
		}
	}
}
