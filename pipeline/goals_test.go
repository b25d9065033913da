package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// hit is an event of site s: its session ("": none), the second of event time since the bubble began, what it is and its value.
func hit(session string, second int, what string, value float64) record {
	e := map[string]any{"siteId": "s", "timestamp": bubbleStart.Add(time.Duration(second) * time.Second).UnixMilli(),
		"visitorId": "v " + session, "type": what, "id": fmt.Sprint(session, second, what)}
	if session != "" {
		e["sessionId"] = session
	}
	if strings.HasPrefix(what, "/") {
		e["type"], e["url"] = "page_view", "https://s.example"+what
	}
	if what == "crawl" {
		e["userAgent"] = "curl/8.5.0"
	}
	if value != 0 {
		e["value"] = value
	}
	return record{Key: "s", At: bubbleStart.Add(time.Minute), Value: mustJSON(e)}
}

// goalsOf makes rules of goals, which have the numbers 1, 2 and so on.
func goalsOf(t *testing.T, goals ...sites.Goal) *sites.Rules {
	t.Helper()
	s := new(sites.Rules)
	for i, g := range goals {
		g.ID = fmt.Sprint("goal ", i+1)
		if err := s.AddGoal(g); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// conversions lists those of site s as "number session@second value", in order.
func (w *world) conversions() (list []string) {
	w.T.Helper()
	for nn := range sinks.DefaultShards {
		page, err := w.Table.Query(w.T.Context(), sinks.Query{PK: sinks.Keys{}.Shard("s", nn), Prefix: sinks.ConversionPrefix, Consistent: true})
		if err != nil {
			w.T.Fatal(err)
		}
		for _, it := range page.Items {
			session := it[sinks.AttrSessionID].Str()
			if strings.HasPrefix(session, "~") {
				session = "visit"
			}
			text := fmt.Sprintf("%d %s@%d", it[sinks.AttrGoalNumber].Int(), session, (it[sinks.AttrAt].Int()-bubbleStart.UnixMilli())/1000)
			if v := it[sinks.AttrValueMicros]; v.Kind() == sinks.Number {
				text += fmt.Sprintf(" %g", float64(v.Int())/1e6)
			}
			list = append(list, text)
		}
	}
	slices.Sort(list)
	return list
}

// TestSessionReachesAGoalOnce: who reaches a goal, by which event, when, and what it is worth.
func TestSessionReachesAGoalOnce(t *testing.T) {
	t.Parallel()
	page := sites.Goal{On: sites.Pattern{On: sites.OnPage, How: sites.MatchPrefix, Text: "/thanks"}}
	buy := sites.Goal{On: sites.Pattern{On: sites.OnEvent, Type: "buy"}}
	worth, resting := page, page
	worth.Value, resting.Inactive = new(int64(2_500_000)), true
	stay := sites.Goal{DurationMs: 60_000}
	for _, c := range []struct {
		name   string
		goals  []sites.Goal
		events []record
		want   []string
	}{
		{"by the first of its events that is meant", []sites.Goal{page}, []record{hit("a", 0, "/", 0), hit("a", 5, "/thanks", 0),
			hit("a", 9, "/thanks/2", 0)}, []string{"1 a@5"}},
		{"in the order of the log, not of event time", []sites.Goal{page}, []record{hit("a", 50, "/thanks", 0), hit("a", 5, "/thanks", 0)},
			[]string{"1 a@50"}},
		{"each session for itself", []sites.Goal{page}, []record{hit("a", 1, "/thanks", 0), hit("b", 2, "/thanks", 0), hit("c", 2, "/", 0)},
			[]string{"1 a@1", "1 b@2"}},
		{"a visit as well", []sites.Goal{page}, []record{hit("", 1, "/thanks", 0), hit("", 7, "/thanks", 0), hit("", -1801, "/thanks", 0)},
			[]string{"1 visit@-1801", "1 visit@1"}},
		{"two goals by one event", []sites.Goal{page, worth}, []record{hit("a", 5, "/thanks", 0)}, []string{"1 a@5", "2 a@5 2.5"}},
		{"with the value of the event", []sites.Goal{buy}, []record{hit("a", 5, "buy", 12.5), hit("a", 6, "buy", 99)}, []string{"1 a@5 12.5"}},
		{"with the goal's value before that of the event", []sites.Goal{worth}, []record{hit("a", 5, "/thanks", 7)}, []string{"1 a@5 2.5"}},
		{"not one that rests", []sites.Goal{resting}, []record{hit("a", 5, "/thanks", 0)}, nil},
		{"not by what a bot does", []sites.Goal{{On: sites.Pattern{On: sites.OnEvent, Type: "crawl"}}}, []record{hit("a", 5, "crawl", 0)}, nil},
		{"by lasting so long", []sites.Goal{stay}, []record{hit("a", 0, "/", 0), hit("a", 59, "/", 0), hit("a", 60, "/", 3),
			hit("a", 70, "/", 0)}, []string{"1 a@60"}},
		{"by a late event that makes it so long", []sites.Goal{stay}, []record{hit("a", 0, "/", 0), hit("a", 30, "/", 0), hit("a", -30, "/", 0)},
			[]string{"1 a@-30"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, 1, func(t *testing.T, w *world) {
				w.Decide("s", goalsOf(t, c.goals...))
				o := w.Options()
				run := w.Start(o)
				w.Produce(c.events...)
				w.Settled()
				run.Drain()
				if got := w.conversions(); !slices.Equal(got, c.want) {
					t.Errorf("conversions %q, want %q", got, c.want)
				}
				w.Exact(o)
			})
		})
	}
}

// TestConversionIsBookedAtItsOwnTime: in the hour and the day of its event, whenever the session began.
func TestConversionIsBookedAtItsOwnTime(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Decide("s", goalsOf(t, sites.Goal{On: sites.Pattern{On: sites.OnEvent, Type: "buy"}}))
		o := w.Options()
		run := w.Start(o)
		w.Produce(hit("a", -10, "/", 0), hit("a", 10, "buy", 5), hit("b", -20, "buy", 0.5), hit("c", 20, "buy", 0))
		w.Settled()
		run.Drain()
		start := bubbleStart.UnixMilli() // 2000-01-01T00:00:00Z
		for hour, want := range map[int64][4]int64{start - 3600_000: {1, 1, 500_000, 2}, start: {2, 2, 5_000_000, 1}} {
			it := w.Item(sinks.Keys{}.HourStats("s", hour))
			have := [4]int64{it[sinks.AttrConversions].Int(), it[sinks.AttrGoalCount(1)].Int(), it[sinks.AttrGoalValue(1)].Int(),
				it[sinks.AttrSessions].Int()}
			if have != want {
				t.Errorf("hour %s has %v conversions, of the goal, their value, sessions; want %v", sinks.Hour(hour), have, want)
			}
		}
		w.Exact(o)
	})
}

