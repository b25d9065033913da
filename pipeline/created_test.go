package pipeline_test

import (
	"errors"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// honolulu is a site at whose clocks it is still 1999 when the events come.
var honolulu = sites.Definition{ID: "s", Zone: "Pacific/Honolulu"}

// clickOf is a click at another site than s.
func clickOf(id string, when time.Time) record {
	return record{Key: id, At: when, Value: mustJSON(map[string]any{"siteId": id, "type": "click", "timestamp": when.UnixMilli(),
		"sessionId": "x"})}
}

// TestCreatedSiteIsCountedByItsRulesAtOnce: in a process that has not looked at the rules since, and in a step that was begun
// under a revision before them.
func TestCreatedSiteIsCountedByItsRulesAtOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.StatsInterval = time.Minute
		run := w.Start(o)
		w.Settled()
		w.Produce(clickOf("other", bubbleStart))
		w.until("the other site is met", func() bool { return w.Item(sinks.Keys{}.SiteEntry("other")) != nil })
		if err := sites.Create(t.Context(), w.Table, sinks.Keys{}, honolulu, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.Produce(clickAt("a", bubbleStart))
		w.Settled()
		run.Drain()
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Rev != 0 {
			t.Errorf("the step names revision %d, and was begun before there was any", c.Rev)
		}
		day, err := sinks.ParseDay("1999-12-31")
		if err != nil {
			t.Fatal(err)
		}
		if n := w.Stats(sinks.Keys{}.DayStats("s", day), sinks.AttrEvents); n != 1 {
			t.Errorf("the day in Honolulu has %d events, want 1", n)
		}
		w.Exact(o)
	})
}

// TestRedoKnowsTheFirstRules: a step that was begun before a site was created, and has its events, is done again alike.
func TestRedoKnowsTheFirstRules(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.With(&killOnStats{Table: w.Table}, 0)
		o.StatsInterval = time.Minute
		run := w.Start(o)
		w.Produce(clickOf("other", bubbleStart))
		w.until("the other site is met", func() bool { return w.Item(sinks.Keys{}.SiteEntry("other")) != nil })
		if err := sites.Create(t.Context(), w.Table, sinks.Keys{}, honolulu, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.Produce(clickAt("a", bubbleStart))
		if err := <-run.Done; !errors.Is(err, errKilled) {
			t.Fatalf("Run = %v, want the kill", err)
		}
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); c.Rev != 0 || c.Done || c.To-c.From != 2 {
			t.Fatalf("checkpoint %+v, want an open step of both events under revision 0", c)
		}
		o = w.Options()
		run = w.Start(o)
		w.Settled()
		run.Drain()
		w.Exact(o)
	})
}

// TestCreationThatWasCutShortHoldsNobodyUp: the site is counted by the defaults, and no rules can hold from the beginning then.
func TestCreationThatWasCutShortHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		if _, err := sinks.ClaimSite(t.Context(), w.Table, sinks.Keys{}, "s", time.Now()); err != nil {
			t.Fatal(err)
		}
		o := w.Options()
		run := w.Start(o)
		w.Produce(clickAt("a", bubbleStart))
		w.Settled()
		err := sites.Create(t.Context(), w.Table, sinks.Keys{}, honolulu, time.Now())
		if _, conflict := errors.AsType[*sites.ConflictError](err); !conflict {
			t.Errorf("Create of a site that is counted = %v, want a conflict", err)
		}
		run.Drain()
		log, err := sites.ReadLog(t.Context(), w.Table, sinks.Keys{}, nil)
		if err != nil || log.Rev() != 1 || log.History("s")[0].Always || w.Stats(sinks.Keys{}.DayStats("s", bubbleStart.UnixMilli()),
			sinks.AttrEvents) != 1 {
			t.Errorf("revision %d, %v; want one without rules, and the event in the day of UTC", log.Rev(), err)
		}
		w.Exact(o)
	})
}
