package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/erase"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/rules"
	"github.com/footfall/footfall/sinks"
)

// event is an event of a visitor, so long after the bubble began.
func eventOf(visitor, session, id string, after time.Duration) record {
	e := map[string]any{"siteId": "s", "type": "page_view", "timestamp": bubbleStart.Add(after).UnixMilli(), "id": id, "url": "/" + id}
	if visitor != "" {
		e["visitorId"] = visitor
	}
	if session != "" {
		e["sessionId"] = session
	}
	return record{key: "s", at: bubbleStart.Add(after), value: mustJSON(e)}
}

// ofPerson are all items that name a visitor, or whose keys do.
func (w *world) ofPerson(site, visitor string) (found []string) {
	w.t.Helper()
	for nn := range sinks.MaxShards {
		page, err := w.table.Query(w.t.Context(), sinks.Query{PK: sinks.Keys{}.Shard(site, nn), Consistent: true})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, it := range page.Items {
			if it[sinks.AttrVisitorID].Str() == visitor || strings.Contains(it.Key().SK, "#"+visitor+"#") ||
				strings.HasSuffix(it[sinks.AttrGSI2PK].Str(), "#"+visitor) {
				found = append(found, fmt.Sprintf("%s / %s", it.Key().PK, it.Key().SK))
			}
		}
	}
	return found
}

func (w *world) erasure(visitor string) erase.Options {
	return erase.Options{Table: w.table, HashKey: w.options().HashKey, Site: "s", Person: rules.Visitor, ID: visitor}
}

// TestErasedPersonDoesNotComeBack: events, sessions and visits of somebody who is erased are gone, and totals as they were; nor does
// a replay of all of his records bring anything back, late events, or another topic. What he does later counts as anybody's.
func TestErasedPersonDoesNotComeBack(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.Settings.Duplicates, o.StatsInterval = 0, 5*time.Second
		records := []record{
			eventOf("gone", "a", "1", 0), eventOf("", "a", "2", time.Second), eventOf("gone", "", "3", 2*time.Second),
			eventOf("stays", "b", "4", 3*time.Second), eventOf("stays", "", "5", 4*time.Second), eventOf("gone", "b", "6", 5*time.Second),
		}
		day := sinks.Keys{}.DayStats("s", bubbleStart.UnixMilli())
		w.produce(records...)
		run := w.start(o)
		w.settled()
		before := w.item(day)
		report, err := erase.Run(t.Context(), w.erasure("gone"))
		if err != nil || !report.Over() {
			t.Fatalf("%+v, %v", report, err)
		}
		if want := (erase.Counts{erase.Events: 4, erase.Sessions: 2, erase.Visitors: 1}); fmt.Sprint(report.Touched) != fmt.Sprint(want) {
			t.Errorf("touched %v, want %v", report.Touched, want)
		}
		for _, name := range []string{sinks.AttrEvents, sinks.AttrSessions, sinks.AttrPageViews, sinks.AttrBounces, sinks.AttrDurationMs} {
			if have := w.item(day)[name]; !have.Equal(before[name]) {
				t.Errorf("the day has %d %s, it had %d", have.Int(), name, before[name].Int())
			}
		}
		if left := w.ofPerson("s", "gone"); left != nil {
			t.Errorf("left: %q", left)
		}
		w.recounted()

		w.produce(records...)
		w.settled()
		run.drain()
		if left := w.ofPerson("s", "gone"); left != nil {
			t.Errorf("after a replay: %q", left)
		}
		if have, want := w.stats(day, sinks.AttrEvents), 2*before[sinks.AttrEvents].Int(); have != want {
			t.Errorf("after a replay the day has %d events, want %d", have, want)
		}
		if have, want := w.stats(day, sinks.AttrSessions), before[sinks.AttrSessions].Int()+1; have != want { // The visit is another's: an alias's.
			t.Errorf("after a replay the day has %d sessions, want %d", have, want)
		}
		w.recounted()

		later := 30 * time.Minute
		run = w.start(o)
		w.produce(eventOf("gone", "c", "7", later), eventOf("gone", "", "8", later))
		w.settled()
		run.drain()
		if n := len(w.ofPerson("s", "gone")); n != 5 { // Two raw events, a session, a visit and the state of his visits.
			t.Errorf("%d items tell of what came later, want 5", n)
		}
		w.recounted()
	})
}

