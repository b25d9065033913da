package pipeline_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/sinks"
)

// TestSiteBeyondItsBudgetKeepsItsTotals: a site has a budget of one event a second. 60 events of a minute are in sessions and breakdowns,
// and the rest in the sums alone, however many flushes and owners the minute has. Another site is not affected.
func TestSiteBeyondItsBudgetKeepsItsTotals(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		w.Decide("busy", &sites.Rules{Name: "Busy", EventsPerSecond: 1})
		hour := bubbleStart.Truncate(time.Hour)
		events, sessions, over := int64(0), int64(0), int64(0)
		for _, c := range []struct {
			text   string
			after  time.Duration // from the first minute to the records
			clicks int
			more   int64 // that are within the budget
		}{
			{"40 of the minute are within the budget", 0, 40, 40},
			{"of 40 more, with another owner, 20", 30 * time.Second, 40, 20},
			{"an earlier minute spends from the later one", -time.Minute, 10, 0},
			{"the next minute begins with none spent", time.Minute, 70, 60},
			{"a record that is dated far ahead moves the minute, and keeps the count", 2 * time.Hour, 61, 0},
			{"one far before moves it back, and keeps the count", time.Minute, 5, 0},
			{"and the minute after that begins with none", 2 * time.Minute, 5, 5},
			{"as does one up to ten minutes later", 12 * time.Minute, 61, 60},
		} {
			run := w.Start(o) // A new owner, with nothing in memory.
			for range c.clicks {
				for _, site := range []string{"busy", "calm"} {
					w.Produce(clickOf(site, hour.Add(20*time.Minute+c.after)))
				}
			}
			w.Settled()
			run.Drain()
			events, sessions, over = events+int64(c.clicks), sessions+c.more, over+int64(c.clicks)-c.more
			have := w.Item(sinks.Keys{}.DayStats("busy", bubbleStart.UnixMilli()))
			if have[sinks.AttrEvents].Int() != events || have[sinks.AttrOverBudgetEvents].Int() != over {
				t.Errorf("%s: events %v, over budget %v; want %d and %d", c.text, have[sinks.AttrEvents], have[sinks.AttrOverBudgetEvents], events,
					over)
			}
		}
		if have := w.Item(sinks.Keys{}.DayStats("calm", bubbleStart.UnixMilli())); have[sinks.AttrEvents].Int() != events ||
			have[sinks.AttrOverBudgetEvents].Kind() != sinks.None {
			t.Errorf("a site without a budget: %v", have)
		}
		session := shownOf(w.Item(sinks.Keys{}.Session("busy", "x", sinks.TP{Topic: 1}, sinks.DefaultShards)))
		if have := session[sinks.AttrEvents].Int(); have != sessions {
			t.Errorf("the session has %d events, want %d", have, sessions)
		}
		if it := w.Item(sinks.Keys{}.Budget("calm", sinks.TP{Topic: 1})); it != nil {
			t.Errorf("a site without a budget has the item %v", it)
		}
		w.Exact(o)
	})
}
