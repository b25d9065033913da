package answers_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/footfall/footfall/query"
	"github.com/footfall/footfall/sinks"
)

// listsOf flushes the records at once, and returns how many items of recent sessions, of new sessions and of lists by visitor the site has.
func (w *world) listsOf(site string, records ...record) (recent, news, lists int) {
	w.T.Helper()
	w.Produce(records...)
	o := w.Options()
	o.StatsInterval = time.Minute
	run := w.Start(o)
	w.Settled()
	run.Drain()
	for _, pk := range []string{sinks.Keys{}.RecentList(site), sinks.Keys{}.VisitorList(site)} {
		for _, it := range w.Query(pk, "") {
			switch it[sinks.AttrEntity].Str() {
			case sinks.EntityRecent:
				recent++
			case sinks.EntityNewSessions:
				news++
			case sinks.EntityVisitorSessions:
				lists++
			}
		}
	}
	w.Recounted()
	return recent, news, lists
}

// recentOf are the ids of a site's recent sessions, the oldest first.
func (w *world) recentOf(site string) (ids []string) {
	w.T.Helper()
	a, err := query.New(w.Table, time.Now).Sessions(w.T.Context(), query.SessionsParams{Site: site, Consistent: true,
		Paging: query.Paging{Limit: 1000}})
	if err != nil {
		w.T.Fatal(err)
	}
	for _, s := range a.Sessions {
		ids = append(ids, s.SessionID)
	}
	return ids
}

// TestCalmFlushListsItsSessionsOnce: one item answers both what a site's recent sessions are, and what a visitor's are.
func TestCalmFlushListsItsSessionsOnce(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		recent, news, lists := w.listsOf("s", eventOf("v", "a", "1", time.Second), eventOf("v", "b", "2", 3*time.Minute),
			eventOf("other", "c", "3", 4*time.Minute))
		if recent != 0 || news != 1 || lists != 0 {
			t.Errorf("%d items of recent sessions, %d of new sessions, %d lists by visitor; want 0, 1, 0", recent, news, lists)
		}
		if got, want := w.recentOf("s"), []string{"a", "b", "c"}; !slices.Equal(got, want) {
			t.Errorf("recent sessions %q, want %q", got, want)
		}
		if got, want := w.sessionsOf("s", "v"), []string{"a", "b"}; !slices.Equal(got, want) {
			t.Errorf("sessions of v %q, want %q", got, want)
		}
	})
}

// TestBusyFlushHasBothLists: a flush of more new sessions than one item names has them in both lists.
func TestBusyFlushHasBothLists(t *testing.T) {
	t.Parallel()
	for sessions, want := range map[int][3]int{sinks.MaxNewSessions: {0, 1, 0}, sinks.MaxNewSessions + 1: {1, 0, 2}} {
		inWorld(t, 1, func(t *testing.T, w *world) {
			var records []record
			for i := range sessions {
				records = append(records, eventOf(fmt.Sprint("v", i), fmt.Sprint("s", i), fmt.Sprint(i), time.Duration(i)*time.Second))
			}
			recent, news, lists := w.listsOf("s", records...)
			if got := [3]int{recent, news, lists}; got != want {
				t.Errorf("%d sessions: %d items of recent sessions, of new sessions and of lists by visitor; want %d", sessions, got, want)
			}
			if got := w.recentOf("s"); len(got) != sessions {
				t.Errorf("%d recent sessions, want %d", len(got), sessions)
			}
		})
	}
}

// TestNewSessionsSpanTenMinutes: readers do not look further back than ten minutes for what an item of new sessions names. A session that
// the flush saw late is in both lists.
func TestNewSessionsSpanTenMinutes(t *testing.T) {
	t.Parallel()
	for minutes, want := range map[int][3]int{9: {0, 1, 0}, 10: {1, 1, 1}} {
		inWorld(t, 1, func(t *testing.T, w *world) {
			last := eventOf("v", "b", "2", time.Duration(minutes)*time.Minute)
			recent, news, lists := w.listsOf("s", eventOf("v", "a", "1", time.Second), last)
			if got := [3]int{recent, news, lists}; got != want {
				t.Errorf("%d minutes apart: %d items of recent sessions, of new sessions and of lists by visitor; want %d", minutes, got, want)
			}
			for _, got := range [][]string{w.recentOf("s"), w.sessionsOf("s", "v")} {
				if want := []string{"a", "b"}; !slices.Equal(got, want) {
					t.Errorf("%d minutes apart: sessions %q, want %q", minutes, got, want)
				}
			}
		})
	}
}

// TestSessionWithoutAVisitorIsRecent: lists by visitor do not have it.
func TestSessionWithoutAVisitorIsRecent(t *testing.T) {
	t.Parallel()
	inWorld(t, 1, func(t *testing.T, w *world) {
		anonymous := record{Key: "k", At: bubbleStart, Value: mustJSON(map[string]any{"siteId": "s", "id": "1", "type": "page_view",
			"timestamp": bubbleStart.UnixMilli(), "sessionId": "a"})}
		recent, news, lists := w.listsOf("s", anonymous, eventOf("v", "b", "2", time.Second))
		if recent != 1 || news != 1 || lists != 0 {
			t.Errorf("%d items of recent sessions, %d of new sessions, %d lists by visitor; want 1, 1, 0", recent, news, lists)
		}
		if got, want := w.recentOf("s"), []string{"a", "b"}; !slices.Equal(got, want) {
			t.Errorf("recent sessions %q, want %q", got, want)
		}
	})
}