// TestErasureOfNobodyHoldsForLateEvents: a visitor without any item is erased, too, so that late events do not bring him.
func TestErasureOfNobodyHoldsForLateEvents(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.StatsInterval = 5 * time.Second
		w.produce(eventOf("stays", "b", "1", 0))
		run := w.start(o)
		w.settled()
		report, err := erase.Run(t.Context(), w.erasure("late"))
		if err != nil || !report.Over() || len(report.Touched) > 0 {
			t.Errorf("%+v, %v", report, err)
		}
		w.produce(eventOf("late", "c", "2", time.Second), eventOf("late", "", "3", time.Second))
		w.settled()
		run.drain()
		if left := w.ofPerson("s", "late"); left != nil {
			t.Errorf("his late events left %q", left)
		}
		w.recounted()
	})
}

// TestErasureAgainFindsWhatNamesNobody: a session that an event erases late has events from before that nobody could know to be his.
func TestErasureAgainFindsWhatNamesNobody(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.StatsInterval = 5 * time.Second
		w.produce(eventOf("stays", "b", "1", 0))
		run := w.start(o)
		w.settled()
		for i, want := range []erase.Counts{{}, {erase.Events: 1}} {
			report, err := erase.Run(t.Context(), w.erasure("late"))
			if err != nil || !report.Over() || fmt.Sprint(report.Touched) != fmt.Sprint(want) {
				t.Errorf("erasure %d: %+v, %v: want it to touch %v", i, report, err, want)
			}
			if i == 0 {
				w.produce(eventOf("", "c", "2", time.Second), eventOf("late", "c", "3", time.Second), eventOf("", "c", "4", time.Second))
				w.settled()
			}
		}
		run.drain()
		w.recounted()
	})
}

// TestUnnamedEventsOfErasedSessionGo: events that name nobody go with the session that turns out to be his only while the erasure is
// under way, however its key spells the id that the item has lost by then.
func TestUnnamedEventsOfErasedSessionGo(t *testing.T) {
	for _, session := range []string{"a", "100%", "a#1_0", strings.Repeat("\n", 250)} {
		inWorld(t, 1, func(t *testing.T, w *world) {
			o := w.options()
			o.StatsInterval = 5 * time.Second
			run := w.start(o)
			w.produce(eventOf("", session, "1", 0), eventOf("stays", "b", "2", 0))
			w.settled()
			e := w.erasure("gone")
			e.NoWait = true
			if report, err := erase.Run(t.Context(), e); err != nil || report.Over() {
				t.Fatalf("%+v, %v: want it to wait", report, err)
			}
			time.Sleep(time.Minute)
			w.produce(eventOf("gone", session, "3", time.Second))
			w.settled()
			report, err := erase.Run(t.Context(), w.erasure("gone"))
			if err != nil || !report.Over() || report.Touched[erase.Events] != 1 {
				t.Errorf("session %.20q: %+v, %v: want the event that names nobody deleted", session, report, err)
			}
			run.drain()
			w.recounted()
		})
	}
}

// TestErasureWaitsForChains: a chain that nobody owns holds an erasure up until it is taken over, or named as one that nobody reads.
func TestErasureWaitsForChains(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.folded(w.options(), []record{eventOf("gone", "a", "1", 0)})
		o := w.erasure("gone")
		o.NoWait = true
		report, err := erase.Run(t.Context(), o)
		if err != nil || report.State != erase.Swept || len(report.Waiting) != 1 || report.Waiting[0].Name() != testTopic+"/0" {
			t.Fatalf("%+v, %v: want it to wait for the chain", report, err)
		}
		o.Skip = []string{"other/0"}
		if _, err := erase.Run(t.Context(), o); err == nil {
			t.Error("a chain that is not there was skipped")
		}
		o.Skip, o.NoWait = []string{testTopic + "/0"}, false
		if report, err = erase.Run(t.Context(), o); err != nil || !report.Over() || report.Revision != 1 {
			t.Fatalf("%+v, %v: want the same erasure to be done", report, err)
		}
		if c := w.checkpoint(sinks.TP{Topic: 1}, pipeline.LaneStats); c.Seen != 1 {
			t.Errorf("whoever takes the chain over need not know of the tombstone: %+v", c)
		}
		if left := w.ofPerson("s", "gone"); left != nil {
			t.Errorf("left: %q", left)
		}
		w.recounted()
		if report, err = erase.Run(t.Context(), o); err != nil || report.Revision != 2 {
			t.Errorf("%+v, %v: want a second erasure, up to later", report, err)
		}
	})
}

// watched notes when a process takes a chain over, and which raw events it sends.
type watched struct {
	sinks.Table
	mu   sync.Mutex // covers seen
	seen []string
}