// TestRedoFindsTheSameConversions: a step whose sessions and conversions are in the table, and whose hours are not, is done again
// by another process, after the goals have changed.
func TestRedoFindsTheSameConversions(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		buy := sites.Goal{On: sites.Pattern{On: sites.OnEvent, Type: "buy"}}
		w.Decide("s", goalsOf(t, buy))
		w.killedMidStep([]record{hit("a", 0, "/", 0), hit("a", 1, "buy", 3), hit("b", 2, "buy", 4)})
		later := goalsOf(t, buy, sites.Goal{On: sites.Pattern{On: sites.OnPage, How: sites.MatchExact, Text: "/"}})
		later.Goals[0].Inactive = true
		w.Decide("s", later)
		o := w.Options()
		run := w.Start(o)
		w.Settled()
		if got, want := w.conversions(), []string{"1 a@1 3", "1 b@2 4"}; !slices.Equal(got, want) {
			t.Errorf("conversions %q, want %q", got, want)
		}
		it := w.Item(sinks.Keys{}.HourStats("s", bubbleStart.UnixMilli()))
		if n, value := it[sinks.AttrConversions].Int(), it[sinks.AttrGoalValue(1)].Int(); n != 2 || value != 7_000_000 {
			t.Errorf("the hour has %d conversions of %d millionths, want 2 of 7,000,000", n, value)
		}
		w.Produce(hit("b", 3, "buy", 1), hit("b", 4, "/", 0), hit("c", 5, "buy", 1))
		w.Settled()
		run.Drain()
		if got, want := w.conversions(), []string{"1 a@1 3", "1 b@2 4", "2 b@4"}; !slices.Equal(got, want) {
			t.Errorf("conversions %q under the new rules, want %q", got, want)
		}
		w.Exact(o)
	})
}

