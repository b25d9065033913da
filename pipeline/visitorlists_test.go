package pipeline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// sessionsOf are the ids of the sessions that a query lists of a visitor, one a page.
func (w *world) sessionsOf(site, visitor string) (ids []string) {
	w.t.Helper()
	r := query.New(w.table, sinks.Keys{}, time.Now)
	p := query.SessionsParams{Site: site, Visitor: visitor, Consistent: true, Paging: query.Paging{Limit: 1}}
	for {
		a, err := r.Sessions(w.t.Context(), p)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, s := range a.Sessions {
			ids = append(ids, s.SessionID)
		}
		if p.Cursor = a.Cursor; p.Cursor == "" {
			return ids
		}
	}
}

// buckets are those that a site's lists by visitor lie in, and how many lists there are.
func (w *world) buckets(site string) (names []string, lists int) {
	w.t.Helper()
	for _, it := range w.query(sinks.Keys{}.VisitorList(site), "") {
		bucket, _, _ := strings.Cut(it.Key().SK, "#")
		names = append(names, bucket)
		lists++
	}
	slices.Sort(names)
	return slices.Compact(names), lists
}

// TestVisitorsOfABusyFlushAreFound: a flush with many new sessions lists them in buckets, and each visitor's are found there.
func TestVisitorsOfABusyFlushAreFound(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		const visitors = 150
		var records []record
		for i := range 2 * visitors { // 300 sessions of one hour: 16 buckets of 18.
			visitor := fmt.Sprint("v", i%visitors)
			records = append(records, eventOf(visitor, fmt.Sprintf("%s-%d", visitor, i/visitors), fmt.Sprint(i), time.Duration(i)*time.Second))
		}
		w.produce(records...)
		o := w.options()
		o.StatsInterval = time.Minute
		run := w.start(o)
		w.settled()
		run.drain()
		if names, lists := w.buckets("s"); lists != 16 || len(names) != 16 || !strings.HasPrefix(names[0], "4-") {
			t.Errorf("%d lists in the buckets %q, want 16 of depth 4", lists, names)
		}
		for i := range visitors {
			visitor := fmt.Sprint("v", i)
			if got, want := w.sessionsOf("s", visitor), []string{visitor + "-0", visitor + "-1"}; !slices.Equal(got, want) {
				t.Errorf("sessions %q of visitor %s, want %q", got, visitor, want)
			}
		}
		w.recounted()
	})
}

// TestListsCountAsItems: a flush of new sites has for each an hour, a day, a session, a list and an admission, and ends early by all five.
func TestListsCountAsItems(t *testing.T) {
	slow.Test(t)
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		const sites = 5500
		var records []record
		for i := range sites {
			records = append(records, record{key: "k", at: bubbleStart, value: mustJSON(map[string]any{"siteId": fmt.Sprint("s", i), "id": "e",
				"type": "page_view", "timestamp": bubbleStart.UnixMilli(), "visitorId": "v", "sessionId": "a"})})
		}
		w.produce(records...)
		o := w.options()
		o.StatsInterval, o.Settings.Breakdowns, o.Settings.NewSites, o.Limits.StepItems = time.Hour, 0, 0, 12_000
		run := w.start(o)
		w.settled()
		run.drain()
		if c := w.checkpoint(sinks.TP{Topic: 1}, checkpoint.LaneStats); !c.Done || c.To != sites || c.Step != 3 {
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
		return record{key: "k", at: bubbleStart, value: mustJSON(e)}
	}
	records := []record{of(-3, ""), of(-2, ""), of(1, "v"), of(2, "v")}
	kills, stride := 0, slow.Every(t, 4)
	for killed := true; killed && !t.Failed(); kills += stride {
		killed = false
		inWorld(t, 1, func(t *testing.T, w *world) {
			trial{1, records, dying(t, kills+1, true, []int{1, len(records) - 1}, &killed)}.in(w)
			w.recounted() // Among all else, until when the lists are kept.
		})
	}
	if kills < 7+stride {
		t.Errorf("only %d requests were made", kills)
	}
}

// TestSessionOfDaysIsListedAgain: the list that names a session is there as long as its item, though it is written only now and then.
func TestSessionOfDaysIsListedAgain(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.StatsInterval = 5 * time.Second
		run := w.start(o)
		const hours, every = 120, 6
		for h := 0; h <= hours; h += every {
			w.produce(eventOf("v", "long", fmt.Sprint(h), time.Duration(h-hours)*time.Hour))
			w.settled()
		}
		run.drain()
		if _, lists := w.buckets("s"); lists != 3 { // Two days each.
			t.Errorf("%d lists of a session of five days, of %d flushes; want 3", lists, hours/every+1)
		}
		last := int64(0)
		for _, it := range w.query(sinks.Keys{}.VisitorList("s"), "") {
			last = max(last, it[sinks.AttrTTL].Int())
		}
		pk, prefix := sinks.Keys{}.Sessions("s", "long", sinks.DefaultShards)
		if item := w.query(pk, prefix)[0][sinks.AttrTTL].Int(); last < item {
			t.Errorf("the last list expires at %d, before the session at %d", last, item)
		}
		if got := w.sessionsOf("s", "v"); !slices.Equal(got, []string{"long"}) {
			t.Errorf("sessions %q, want the long one", got)
		}
		w.recounted()
	})
}
