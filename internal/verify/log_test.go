package verify_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/sinks"
)

const becauseLog = "the log no longer holds all of it"

// trim deletes the records of a partition below an offset.
func (w *world) trim(partition int32, offset int64) {
	w.t.Helper()
	offsets := make(kadm.Offsets)
	offsets.AddOffset(w.topic, partition, offset, -1)
	if _, err := kadm.NewClient(w.client).DeleteRecords(w.t.Context(), offsets); err != nil {
		w.t.Fatal(err)
	}
}

func TestWhatTheLogNoLongerHoldsIsLeftOut(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		w.trim(0, 3)
		r := w.verify(nil)
		want(t, "partition 0 begins late", r, finding.ExitLeftOut)
		if r.LeftOut[becauseLog] == 0 || r.Compared["session"] != 4 || r.Compared["hour stats"] != 2 {
			t.Errorf("compared %v, left out %v, want partition 1's alone compared", r.Compared, r.LeftOut)
		}
		// What is left is verified.
		var key sinks.Key
		for _, it := range two {
			if site, _ := sinks.SiteOf(it.Key()); site == "late" && it[sinks.AttrEntity].Str() == sinks.EntitySession {
				key = it.Key()
			}
		}
		w.set(key, nil)
		onlyAt(t, "partition 1's session deleted", w.verify(nil), key, "(item)")
		w.set(key, two[key])
		for key, it := range two { // A raw event whose record is still there.
			if it[sinks.AttrEntity].Str() == sinks.EntityEvent && it["source"].Str() == "events/0/4" {
				w.set(key, nil)
				onlyAt(t, "partition 0's raw event deleted", w.verify(nil), key, "(item)")
				w.set(key, it)
			}
		}

		w.trim(0, 31)
		w.trim(1, 8)
		r = w.verify(func(o *scope.Options) { o.SkipRaw = true })
		if r.DifferenceCount != 0 || r.Compared["session"]+r.Compared["hour stats"]+r.Compared["checkpoint"] != 0 {
			t.Errorf("compared %v without a log, %v", r.Compared, r.Differences)
		}
	})
}

func TestNothingLeftToCompareHasItsExitCode(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.first0()
		w.pipeline()
		w.trim(0, 1)
		r := w.verify(func(o *scope.Options) { o.Site = "elsewhere" })
		want(t, "a site that is not there, and no log", r, finding.ExitNothing)
	})
}

func TestTopicCreatedAgainIsLeftOut(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.first0()
		w.pipeline()
		adm := kadm.NewClient(w.client)
		if _, err := adm.DeleteTopics(t.Context(), topic); err != nil {
			t.Fatal(err)
		}
		if _, err := adm.CreateTopic(t.Context(), 1, 1, nil, topic); err != nil {
			t.Fatal(err)
		}
		w.again()
		r := w.verify(nil)
		want(t, "before the chain has noticed", r, finding.ExitLeftOut)
		if r.LeftOut[becauseLog] == 0 || r.Compared["session"] != 0 {
			t.Errorf("compared %v, left out %v", r.Compared, r.LeftOut)
		}
		w.first0()
		w.first0()
		w.pipeline()
		r = w.verify(nil)
		want(t, "after it has", r, finding.ExitLeftOut)
		if r.LeftOut[becauseLog] == 0 || r.Compared["session"] != 0 {
			t.Errorf("compared %v, left out %v", r.Compared, r.LeftOut)
		}
	})
}

// again replaces the client, which does not know a topic that was created again.
func (w *world) again() {
	w.t.Helper()
	w.client.Close()
	var err error
	if w.client, err = kgo.NewClient(append(w.kafka(), kgo.RecordPartitioner(kgo.ManualPartitioner()))...); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(w.client.Close)
}