// TestGoalCreatedAnewIsAnother: a session that has reached the first of two goals of one id reaches the second too, and both
// conversions stay.
func TestGoalCreatedAnewIsAnother(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		s := goalsOf(t, sites.Goal{On: sites.Pattern{On: sites.OnEvent, Type: "buy"}})
		w.Decide("s", s)
		o := w.Options()
		run := w.Start(o)
		w.Produce(hit("a", 1, "buy", 0))
		w.Settled()
		anew := s.Goals[0]
		s.DeleteGoal(anew.ID)
		if err := s.AddGoal(anew); err != nil {
			t.Fatal(err)
		}
		w.Decide("s", s)
		w.Pass(time.Minute) // Until it is known.
		w.Produce(hit("a", 2, "buy", 0))
		w.Settled()
		run.Drain()
		if got, want := w.conversions(), []string{"1 a@1", "2 a@2"}; !slices.Equal(got, want) {
			t.Errorf("conversions %q, want %q", got, want)
		}
		if r := w.report(); r.Compared["conversion"] != 2 || r.Compared["goal"] != 1 {
			t.Errorf("compared %v, want two conversions and a goal", r.Compared)
		}
		w.Exact(o)
	})
}

// TestConversionBehindItsRetentionIsCounted: it is not written any more, and counted as expired; the hour's sums have it.
func TestConversionBehindItsRetentionIsCounted(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		s := goalsOf(t, sites.Goal{On: sites.Pattern{On: sites.OnEvent, Type: "buy"}})
		s.Days = map[string]int64{sinks.AttrSessionDays: 1}
		w.Decide("s", s)
		o := w.Options()
		run := w.Start(o)
		w.Produce(hit("a", -25*3600, "buy", 0), hit("b", -23*3600, "buy", 0))
		w.Settled()
		run.Drain()
		if got, want := w.conversions(), []string{fmt.Sprintf("1 b@%d", -23*3600)}; !slices.Equal(got, want) {
			t.Errorf("conversions %q, want %q", got, want)
		}
		hour := bubbleStart.Add(-25 * time.Hour).UnixMilli()
		if n := w.Stats(sinks.Keys{}.HourStats("s", hour), sinks.AttrConversions); n != 1 {
			t.Errorf("the hour has %d conversions, want 1", n)
		}
		r := w.report()
		if r.DifferenceCount > 0 || r.LeftOutKinds["its retention has passed"]["conversion"] != 1 {
			t.Errorf("differences %v, left out %v; want the conversion left out", r.Differences, r.LeftOutKinds)
		}
	})
}

// TestSessionThatHasReachedAllItCan meets another goal, reaches none by it, and that is counted.
func TestSessionThatHasReachedAllItCan(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		visit := sites.Goal{On: sites.Pattern{On: sites.OnPage, How: sites.MatchPrefix, Text: "/"}}
		goals := make([]sites.Goal, sites.MaxGoals)
		for i := range goals {
			goals[i] = visit
		}
		s := goalsOf(t, goals...)
		s.LastGoal = 200 // Of two bytes each: a session can reach 64.
		for i := range s.Goals {
			s.Goals[i].N = uint64(151 + i)
		}
		w.Decide("s", s)
		o := w.Options()
		run := w.Start(o)
		w.Produce(hit("a", 1, "/", 0))
		w.Settled()
		more := &sites.Rules{LastGoal: 200}
		for i := range goals {
			g := visit
			g.ID = fmt.Sprint("more ", i)
			if err := more.AddGoal(g); err != nil {
				t.Fatal(err)
			}
		}
		w.Decide("s", more)
		w.Pass(time.Minute)
		w.Produce(hit("a", 2, "/", 0))
		w.Settled()
		run.Drain()
		if n := len(w.conversions()); n != 64 {
			t.Errorf("%d conversions, want 64", n)
		}
		w.Exact(o)
	})
}

// TestGoalsOfSessionsAlone: an event of no session, where visits are not found, reaches nothing.
func TestGoalsOfSessionsAlone(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.Decide("s", goalsOf(t, sites.Goal{On: sites.Pattern{On: sites.OnEvent, Type: "buy"}}))
		o := w.Options()
		o.Settings.VisitGapMs = 0
		run := w.Start(o)
		w.Produce(hit("", 1, "buy", 0), hit("a", 1, "buy", 0))
		w.Settled()
		run.Drain()
		if got, want := w.conversions(), []string{"1 a@1"}; !slices.Equal(got, want) {
			t.Errorf("conversions %q, want %q", got, want)
		}
		w.Exact(o)
	})
}