func (w *watched) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	if kindOf(u) == "acquire" && strings.HasSuffix(u.Key.SK, pipeline.LaneStats) {
		w.note("acquire")
	}
	return w.Table.Update(ctx, u)
}

func (w *watched) BatchPut(ctx context.Context, items []sinks.Item) (sinks.BatchResult, error) {
	for _, it := range items {
		w.note(it["id"].Str())
	}
	return w.Table.BatchPut(ctx, items)
}

func (w *watched) note(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen = append(w.seen, what)
}

// TestReplacedOwnerAsksBeforeItWrites: an owner that has not heard from its chain for a minute sends no raw event before it has
// asked whose the chain is.
func TestReplacedOwnerAsksBeforeItWrites(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		first := &watched{Table: w.table}
		o := w.options()
		o.Table, o.StatsInterval, o.RealtimeInterval = first, time.Hour, time.Hour
		old := w.start(o)
		w.pass(10 * time.Second)
		o = w.options()
		o.Group = "another"
		next := w.start(o) // It takes the chains over, which nobody tells the first.
		w.pass(10 * time.Second)
		w.produce(eventOf("v", "a", "soon", 0))
		w.pass(50 * time.Second)
		w.produce(eventOf("v", "a", "late", 0))
		w.pass(5 * time.Second)
		next.stop()
		old.stop()
		for _, run := range []*process{next, old} {
			if err := <-run.done; err != nil && !errors.Is(err, pipeline.ErrFenced) {
				t.Errorf("Run = %v", err)
			}
		}
		first.mu.Lock()
		defer first.mu.Unlock()
		again := slices.Index(first.seen[1:], "acquire")
		late := slices.Index(first.seen, "late")
		if first.seen[0] != "acquire" || !slices.Contains(first.seen, "soon") || late >= 0 && (again < 0 || late < again+1) {
			t.Errorf("the replaced owner did %q: want it to write nothing after a minute before it has the chain back", first.seen)
		}
	})
}

// TestVerifyFindsWhatAnErasureLeft: once an erasure says that it is done, what it has left, or what came back, is a difference.
func TestVerifyFindsWhatAnErasureLeft(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.StatsInterval = 5 * time.Second
		s := newSpy(w.table)
		o.Table = s
		w.produce(eventOf("gone", "a", "1", 0), eventOf("gone", "", "2", time.Second), eventOf("stays", "b", "3", time.Second))
		run := w.start(o)
		w.settled()
		before := w.contents(s)
		if report, err := erase.Run(t.Context(), w.erasure("gone")); err != nil || !report.Over() {
			t.Fatalf("%+v, %v", report, err)
		}
		run.drain()
		w.recounted()
		wrong := 0
		for key, it := range before {
			if it[sinks.AttrVisitorID].Str() != "gone" {
				continue
			}
			wrong++
			after := w.item(key)
			if _, err := w.table.Put(t.Context(), sinks.Put{Item: it}); err != nil {
				t.Fatal(err)
			}
			if r, err := verifyWorld(w, w.options()); err != nil || r.DifferenceCount == 0 {
				t.Errorf("%v is there again, and nothing differs: %v, %v", key, r.LeftOut, err)
			}
			if after == nil {
				_, err := w.table.Delete(t.Context(), sinks.Delete{Key: key})
				if err != nil {
					t.Fatal(err)
				}
			} else if _, err := w.table.Put(t.Context(), sinks.Put{Item: after}); err != nil {
				t.Fatal(err)
			}
		}
		if wrong != 5 { // Two raw events, a session, a visit and what is known of his visits.
			t.Errorf("%d items were of him, want 5", wrong)
		}
	})
}

// TestErasedEventOfARecordThatTheLogLost: two records have one raw event, the erased visitor's was written last and is deleted, and
// the log has lost that visitor's record. The other record's raw event is missing, and no difference.
func TestErasedEventOfARecordThatTheLogLost(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		run := w.start(w.options())
		w.produce(eventOf("stays", "a", "1", 0))
		w.settled()
		gone := eventOf("gone", "a", "1", 0)
		gone.partition = 1
		w.produce(gone)
		w.settled()
		if report, err := erase.Run(t.Context(), w.erasure("gone")); err != nil || !report.Over() || report.Touched[erase.Events] != 1 {
			t.Fatalf("%+v, %v", report, err)
		}
		run.drain()
		if err := w.cluster.DeleteRecords(testTopic, 1, -1); err != nil {
			t.Fatal(err)
		}
		if r, list := w.differences(w.options()); len(list) > 0 || r.ComparedCount == 0 {
			t.Errorf("of %d compared items differ %q", r.ComparedCount, list)
		}
	})
}

