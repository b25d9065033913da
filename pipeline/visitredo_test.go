package pipeline_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
)

// visitsOf are page views of one visitor without a sessionId, minutes after the start by event time.
func visitsOf(visitor string, minutes ...int) []record {
	records := make([]record, len(minutes))
	for i, m := range minutes {
		records[i] = record{Key: "k", At: bubbleStart, Value: mustJSON(map[string]any{"siteId": "s", "type": "page_view",
			"timestamp": bubbleStart.Add(time.Duration(m) * time.Minute).UnixMilli(), "visitorId": visitor, "id": fmt.Sprint(m, " ", i),
			"url": fmt.Sprintf("/p%d", i%3)})}
	}
	return records
}

// TestRedoFindsTheSameVisits: a process dies at any request, so that a visitor's item has the step and its visits' items
// have not, or the other way round. The redo names every visit as it was named, in all of them.
func TestRedoFindsTheSameVisits(t *testing.T) {
	t.Parallel()
	// Visits that overlap, then more than are remembered, and one that was forgotten.
	records := visitsOf("v", -60, 0, -30, -55, 0, -200, -300, -400, -500, -600, -700, -800, -900, -60, -830, -45)
	want := calm(t, 1, records)
	kills, stride := 0, slow.Every(t, 4)
	for killedAt(t, kills+1, true, records, []int{8, 8}, want) {
		kills += stride
	}
	if kills < 30 {
		t.Errorf("only %d requests were made", kills)
	}
}

// TestVisitsAreOff: without a gap, events without a sessionId are in no session and no visitor is remembered; with one
// again, visits continue where they were.
func TestVisitsAreOff(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		on, off := w.With(w.Table, 0), w.With(w.Table, 0)
		off.Settings.VisitGapMs = 0
		w.Folded(on, visitsOf("v", 0))
		w.Folded(off, visitsOf("v", 5))
		w.Folded(on, visitsOf("v", 7))
		visit := sinks.VisitID{Visitor: sinks.VisitorHash("v"), TP: sinks.TP{Topic: 1}}.String()
		it := shownOf(w.Item(sinks.Keys{}.Session("s", visit, sinks.TP{Topic: 1}, sinks.DefaultShards)))
		if it[sinks.AttrEvents].Int() != 2 || it[sinks.AttrDurationMs].Int() != 7*60_000 || it[sinks.AttrVisitorID].Str() != "v" {
			t.Errorf("the visit is %v, want the first event and the third", it)
		}
		day := w.Item(sinks.Keys{}.DayStats("s", bubbleStart.UnixMilli()))
		if day[sinks.AttrEvents].Int() != 3 || day[sinks.AttrSessions].Int() != 1 {
			t.Errorf("the day is %v, want 3 events and a session", day)
		}
		w.recounts(3)
	})
}

// TestExpiredVisitorsAreNotWritten: nothing is written to a visitor's item once the retention of its last visit has passed,
// and a visit that comes then makes it again, with its visitorId.
func TestExpiredVisitorsAreNotWritten(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.With(w.Table, 0)
		o.Settings.LateMs, o.Settings.Retention.SessionDays = -1, 1
		key := sinks.Keys{}.VisitorState("s", "v", sinks.TP{Topic: 1}, sinks.DefaultShards)
		w.Folded(o, visitsOf("v", -49*60))
		if it := w.Item(key); it != nil {
			t.Errorf("two days after its only visit the visitor is %v", it)
		}
		w.Folded(o, visitsOf("v", 0))
		if it := w.Item(key); it[sinks.AttrVisitorID].Str() != "v" || it[sinks.AttrTTL].Int() != bubbleStart.Unix()+86_400 {
			t.Errorf("the visitor is %v, want one who expires in a day", it)
		}
		w.Pass(25 * time.Hour)
		next := visitsOf("v", 24*60+30)
		next[0].At = time.Now()
		w.Folded(o, next)
		if it := w.Item(key); it[sinks.AttrVisitorID].Str() != "v" ||
			it[sinks.AttrEndedAt].Int() != bubbleStart.Add(24*time.Hour+30*time.Minute).UnixMilli() {
			t.Errorf("the visitor is %v, want one whose last visit was half an hour ago", it)
		}
	})
}
