package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// TestListsCountAsItems: a flush of new sites has for each an hour, a day, a session, a list and an admission, and ends early by all five.
func TestListsCountAsItems(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		const sites = 5500
		var records []record
		for i := range sites {
			records = append(records, record{Key: "k", At: bubbleStart, Value: mustJSON(map[string]any{"siteId": fmt.Sprint("s", i), "id": "e",
				"type": "page_view", "timestamp": bubbleStart.UnixMilli(), "visitorId": "v", "sessionId": "a"})})
		}
		w.Produce(records...)
		o := w.Options()
		o.StatsInterval, o.Settings.Breakdowns, o.Settings.NewSites, o.Limits.StepItems = time.Hour, 0, 0, 12_000
		run := w.Start(o)
		w.Settled()
		run.Drain()
		if c := w.Checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); !c.Done || c.To != sites || c.Step != 3 {
			t.Errorf("%d sites are in %d flushes, want 3: two of 2,400 to 2,700, and the rest", c.To, c.Step)
		}
	})
}

// TestRedoListsByTheSameRecord: a process dies at any request of a step that learns a session's visitor by its second record, which comes
// after midnight. The redo finds the visitor in the item, and lists the session until the same day.
func TestRedoListsByTheSameRecord(t *testing.T) {
	t.Parallel()
	of := func(minute int, visitor string) record {
		e := map[string]any{"siteId": "s", "type": "page_view", "sessionId": "a", "id": fmt.Sprint(minute),
			"timestamp": bubbleStart.Add(time.Duration(minute) * time.Minute).UnixMilli()}
		if visitor != "" {
			e["visitorId"] = visitor
		}
		return record{Key: "k", At: bubbleStart, Value: mustJSON(e)}
	}
	records := []record{of(-3, ""), of(-2, ""), of(1, "v"), of(2, "v")}
	kills, stride := 0, slow.Every(t, 4)
	for killed := true; killed && !t.Failed(); kills += stride {
		killed = false
		inWorld(t, 1, func(t *testing.T, w *world) {
			trial{1, records, dying(t, kills+1, true, []int{1, len(records) - 1}, &killed)}.in(w)
			w.Recounted() // Among all else, until when the lists are kept.
		})
	}
	if kills < 7+stride {
		t.Errorf("only %d requests were made", kills)
	}
}