// TestErasuresOfOneSessionByTwoIds: whoever is erased as a visitor and as a user loses his sessions by whichever erasure is done
// first, also where the other is not gone on with; and a session carries the revision by which steps erase it.
func TestErasuresOfOneSessionByTwoIds(t *testing.T) {
	for _, first := range []rules.Person{rules.User, rules.Visitor} {
		for _, unswept := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s first, cut short %v", first, unswept), func(t *testing.T) {
				inWorld(t, 1, func(t *testing.T, w *world) {
					both := eventOf("gone", "a", "1", 0)
					both.value = bytes.Replace(both.value, []byte(`{`), []byte(`{"userId":"u-1",`), 1)
					w.folded(w.options(), []record{both, eventOf("", "a", "2", time.Second)})
					one, other := w.erasure("gone"), w.erasure("gone")
					if first == rules.User {
						one.Person, one.ID = rules.User, "u-1"
					} else {
						other.Person, other.ID = rules.User, "u-1"
					}
					one.NoWait = true
					if unswept {
						cut := &firstSweepFails{Table: w.table}
						one.Table = cut
						if _, err := erase.Run(t.Context(), one); !errors.Is(err, errKilled) {
							t.Fatalf("Run = %v, want the kill", err)
						}
					} else if report, err := erase.Run(t.Context(), one); err != nil || report.State != erase.Swept {
						t.Fatalf("%+v, %v", report, err)
					}
					other.Skip = []string{testTopic + "/0"}
					if report, err := erase.Run(t.Context(), other); err != nil || !report.Over() || report.Revision != 2 {
						t.Fatalf("%+v, %v: want the second erasure to be done", report, err)
					}
					it := w.item(sinks.Keys{}.Session("s", "a", sinks.TP{Topic: 1}, sinks.DefaultShards))
					if have := it[sinks.AttrErased].Int(); have != 1 {
						t.Errorf("the session is erased by revision %d, want 1, the first that holds for it", have)
					}
					for _, name := range []string{sinks.AttrSessionID, sinks.AttrEntryPage, sinks.AttrExitPage, sinks.AttrUserID} {
						if it[name].Kind() != sinks.None {
							t.Errorf("the session keeps its %s", name)
						}
					}
					w.recounted()
				})
			})
		}
	}
}

// firstSweepFails is a table whose reader ends before it has read any shard of a site.
type firstSweepFails struct{ sinks.Table }

func (f *firstSweepFails) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if strings.Contains(q.PK, "#SHARD#") {
		return sinks.Page{}, errKilled
	}
	return f.Table.Query(ctx, q)
}

// TestErasureShowsGoalsOfACreationThatWasCutShort: who finds a site's metadata up to date looks for no goals that are not.
func TestErasureShowsGoalsOfACreationThatWasCutShort(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.folded(w.options(), []record{eventOf("gone", "a", "1", 0)})
		log, err := rules.Read(t.Context(), w.table, sinks.Keys{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := &rules.Site{CreatedAt: 1}
		if err := s.AddGoal(rules.Goal{ID: "long", DurationMs: 1000}); err != nil {
			t.Fatal(err)
		}
		if _, err := rules.Append(t.Context(), w.table, sinks.Keys{}, log, rules.Change{Site: "s", Rules: s}); err != nil {
			t.Fatal(err)
		}
		o := w.erasure("gone")
		o.NoWait = true
		if _, err := erase.Run(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		if w.item(sinks.Keys{}.Goal("s", "long")) == nil {
			t.Error("the site's metadata is of the tombstone's revision, and its goal is not to be seen")
		}
		w.recounted()
	})
}

// TestErasureDoesNotWaitForAbortedTransactions: a partition to which nothing comes but transactions that are aborted is idle, and its
// owner says what he knows of the rules.
func TestErasureDoesNotWaitForAbortedTransactions(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		o := w.options()
		o.StatsInterval = 5 * time.Second
		w.produce(eventOf("gone", "a", "1", 0))
		run := w.start(o)
		w.settled()
		e := w.erasure("gone")
		e.NoWait = true
		report, err := erase.Run(t.Context(), e)
		for i := 0; err == nil && i < 30; i++ {
			w.transaction(1, kgo.TryAbort)
			w.pass(3 * time.Second)
		}
		if err == nil {
			report, err = erase.Run(t.Context(), e)
		}
		if err != nil || len(report.Waiting) > 0 {
			t.Errorf("%+v, %v: want it to wait for no chain", report, err)
		}
		run.drain()
	})
}
