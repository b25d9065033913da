package answers_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// sessionsOf are the ids of the sessions that a query lists of a visitor, one a page.
func (w *world) sessionsOf(site, visitor string) (ids []string) {
	w.T.Helper()
	r := query.New(w.Table, time.Now)
	p := query.SessionsParams{Site: site, Visitor: visitor, Consistent: true, Paging: query.Paging{Limit: 1}}
	for {
		a, err := r.Sessions(w.T.Context(), p)
		if err != nil {
			w.T.Fatal(err)
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
	w.T.Helper()
	for _, it := range w.Query(sinks.Keys{}.VisitorList(site), "") {
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
		w.Produce(records...)
		o := w.Options()
		o.StatsInterval = time.Minute
		run := w.Start(o)
		w.Settled()
		run.Drain()
		if names, lists := w.buckets("s"); lists != 16 || len(names) != 16 || !strings.HasPrefix(names[0], "4-") {
			t.Errorf("%d lists in the buckets %q, want 16 of depth 4", lists, names)
		}
		for i := range visitors {
			visitor := fmt.Sprint("v", i)
			if got, want := w.sessionsOf("s", visitor), []string{visitor + "-0", visitor + "-1"}; !slices.Equal(got, want) {
				t.Errorf("sessions %q of visitor %s, want %q", got, visitor, want)
			}
		}
		w.Recounted()
	})
}

// TestSessionOfDaysIsListedAgain: the list that names a session is there as long as its item, though it is written only now and then.
func TestSessionOfDaysIsListedAgain(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.Options()
		o.StatsInterval = 5 * time.Second
		run := w.Start(o)
		const hours, every = 120, 6
		for h := 0; h <= hours; h += every {
			w.Produce(eventOf("v", "long", fmt.Sprint(h), time.Duration(h-hours)*time.Hour))
			w.Settled()
		}
		run.Drain()
		if _, lists := w.buckets("s"); lists != 3 { // Two days each.
			t.Errorf("%d lists of a session of five days, of %d flushes; want 3", lists, hours/every+1)
		}
		last := int64(0)
		for _, it := range w.Query(sinks.Keys{}.VisitorList("s"), "") {
			last = max(last, it[sinks.AttrTTL].Int())
		}
		pk, prefix := sinks.Keys{}.Sessions("s", "long", sinks.DefaultShards)
		if item := w.Query(pk, prefix)[0][sinks.AttrTTL].Int(); last < item {
			t.Errorf("the last list expires at %d, before the session at %d", last, item)
		}
		if got := w.sessionsOf("s", "v"); !slices.Equal(got, []string{"long"}) {
			t.Errorf("sessions %q, want the long one", got)
		}
		w.Recounted()
	})
}
