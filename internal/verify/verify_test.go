package verify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/verify"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// kinds are all that a report of a full table names.
var kinds = []string{"checkpoint", "history", "hour stats", "day stats", "uniques", "breakdown", "session", "recent sessions", "realtime",
	"site", "event"}

func TestEqualTableHasNoDifference(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		r := w.verify(nil)
		want(t, "a drained table", r, 0)
		for _, kind := range kinds {
			if r.Compared[kind] == 0 {
				t.Errorf("no %s was compared: %v", kind, r.Compared)
			}
		}
		if r.Records != 44 {
			t.Errorf("%d records were recounted, want 44", r.Records)
		}
		for reason, n := range r.LeftOut {
			t.Errorf("left out %d: %s", n, reason)
		}
		number, _, _ := sinks.LoadTopic(t.Context(), w.table, sinks.Keys{}, topic)
		for partition := range int32(2) {
			for _, lane := range checkpoint.Lanes {
				if c := w.checkpoint(sinks.TP{Topic: number, Partition: partition}, lane); c.Step != 2 || !c.Done {
					t.Errorf("partition %d, lane %s: step %d, done %v: the tests need two steps, the second done", partition, lane, c.Step, c.Done)
				}
			}
		}
	})
}

// A site that nobody knows is no site whose numbers are right. One whose entry alone is gone is known by its log, and one
// of whose items some are left is not unknown either.
func TestUnknownSiteIsNotVerified(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		typo := func(o *scope.Options) { o.Site = "typo.example" }
		r := w.verify(typo)
		want(t, "a site that nobody knows", r, finding.ExitNothing)
		if !r.UnknownSite || !strings.Contains(r.Note, `"typo.example"`) || r.Compared["checkpoint"] == 0 {
			t.Errorf("report %+v does not say that the site is unknown", r)
		}
		if r := w.verify(func(o *scope.Options) { o.Site = oddSite; o.To = time.Unix(1, 0) }); r.UnknownSite || !r.EmptyRange ||
			r.ExitCode() != finding.ExitNothing {
			t.Errorf("a span in which the site has nothing: %+v", r)
		}
		w.set(sinks.Key{}, sinks.Item{sinks.AttrPK: sinks.Str(sinks.Keys{}.Site("typo.example")),
			sinks.AttrSK: sinks.Str("STATS#day#2026-05-12")})
		r = w.verify(typo)
		want(t, "an item of a site that nobody knows", r, finding.ExitDifferent)
		if r.UnknownSite {
			t.Errorf("report %+v says that the site is unknown, and names its items", r)
		}
	})
}

// TestRangeWithoutAnythingIsNotVerified: checkpoints, metadata and entries of the list of sites are compared whatever the range.
func TestRangeWithoutAnythingIsNotVerified(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.filled()
		late := func(o *scope.Options) { o.From = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }
		r := w.verify(late)
		want(t, "a range in which nothing happens", r, finding.ExitNothing)
		if !r.EmptyRange || r.UnknownSite || !strings.Contains(r.Note, "nothing of the range") || r.Compared["checkpoint"] == 0 ||
			r.Compared["site"] == 0 {
			t.Errorf("report %+v does not say that the range is empty", r)
		}
		w.set(sinks.Key{}, sinks.Item{sinks.AttrPK: sinks.Str(sinks.Keys{}.Site(oddSite)), sinks.AttrSK: sinks.Str("STATS#day#9999-12-31")})
		want(t, "an item that the log does not explain", w.verify(late), finding.ExitDifferent)
	})
}

func TestOneSiteIsVerifiedAlone(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		only := func(o *scope.Options) { o.Site = oddSite }
		before := w.verify(only)
		want(t, "one site", before, 0)
		if n := before.Compared["site"]; n != 1 {
			t.Errorf("%d sites were compared, want 1", n)
		}
		for key, it := range two {
			if it[sinks.AttrEntity].Str() == sinks.EntityStats {
				w.set(key, nil)
			}
		}
		r := w.verify(only)
		if r.DifferenceCount != 2 { // An hour and a day.
			t.Errorf("%d differences, want those of one site: %v", r.DifferenceCount, r.Differences)
		}
	})
}

func TestSpanOfTimeIsVerifiedAlone(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		_, two := w.filled()
		hour := w.start.Truncate(time.Hour)
		span := func(o *scope.Options) { o.From, o.To = hour.Add(-time.Hour), hour }
		r := w.verify(span)
		want(t, "the hour before", r, 0)
		// The early event's hour, its day, its minute's raw event; no session was opened then.
		if r.Compared["hour stats"] != 1 || r.Compared["day stats"] != 1 || r.Compared["session"] != 0 || r.Compared["event"] != 1 {
			t.Errorf("compared %v", r.Compared)
		}
		for key, it := range two {
			if it[sinks.AttrEntity].Str() == sinks.EntitySession {
				w.set(key, nil)
			}
		}
		want(t, "the hour before, without sessions of later", w.verify(span), 0)
	})
}

func TestTableWithoutTheTopicIsNothingToCompare(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		w.first0()
		r := w.verify(nil)
		want(t, "a fresh table", r, finding.ExitNothing)
		if len(r.Behind) != 2 {
			t.Errorf("behind: %v, want both chains", r.Behind)
		}
		if _, err := sinks.EnsureTableSettings(t.Context(), w.table, sinks.Keys{}, nil); err != nil {
			t.Fatal(err)
		}
		r = w.verify(nil)
		want(t, "a table of other topics", r, finding.ExitNothing)
		if r.Note == "" {
			t.Error("the report does not say why")
		}
		waited := make(chan finding.Report)
		go func() { waited <- w.verify(func(o *scope.Options) { o.Wait = time.Hour }) }()
		w.pipeline()
		want(t, "a pipeline that starts while verify waits", <-waited, 0)
	})
}

func TestWrongHashKeyIsRefused(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.first()
		o := w.options()
		o.HashKey = []byte("0123456789abcdef")
		w.run(o)
		for _, key := range [][]byte{nil, []byte("0123456789abcdeX")} {
			if _, err := verify.Run(t.Context(), scope.Options{Kafka: w.kafka(), Topic: topic, Table: w.table, HashKey: key}); err == nil ||
				!strings.Contains(err.Error(), "visitorHashKey (FOOTFALL_VISITOR_HASH_KEY)") {
				t.Errorf("hash key %q: %v, want an error that names the setting", key, err)
			}
		}
		want(t, "the right key", w.verify(func(v *scope.Options) { v.HashKey = o.HashKey }), 0)
	})
}

func TestMissingTopicIsAnError(t *testing.T) {
	inWorld(t, 1, func(t *testing.T, w *world) {
		_, err := verify.Run(t.Context(), scope.Options{Kafka: w.kafka(), Topic: "nowhere", Table: w.table})
		if err == nil {
			t.Fatal("a topic that does not exist was verified")
		}
	})
}

// first0 publishes one event to partition 0.
func (w *world) first0() {
	w.produce(record{0, w.event(plainSite, "page_view", 0, "visitorId", "v1", "sessionId", "s1", "url", "/a")})
}