// TestTransactionsAreReadAsCommitted leaves a committed and an aborted transaction at the end of the log, so that the
// last offsets are no records that a chain could come to.
func TestTransactionsAreReadAsCommitted(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		client, err := kgo.NewClient(append(w.kafka(), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.TransactionalID("tests"))...)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		for i, end := range []kgo.TransactionEndTry{kgo.TryAbort, kgo.TryCommit, kgo.TryCommit, kgo.TryAbort} {
			if err := client.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			e := w.event(plainSite, "page_view", time.Duration(i)*time.Second, "visitorId", "v1", "sessionId", "s1", "url", "/a")
			if err := client.ProduceSync(t.Context(), w.kafkaRecords([]record{{0, e}, {0, e}})...).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if err := client.EndTransaction(context.WithoutCancel(t.Context()), end); err != nil {
				t.Fatal(err)
			}
		}
		w.markers = 4 // The last commit's, the aborted two and their marker.
		w.pipeline()
		r := w.verify(nil)
		want(t, "transactions", r, 0)
		if r.Records != 4 {
			t.Errorf("%d records were recounted, want the 4 that were committed", r.Records)
		}
		if len(r.HeldUp) != 0 {
			t.Errorf("%+v are held up, and no transaction is open", r.HeldUp)
		}

		if err := client.BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		e := w.event(plainSite, "page_view", time.Minute, "visitorId", "v1", "sessionId", "s1", "url", "/a")
		if err := client.ProduceSync(t.Context(), w.kafkaRecords([]record{{0, e}, {0, e}})...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		r = w.verify(nil)
		want(t, "a transaction that is open", r, 0)
		if len(r.HeldUp) != 1 || r.HeldUp[0].To-r.HeldUp[0].From != 2 || r.Records != 4 {
			t.Errorf("%+v are held up, of %d records, want 2 beside the 4", r.HeldUp, r.Records)
		}
		if err := client.EndTransaction(context.WithoutCancel(t.Context()), kgo.TryAbort); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWhatHasExpiredIsLeftOut(t *testing.T) {
	const because = "its retention has passed"
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		day := 24 * time.Hour
		events := w.verify(nil).Compared["event"]
		for _, c := range []struct {
			later   time.Duration
			gone    []string // entities that the store has deleted by then
			expired []string // kinds that are not compared
		}{
			{20 * time.Minute, []string{sinks.EntityRealtime}, []string{"realtime"}},
			{3 * day, []string{sinks.EntityRecent}, []string{"realtime", "recent sessions"}},
			{31 * day, []string{sinks.EntityEvent}, []string{"realtime", "recent sessions", "event"}},
			{92 * day, []string{sinks.EntitySession, sinks.EntityUniques, sinks.EntityBreakdown},
				[]string{"realtime", "recent sessions", "event", "session", "uniques", "breakdown", "hour stats"}},
		} {
			later := func(o *scope.Options) { o.Now = func() time.Time { return w.start.Add(c.later) } }
			for _, deleted := range []bool{false, true} {
				for key, it := range two {
					for _, entity := range c.gone {
						if deleted && it[sinks.AttrEntity].Str() == entity {
							w.set(key, nil)
						}
					}
				}
				r := w.verify(later)
				want(t, "after "+c.later.String(), r, 0)
				for _, kind := range kinds {
					expired := false
					for _, k := range c.expired {
						expired = expired || k == kind && (deleted || k != "event" || c.later > 31*day) // A raw event that is still there is whole.
					}
					if expired != (r.Compared[kind] == 0) {
						t.Errorf("after %v: %d %s were compared", c.later, r.Compared[kind], kind)
					}
				}
				var left int64
				for _, n := range r.LeftOutKinds[because] {
					left += n
				}
				if n := r.LeftOutKinds[because]["event"]; c.later >= 31*day && deleted && n != events {
					t.Errorf("after %v: %d of %d raw events are left out", c.later, n, events)
				}
				if left == 0 || left != r.LeftOut[because] || r.LeftOutKinds[because]["realtime"] == 0 {
					t.Errorf("after %v: left out %v, by kind %v", c.later, r.LeftOut, r.LeftOutKinds)
				}
			}
		}
	})
}

func TestItemsOfAnotherTopicAreLeftOut(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.first0()
		w.pipeline()
		if _, err := kadm.NewClient(w.client).CreateTopic(t.Context(), 1, 1, nil, "other"); err != nil {
			t.Fatal(err)
		}
		o := w.options()
		o.Topic, o.Group = "other", "other"
		records := w.kafkaRecords([]record{{0, w.event(plainSite, "page_view", 0, "visitorId", "v2", "sessionId", "s2", "url", "/b")}})
		records[0].Topic = "other"
		if err := w.client.ProduceSync(t.Context(), records...).FirstErr(); err != nil {
			t.Fatal(err)
		}
		w.run(o)
		for _, name := range []string{topic, "other"} {
			r := w.verify(func(o *scope.Options) { o.Topic = name })
			want(t, name, r, finding.ExitLeftOut)
			if r.LeftOut["another topic wrote to it too"] != 2 || r.Compared["session"] != 1 || r.Compared["event"] != 1 {
				t.Errorf("%s: compared %v, left out %v", name, r.Compared, r.LeftOut)
			}
		}
	})
}

// TestRecordsBeforeTheChainAreLeftOut makes a table of a chain that began at the log's second record.
func TestRecordsBeforeTheChainAreLeftOut(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.produce(record{0, w.event("before", "page_view", 0, "visitorId", "v1")})
		w.first0()
		w.pipeline()
		for key, it := range w.snapshot() {
			entity := it[sinks.AttrEntity].Str()
			switch {
			case strings.HasPrefix(key.PK, "SITE#before") || key.SK == "before":
				w.set(key, nil)
			case entity == sinks.EntityNewSites:
				w.set(key, with(it, sinks.AttrSites, sinks.Int(1)))
			case entity == sinks.EntityCheckpoint || entity == sinks.EntityHistory:
				it["f"] = sinks.Int(1)
				it["totals"] = sinks.Str(strings.NewReplacer(`"counted":2`, `"counted":1`, `"sessionless":1`,
					`"sessionless":0`).Replace(it["totals"].Str()))
				if it["totals"].Str() == "" {
					delete(it, "totals")
				}
				w.set(key, it)
			}
		}
		r := w.verify(nil)
		want(t, "a chain that began late", r, 0)
		if r.LeftOut["records before the chain's first step"] != 1 || r.Compared["session"] != 1 {
			t.Errorf("compared %v, left out %v", r.Compared, r.LeftOut)
		}
	})
}
